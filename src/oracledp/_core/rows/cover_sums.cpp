// Weighted population counts: eight columns at a time, with vector counts where the processor has them.
#include "rows/cover_sums.hpp"

#include <algorithm>

#include "simd.hpp"
#ifdef ODP_WIDE
#include <immintrin.h>
#ifndef __clang__  // gcc 12 warns of its own header, where what is not set is not used
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace oracledp {
namespace {

using Kernel = void (*)(const Word *const *, const Terms &, int64_t *);

// Adds up eight columns block by block.
ODP_POPCOUNT void eight_portable(const Word *const *columns, const Terms &terms, int64_t *out) {
    for (int lane = 0; lane < 8; ++lane) {
        int64_t sum = 0;
        for (const auto &run : terms.runs) {
            int64_t count = 0;
            for (int k = run.begin; k < run.end; ++k) {
                const Word *rows = &terms.bits[size_t(k) * kBlockWords];
                const Word *column = columns[lane] + size_t(terms.blocks[k]) * kBlockWords;
                for (int word = 0; word < kBlockWords; ++word) count += __builtin_popcountll(rows[word] & column[word]);
            }
            sum += count << run.shift;
        }
        out[lane] = sum;
    }
}

#ifdef ODP_WIDE
// Sums of the lanes of eight registers, as the lanes of one.
ODP_WIDE inline __m512i across(const __m512i *sums) {
    __m512i pairs[4], fours[2];
    for (int i = 0; i < 4; ++i)
        pairs[i] = _mm512_add_epi64(_mm512_unpacklo_epi64(sums[2 * i], sums[2 * i + 1]),
                                    _mm512_unpackhi_epi64(sums[2 * i], sums[2 * i + 1]));
    for (int i = 0; i < 2; ++i)
        fours[i] = _mm512_add_epi64(_mm512_shuffle_i64x2(pairs[2 * i], pairs[2 * i + 1], 0x88),
                                    _mm512_shuffle_i64x2(pairs[2 * i], pairs[2 * i + 1], 0xDD));
    return _mm512_add_epi64(_mm512_shuffle_i64x2(fours[0], fours[1], 0x88),
                            _mm512_shuffle_i64x2(fours[0], fours[1], 0xDD));
}

ODP_WIDE void eight_wide(const Word *const *columns, const Terms &terms, int64_t *out) {
    __m512i sums[8];
    for (int lane = 0; lane < 8; ++lane) sums[lane] = _mm512_setzero_si512();
    for (const auto &run : terms.runs) {
        __m512i counts[8];
        for (int lane = 0; lane < 8; ++lane) counts[lane] = _mm512_setzero_si512();
        for (int k = run.begin; k < run.end; ++k) {
            const __m512i rows = _mm512_loadu_si512(&terms.bits[size_t(k) * kBlockWords]);
            const size_t offset = size_t(terms.blocks[k]) * kBlockWords;
            for (int lane = 0; lane < 8; ++lane) {
                const __m512i common = _mm512_and_si512(rows, _mm512_loadu_si512(columns[lane] + offset));
                counts[lane] = _mm512_add_epi64(counts[lane], _mm512_popcnt_epi64(common));
            }
        }
        const __m128i shift = _mm_cvtsi32_si128(run.shift);
        for (int lane = 0; lane < 8; ++lane)
            sums[lane] = _mm512_add_epi64(sums[lane], _mm512_sll_epi64(counts[lane], shift));
    }
    _mm512_storeu_si512(out, across(sums));
}
#endif

// Intersects the columns one by one within a block, and adds what is left after each.
using ResidualKernel = void (*)(const RowTable &, const Word *, int, const int *, int, int64_t *);

ODP_POPCOUNT void residual_portable(const RowTable &table, const Word *cover, int block, const int *columns, int count,
                                    int64_t *out) {
    const size_t offset = size_t(block) * kBlockWords, place = size_t(block - table.negative_blocks) * kBlockWords;
    Word rows[kBlockWords];
    std::copy_n(cover + offset, kBlockWords, rows);
    for (int i = 0; i < count; ++i) {
        const Word *column = table.column(columns[i]) + offset;
        Word any = 0;
        for (int word = 0; word < kBlockWords; ++word) any |= rows[word] &= column[word];
        if (!any) return;
        for (size_t shift = 0; shift < table.planes[kPositive].size(); ++shift) {
            const auto &plane = table.planes[kPositive][shift];
            if (place >= plane.size()) break;
            int64_t sum = 0;
            for (int word = 0; word < kBlockWords; ++word)
                sum += __builtin_popcountll(rows[word] & plane[place + word]);
            out[i] += sum << shift;
        }
    }
}

#ifdef ODP_WIDE
ODP_WIDE void residual_wide(const RowTable &table, const Word *cover, int block, const int *columns, int count,
                            int64_t *out) {
    const size_t offset = size_t(block) * kBlockWords, place = size_t(block - table.negative_blocks) * kBlockWords;
    __m512i planes[64];
    int shifts = 0;
    for (const auto &plane : table.planes[kPositive]) {
        if (place >= plane.size()) break;
        planes[shifts++] = _mm512_loadu_si512(&plane[place]);
    }
    __m512i rows = _mm512_loadu_si512(cover + offset);
    for (int i = 0; i < count; ++i) {
        rows = _mm512_and_si512(rows, _mm512_loadu_si512(table.column(columns[i]) + offset));
        if (!_mm512_test_epi64_mask(rows, rows)) return;
        __m512i sum = _mm512_popcnt_epi64(_mm512_and_si512(rows, planes[0]));
        for (int shift = 1; shift < shifts; ++shift)
            sum = _mm512_add_epi64(
                sum,
                _mm512_sll_epi64(_mm512_popcnt_epi64(_mm512_and_si512(rows, planes[shift])), _mm_cvtsi32_si128(shift)));
        out[i] += _mm512_reduce_add_epi64(sum);
    }
}
#endif

#ifdef ODP_WIDE
const Kernel eight_columns = has_wide_vectors() ? eight_wide : eight_portable;
const ResidualKernel residual_block = has_wide_vectors() ? residual_wide : residual_portable;
#else
const Kernel eight_columns = eight_portable;
const ResidualKernel residual_block = residual_portable;
#endif

// Copies the blocks of one plane that the cover meets; returns how many there are now.
ODP_POPCOUNT int cut_plane(const Word *cover, const std::vector<Word> &plane, int first_block, int size, int *blocks,
                           Word *bits) {
    const int count = int(plane.size()) / kBlockWords;
    for (int block = 0; block < count; ++block) {
        const size_t from = size_t(block) * kBlockWords, to = size_t(size) * kBlockWords;
        const Word *rows = cover + size_t(first_block) * kBlockWords + from;
        Word any = 0;
        for (int word = 0; word < kBlockWords; ++word) any |= bits[to + word] = rows[word] & plane[from + word];
        blocks[size] = first_block + block;
        size += any != 0;
    }
    return size;
}

}  // namespace

void Terms::cut(const RowTable &table, const Word *cover, Side side) {
    size_t room = 1;
    for (const auto &plane : table.planes[side]) room += plane.size() / kBlockWords;
    if (blocks.size() < room) {
        blocks.resize(room);
        bits.resize(room * kBlockWords);
    }
    size = 0;
    runs.clear();
    const int first_block = side == kPositive ? table.negative_blocks : 0;
    for (size_t shift = 0; shift < table.planes[side].size(); ++shift) {
        const int begin = size;
        size = cut_plane(cover, table.planes[side][shift], first_block, size, blocks.data(), bits.data());
        if (size > begin) runs.push_back({int(shift), begin, size});
    }
}

int64_t Terms::total() const {
    int64_t sum = 0;
    for (const auto &run : runs) {
        const size_t words = size_t(run.end - run.begin) * kBlockWords;
        sum += int64_t(count_rows(&bits[size_t(run.begin) * kBlockWords], words)) << run.shift;
    }
    return sum;
}

void column_sums(const RowTable &table, const Terms &terms, const int *columns, int count, int64_t *out) {
    const Word *pointers[8];
    int64_t last[8];
    for (int first = 0; first < count; first += 8) {
        for (int lane = 0; lane < 8; ++lane) pointers[lane] = table.column(columns[std::min(first + lane, count - 1)]);
        const bool whole = first + 8 <= count;
        eight_columns(pointers, terms, whole ? out + first : last);
        if (!whole) std::copy(last, last + (count - first), out + first);
    }
}

ODP_POPCOUNT size_t count_rows(const Word *cover, size_t words) {
    size_t count = 0;
    for (size_t word = 0; word < words; ++word) count += __builtin_popcountll(cover[word]);
    return count;
}

ODP_SIMD void intersect(Word *out, const Word *left, const Word *right, size_t words) {
    for (size_t word = 0; word < words; ++word) out[word] = left[word] & right[word];
}

ODP_SIMD bool intersect_into(Word *cover, const Word *column, size_t words) {
    Word any = 0;
    for (size_t word = 0; word < words; ++word) any |= cover[word] &= column[word];
    return any != 0;
}

void residual_sums(const RowTable &table, const Word *cover, const int *columns, int count, int64_t *out) {
    std::fill_n(out, count, 0);
    for (int block = table.negative_blocks; block < table.blocks; ++block)
        residual_block(table, cover, block, columns, count, out);
}

}  // namespace oracledp
