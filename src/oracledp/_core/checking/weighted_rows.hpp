// Rows of bits with weights, as the checker of proofs keeps them: sets of rows, their weights, rows merged.
#pragma once
#include <vector>

#include "integers.hpp"

namespace oracledp::checking {

constexpr size_t kBlockWords = 8;

// 512 rows, one bit each.
struct Block {
    Word words[kBlockWords];
};

// Rows of one block that count 2^shift each.
struct Slice {
    int shift;
    uint32_t block;
    Block rows;
};

// A set of rows with their absolute weights: a row of weight 5 is in a slice of shift 0 and in one of shift 2.
using Slices = std::vector<Slice>;

// The weight of a set, and of those of its rows that a column holds.
Value weight_of(const Slices &slices);
Value weight_within(const Slices &slices, const Block *column);

// The rows of a set that a column holds.
Slices within(const Slices &slices, const Block *column);

// Entry p is the weight of the rows that columns 0..p all hold.
std::vector<Value> weights_within_all(const Slices &slices, const std::vector<const Block *> &columns);

// A set of rows by the sign of their weights.
struct Cover {
    Slices negative, positive;

    Cover within(const Block *column) const {
        return {checking::within(negative, column), checking::within(positive, column)};
    }
};

// One row after the other: its literals, bit j of its words for literal j, and its weight.
struct RowList {
    explicit RowList(int literals) : literals(literals), row_words(size_t(literals + 63) / 64) {}

    int literals;
    size_t row_words;
    std::vector<Word> bits;
    std::vector<Value> weights;

    const Word *row(size_t index) const { return bits.data() + index * row_words; }
};

// Rows column by column. Which row stands where is nobody's business: sums do not depend on it.
class WeightedRows {
  public:
    explicit WeightedRows(const RowList &rows);

    const Cover &all() const { return all_; }
    const Block *column(int literal) const { return columns_.data() + blocks_ * size_t(literal); }

    // The rows of a cover as some literals see them: other literals are forgotten, equal rows are one, with the sum
    // of their weights.
    RowList merged(const Cover &cover, const std::vector<int> &literals) const;

  private:
    void place(const RowList &rows);
    void fill_columns();
    void fill_slices();

    size_t blocks_ = 0;
    RowList rows_;  // by their places; weight 0 where a place is empty
    std::vector<Block> columns_;
    Cover all_;
};

}  // namespace oracledp::checking
