// One sort, then every decision is a pass over cells that stay in order.
#include "rows/cell_list.hpp"

#include <algorithm>

#include "rows/extract_bits.hpp"
#ifdef ODP_WIDE
#include <immintrin.h>
#ifndef __clang__  // gcc 12 warns of its own header, where what is not set is not used
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace oracledp {
namespace {

using Part = CellList::Part;

// Which bits of a key matter, and what each eight of them say about the number of a cell.
struct NumberMap {
    std::vector<Word> masks;
    std::vector<int> offsets;
    int bytes = 0;
    Word numbers[(CellList::kMostColumns + 7) / 8][256];

    NumberMap(const RowTable &table, const int *columns, int count)
        : masks(table.key_words, 0), offsets(table.key_words, 0) {
        for (int i = 0; i < count; ++i) {
            const int place = table.sources[columns[i]].place;
            masks[place >> 6] |= Word{1} << (place & 63);
        }
        int kept = 0;
        for (int part = 0; part < table.key_words; ++part) {
            offsets[part] = kept;
            kept += __builtin_popcountll(masks[part]);
        }
        Word without = 0, flips[CellList::kMostColumns + 8] = {};  // of a row without any bit; what each bit changes
        for (int i = 0; i < count; ++i) {
            const KeyBit source = table.sources[columns[i]];
            const Word before = masks[source.place >> 6] & ((Word{1} << (source.place & 63)) - 1);
            const Word place = Word{1} << (count - 1 - i);
            flips[offsets[source.place >> 6] + __builtin_popcountll(before)] |= place;
            if (source.negated) without |= place;
        }
        for (; 8 * bytes < kept; ++bytes) tabulate(numbers[bytes], flips + 8 * bytes, bytes ? 0 : without);
    }
    static void tabulate(Word *table, const Word *flips, Word start) {
        table[0] = start;
        for (int bit = 0; bit < 8; ++bit)
            for (size_t i = 0; i < size_t{1} << bit; ++i) table[(size_t{1} << bit) + i] = table[i] ^ flips[bit];
    }
};

// Every row of the cover as a cell of its own, in no order; returns how many there are.
template <class Extract>
ODP_INLINE size_t number_rows(const RowTable &table, const Word *cover, const NumberMap &map, int count, int64_t *out) {
    const size_t words = table.words();
    size_t found = 0;
    for (size_t word = 0; word < words; ++word)
        for (Word rest = cover[word]; rest; rest &= rest - 1) {
            const size_t row = 64 * word + __builtin_ctzll(rest);
            Word bits = 0, number = 0;
            for (int part = 0; part < table.key_words; ++part)
                if (map.masks[part])
                    bits |= Extract::run(table.keys[row * table.key_words + part], map.masks[part])
                        << map.offsets[part];
            for (int byte = 0; byte < map.bytes; ++byte, bits >>= 8) number ^= map.numbers[byte][bits & 255];
            out[found++] = int64_t(Word(table.weights[row]) << count | number);
        }
    return found;
}
#ifdef ODP_PEXT
__attribute__((target("bmi,bmi2"))) size_t number_fast(const RowTable &table, const Word *cover, const NumberMap &map,
                                                       int count, int64_t *out) {
    return number_rows<FastExtract>(table, cover, map, count, out);
}
#else
const auto number_fast = number_rows<PortableExtract>;
#endif

// Adds up cells that agree on the bits of `same`, all of which stand side by side. Without a branch on whether two
// agree, which no predictor can guess.
Part merge_runs(const int64_t *cells, size_t size, int64_t same, int64_t weights, int64_t *out) {
    size_t count = 0;
    int64_t negative = 0, sum = 0, last = 0;
    for (size_t i = 0; i < size; ++i) {
        const int64_t cell = cells[i], agrees = -int64_t(!((cell ^ last) & same));
        const int64_t done = sum & weights & ~agrees;  // the weight of a run that ends here
        count += done != 0;
        negative -= done & done >> 63;
        sum = cell + (sum & weights & agrees);
        out[count] = sum;
        last = cell;
    }
    return {count + ((sum & weights) != 0), negative - (sum & weights & sum >> 63)};
}

Part take_portable(const int64_t *cells, size_t size, int64_t bit, int64_t weights, int64_t *out) {
    size_t count = 0;
    int64_t negative = 0;
    for (size_t i = 0; i < size; ++i) {
        const int64_t cell = cells[i], having = -int64_t((cell & bit) != 0);
        out[count] = cell;
        count -= size_t(having);
        negative -= cell & weights & having & cell >> 63;
    }
    return {count, negative};
}

#ifdef ODP_WIDE
ODP_WIDE Part take_wide(const int64_t *cells, size_t size, int64_t bit, int64_t weights, int64_t *out) {
    const __m512i bits = _mm512_set1_epi64(bit), heights = _mm512_set1_epi64(weights);
    __m512i negative = _mm512_setzero_si512();
    size_t count = 0;
    for (size_t i = 0; i < size; i += 8) {
        const __mmask8 there = size - i >= 8 ? 0xFF : __mmask8((1u << (size - i)) - 1);
        const __m512i cell = _mm512_loadu_si512(cells + i);
        const __mmask8 having = _mm512_mask_test_epi64_mask(there, cell, bits);
        _mm512_storeu_si512(out + count, _mm512_maskz_compress_epi64(having, cell));
        count += size_t(__builtin_popcount(having));
        negative = _mm512_mask_sub_epi64(negative, having & _mm512_movepi64_mask(cell), negative,
                                         _mm512_and_si512(cell, heights));
    }
    return {count, _mm512_reduce_add_epi64(negative)};
}

// For cells of which at most two agree on the bits of `same`.
ODP_WIDE Part merge_pairs(const int64_t *cells, size_t size, int64_t same, int64_t weights, int64_t *out) {
    const __m512i numbers = _mm512_set1_epi64(same), heights = _mm512_set1_epi64(weights);
    __m512i negative = _mm512_setzero_si512();
    size_t count = 0;
    unsigned carried = 0;  // the first cell of these eight has been added to the one before
    for (size_t i = 0; i < size; i += 8) {
        const size_t rest = size - i;
        const __mmask8 there = rest >= 8 ? 0xFF : __mmask8((1u << rest) - 1);
        const __mmask8 followed = rest >= 9 ? 0xFF : __mmask8((1u << (rest - 1)) - 1);
        const __m512i cell = _mm512_loadu_si512(cells + i), next = _mm512_loadu_si512(cells + i + 1);
        const unsigned first = _mm512_mask_testn_epi64_mask(followed, _mm512_xor_si512(cell, next), numbers);
        const __m512i sum = _mm512_mask_add_epi64(cell, __mmask8(first), cell, _mm512_and_si512(next, heights));
        const __mmask8 alone = __mmask8(there & ~(first << 1 | carried));
        const __mmask8 kept = _mm512_mask_test_epi64_mask(alone, sum, heights);
        carried = first >> 7;
        _mm512_storeu_si512(out + count, _mm512_maskz_compress_epi64(kept, sum));
        count += size_t(__builtin_popcount(kept));
        negative =
            _mm512_mask_sub_epi64(negative, kept & _mm512_movepi64_mask(sum), negative, _mm512_and_si512(sum, heights));
    }
    return {count, _mm512_reduce_add_epi64(negative)};
}
#endif

using Pass = Part (*)(const int64_t *, size_t, int64_t, int64_t, int64_t *);
#ifdef ODP_WIDE
const Pass take_cells = has_wide_vectors() ? take_wide : take_portable;
const Pass merge_cells = has_wide_vectors() ? merge_pairs : merge_runs;
#else
const Pass take_cells = take_portable;
const Pass merge_cells = merge_runs;
#endif

}  // namespace

// By their numbers, a few bits at a time from the lowest on.
void CellList::sort(size_t size) {
    const int passes = (columns_ + 10) / 11, width = (columns_ + passes - 1) / passes;
    const int64_t last = (int64_t{1} << width) - 1;
    sorted_.resize(rows_.size());
    for (int shift = 0; shift < columns_; shift += width) {
        const int64_t digit = last & numbers() >> shift;
        uint32_t starts[(1 << 11) + 1] = {};
        for (size_t i = 0; i < size; ++i) ++starts[(rows_[i] >> shift & digit) + 1];
        for (int64_t value = 0; value < digit; ++value) starts[value + 1] += starts[value];
        for (size_t i = 0; i < size; ++i) sorted_[starts[rows_[i] >> shift & digit]++] = rows_[i];
        rows_.swap(sorted_);
    }
}

CellList::Part CellList::fill(const RowTable &table, const Word *cover, const int *columns, int count) {
    static const bool fast = has_fast_extract();
    columns_ = count;
    const NumberMap map(table, columns, count);
    rows_.resize(64 * table.words());
    const size_t rows = fast ? number_fast(table, cover, map, count, rows_.data())
                             : number_rows<PortableExtract>(table, cover, map, count, rows_.data());
    sort(rows);
    const size_t room = (rows + kSlack) * (size_t(count) + 2);  // for what each decision leaves of them
    if (cells_.size() < room) cells_.resize(room);
    const Part found = merge_runs(rows_.data(), rows, numbers(), ~numbers(), cells_.data());
    return {found.size, weight(found.negative)};
}

CellList::Part CellList::take(const int64_t *cells, size_t size, int place, int64_t *out) const {
    const Part found = take_cells(cells, size, int64_t{1} << place, ~numbers(), out);
    return {found.size, weight(found.negative)};
}

CellList::Part CellList::leave(const int64_t *cells, size_t size, int place, int64_t *out) const {
    const Part found = merge_cells(cells, size, numbers() >> place >> 1 << place << 1, ~numbers(), out);
    return {found.size, weight(found.negative)};
}

}  // namespace oracledp
