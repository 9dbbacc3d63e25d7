#include "rows/bit_rows.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "simd.hpp"

namespace oracledp {
namespace {

// Eight bytes that are zero or not, the first in memory as the highest bit. Bytes are loaded one by one, so that the
// order in which the machine stores them does not matter; compilers make one load of it.
ODP_INLINE uint8_t packed_byte(const uint8_t *bytes, int count) {
    unsigned bits = 0;
    for (int i = 0; i < count; ++i) bits |= unsigned(bytes[i] != 0) << (7 - i);
    return uint8_t(bits);
}

using Spread = std::array<std::array<uint8_t, 8>, 256>;

Spread make_spread() {
    Spread spread{};
    for (unsigned bits = 0; bits < 256; ++bits)
        for (unsigned i = 0; i < 8; ++i) spread[bits][i] = uint8_t(bits >> (7 - i) & 1);
    return spread;
}

}  // namespace

ODP_SIMD void pack_bytes(const uint8_t *bytes, size_t count, int columns, Word *words) {
    const size_t row_words = BitRows::words_for(columns);
    for (size_t i = 0; i < count; ++i, bytes += columns, words += row_words) {
        std::fill_n(words, row_words, Word{0});
        for (int j = 0; j < columns; j += 8)
            words[j >> 6] |= Word{packed_byte(bytes + j, std::min(8, columns - j))} << (56 - (j & 63));
    }
}

void unpack_bytes(const BitRows &rows, uint8_t *bytes) {
    static const Spread spread = make_spread();
    for (size_t i = 0; i < rows.count; ++i, bytes += rows.columns) {
        const Word *row = rows.row(i);
        int j = 0;
        for (; j + 8 <= rows.columns; j += 8)
            std::memcpy(bytes + j, spread[row[j >> 6] >> (56 - (j & 63)) & 255].data(), 8);
        if (j < rows.columns)
            std::memcpy(bytes + j, spread[row[j >> 6] >> (56 - (j & 63)) & 255].data(), size_t(rows.columns - j));
    }
}

// Six rounds that exchange ever smaller blocks.
ODP_SIMD void transpose(Word *matrix) {
    Lanes row[8];
    for (int i = 0; i < 8; ++i) row[i] = *reinterpret_cast<const Lanes *>(matrix + 8 * i);
    const Word masks[3] = {0x00000000FFFFFFFFull, 0x0000FFFF0000FFFFull, 0x00FF00FF00FF00FFull};
    for (int round = 0; round < 3; ++round) {
        const int apart = 4 >> round, bits = 32 >> round;
        for (int i = 0; i < 8; ++i) {
            if (i & apart) continue;
            const Lanes swap = ((row[i] >> bits) ^ row[i + apart]) & masks[round];
            row[i] ^= swap << bits;
            row[i + apart] ^= swap;
        }
    }
    const Word low[3] = {0x0F0F0F0F0F0F0F0Full, 0x3333333333333333ull, 0x5555555555555555ull};
    for (int round = 0; round < 3; ++round) {
        const int bits = 4 >> round;
        Lanes keep;
        for (int lane = 0; lane < 8; ++lane) keep[lane] = (lane & bits) ? ~low[round] : low[round];
        for (int i = 0; i < 8; ++i) {
            Lanes partner;
            exchange(row[i], bits, partner);
            const Lanes upper = (partner << bits) & ~keep, lower = (partner >> bits) & ~keep;
            Lanes first;
            for (int lane = 0; lane < 8; ++lane) first[lane] = (lane & bits) ? 0 : ~Word{0};
            row[i] = (row[i] & keep) | (upper & first) | (lower & ~first);
        }
    }
    for (int i = 0; i < 8; ++i) *reinterpret_cast<Lanes *>(matrix + 8 * i) = row[i];
}

std::vector<Word> column_words(const BitRows &rows) {
    const size_t length = (rows.count + 63) / 64, row_words = rows.row_words();
    std::vector<Word> columns(length * size_t(rows.columns));
    Word matrix[64];
    for (size_t block = 0; block < length; ++block) {
        const size_t held = std::min<size_t>(64, rows.count - 64 * block);
        for (size_t part = 0; part < row_words; ++part) {
            for (size_t i = 0; i < held; ++i) matrix[i] = rows.row(64 * block + i)[part];
            std::fill(matrix + held, matrix + 64, Word{0});
            transpose(matrix);
            const int first = int(64 * part), end = std::min(rows.columns, first + 64);
            for (int j = first; j < end; ++j) columns[length * size_t(j) + block] = matrix[63 - (j - first)];
        }
    }
    return columns;
}

template <class Code>
void pack_codes(const Code *codes, size_t count, size_t stride, const std::vector<CodeTable> &tables, size_t row_words,
                Word *out) {
    std::fill_n(out, count * row_words, Word{0});
    bool outside = false;
    for (size_t i = 0; i < count; ++i, codes += stride, out += row_words)
        for (const CodeTable &table : tables) {
            const size_t code = size_t(codes[table.column]);
            if (code >= table.codes) {
                outside = true;
                continue;
            }
            const Word *words = table.words + code * row_words;
            for (size_t part = 0; part < row_words; ++part) out[part] |= words[part];
        }
    if (outside) throw std::invalid_argument("a code is outside its column's size");
}

template void pack_codes(const uint8_t *, size_t, size_t, const std::vector<CodeTable> &, size_t, Word *);
template void pack_codes(const uint16_t *, size_t, size_t, const std::vector<CodeTable> &, size_t, Word *);
template void pack_codes(const uint32_t *, size_t, size_t, const std::vector<CodeTable> &, size_t, Word *);

}  // namespace oracledp
