// Rows of bits, as tables hand them over: packed once, merged and searched in the same words.
#pragma once
#include <cstddef>
#include <vector>

#include "integers.hpp"

namespace oracledp {

// Row after row, each in whole words. Column j is bit 63 - j % 64 of word j / 64, so that rows, compared word by word,
// stand in the order of their columns. What lies past the last column is zero.
struct BitRows {
    const Word *words = nullptr;
    size_t count = 0;
    int columns = 0;

    static size_t words_for(int columns) { return columns > 0 ? (size_t(columns) + 63) / 64 : 1; }
    size_t row_words() const { return words_for(columns); }
    const Word *row(size_t i) const { return words + i * row_words(); }
    bool at(size_t i, int j) const { return row(i)[j >> 6] >> (63 - (j & 63)) & 1; }

    // Calls found(j) for each column that a row has, in increasing order.
    template <class Found> void each_one(size_t i, Found found) const {
        for (size_t part = 0; part < row_words(); ++part)
            for (Word left = row(i)[part]; left;) {
                const int place = __builtin_clzll(left);
                left ^= Word{1} << (63 - place);
                found(int(64 * part) + place);
            }
    }
};

// Bit j of the result is bit 63 - j of the word: from the order of columns to that of masks.
inline Word reversed(Word word) {
    word = (word >> 1 & 0x5555555555555555ull) | (word & 0x5555555555555555ull) << 1;
    word = (word >> 2 & 0x3333333333333333ull) | (word & 0x3333333333333333ull) << 2;
    word = (word >> 4 & 0x0F0F0F0F0F0F0F0Full) | (word & 0x0F0F0F0F0F0F0F0Full) << 4;
    return __builtin_bswap64(word);
}

// Bytes that are zero or not, row after row.
void pack_bytes(const uint8_t *bytes, size_t count, int columns, Word *words);
void unpack_bytes(const BitRows &rows, uint8_t *bytes);

// The same bits column after column, 64 rows to a word, the first row in its lowest bit.
std::vector<Word> column_words(const BitRows &rows);

// Transposes a 64 × 64 matrix of bits in place.
void transpose(Word *matrix);

// What one column of codes says about a row: code c has the words at `words + c * row_words`.
struct CodeTable {
    const Word *words;
    size_t codes;
    size_t column;
};

// Each row of codes (`stride` of them) to the union of what its codes say. A code outside its table is refused.
template <class Code>
void pack_codes(const Code *codes, size_t count, size_t stride, const std::vector<CodeTable> &tables, size_t row_words,
                Word *out);

// Rows sorted by their words, equal ones in the order given; each run of equal rows begins at one of `starts`.
struct EqualRuns {
    std::vector<int64_t> order, starts;
};
EqualRuns equal_runs(const Word *words, size_t count, size_t row_words);

}  // namespace oracledp
