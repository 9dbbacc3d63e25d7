// Distinct weighted rows, column by column: what the searches add up.
#pragma once
#include <vector>

#include "integers.hpp"
#include "rows/bit_rows.hpp"

namespace oracledp {

// Rows come in blocks of 512, one vector register of the widest kind.
constexpr int kBlockWords = 8;
constexpr int kBlockRows = 64 * kBlockWords;

enum Side { kNegative = 0, kPositive = 1 };

// Where a column is found in the keys of the rows: equal and opposite columns share a bit.
struct KeyBit {
    int place = 0;
    bool negated = false;
};

// Rows of negative weight come first, then rows of positive weight, each side padded to whole blocks and
// sorted by the bit length of the weight. Bit b of the absolute weights is a plane: a set of rows that is
// empty past a prefix of its side. A weighted sum over a set of rows is a few population counts.
struct RowTable {
    int blocks = 0;           // of both sides
    int negative_blocks = 0;  // of the first side
    int key_words = 0;
    int rows = 0;
    std::vector<int> literals;    // the literal that each column stands for
    std::vector<Word> bits;       // column after column, `blocks * kBlockWords` words each
    std::vector<Word> valid;      // the rows that are not padding
    std::vector<KeyBit> sources;  // of each column
    std::vector<Word> keys;       // row after row
    std::vector<int64_t> weights;
    std::vector<std::vector<Word>> planes[2];

    int columns() const { return int(literals.size()); }
    size_t words() const { return size_t(blocks) * kBlockWords; }
    const Word *column(int index) const { return bits.data() + words() * index; }
};

// Rows as keys of `key_words` words and weights; rows of weight zero are left out.
struct KeyedRows {
    int key_words = 1;
    std::vector<Word> keys;
    std::vector<int64_t> weights;
};

// Rows of bits as keys, column j being order[j], with weights in multiples of their greatest common divisor.
struct PackedRows {
    KeyedRows rows;
    std::vector<KeyBit> sources;
    int64_t unit;
};
PackedRows pack_rows(const BitRows &given, const int64_t *weights, const std::vector<int> &order);

// Fills the table; the rows must have distinct keys (equal keys are correct, only wasteful).
void build_table(RowTable &table, const std::vector<int> &literals, const std::vector<KeyBit> &sources,
                 const KeyedRows &rows);

}  // namespace oracledp
