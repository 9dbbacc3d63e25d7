// How much weight of each label holds all literals of a set, for every small set: what all cells of trees follow from.
#pragma once
#include <vector>

#include "decision_trees/literal_sets.hpp"
#include "rows/bit_rows.hpp"

namespace oracledp {

// Weighted records by label as bit planes: a record is in plane b of its label where bit b of that weight is set.
class LabelledRows {
  public:
    // weights: one row per record, one column per label, none negative.
    LabelledRows(const BitRows &records, const int64_t *weights, int labels);

    int literals() const { return literals_; }
    int labels() const { return labels_; }
    size_t words() const { return words_; }
    const std::vector<Word> &all() const { return all_; }

    // The weight of each label among the rows of a mask (null: all) that hold literal l, for from <= l < to, at
    // counts[label · stride + l - from].
    void count(const Word *mask, int from, int to, int64_t *counts, size_t stride) const;
    // The weight of each label among the rows of a mask (null: all).
    void count(const Word *mask, int64_t *counts) const;
    // From the counts of a node, and of its rows that hold each literal, to those of its child by one test.
    std::vector<int64_t> child(const int64_t *counts, const int64_t *held, int test, bool holds) const {
        std::vector<int64_t> cell(size_t(labels_), 0);
        for (size_t label = 0; label < cell.size(); ++label) {
            const int64_t inside = held[label * size_t(literals_) + size_t(test)];
            cell[label] = holds ? inside : counts[label] - inside;
        }
        return cell;
    }
    // mask &= the rows that hold the literal, or those that do not.
    void restrict(Word *mask, int literal, bool held) const;
    // The rows that hold both: out = mask & literal.
    void both(const Word *mask, int literal, Word *out) const;

  private:
    struct Plane {
        int label, shift;
        size_t begin, end;  // words
    };
    int literals_, labels_;
    size_t words_ = 0;
    std::vector<Plane> planes_;
    std::vector<Word> columns_, all_;
};

// The counts of all sets of at most `most` literals.
class LabelCounts {
  public:
    LabelCounts(const LabelledRows &rows, int most);

    const LabelledRows &rows() const { return rows_; }
    const LiteralSets &sets() const { return sets_; }
    int most() const { return most_; }
    // Counts of the sets prefix + l, l above the prefix, one after the other.
    const int64_t *row(int label, const int *prefix, int size) const {
        return counts_[size + 1].data() + size_t(label) * sets_.total(size + 1) + sets_.first(prefix, size);
    }
    int64_t at(int label, const int *set, int size) const {
        return counts_[size][size_t(label) * sets_.total(size) + sets_.place(set, size)];
    }
    // For all patterns of the set's literals (bit i: literal i holds) the weight that shows it.
    void cells(int label, const int *set, int size, int64_t *cells) const;

  private:
    const LabelledRows &rows_;
    int most_;
    LiteralSets sets_;
    std::vector<std::vector<int64_t>> counts_;  // by size of set
};

// Masks of the prefixes of a set, kept while sets are gone through in order.
class PrefixMasks {
  public:
    PrefixMasks(const LabelledRows &rows, int most) : rows_(rows), masks_(size_t(most) * rows.words()) {}
    // The rows that hold all of these literals; null for none.
    const Word *of(const int *set, int size);

  private:
    const LabelledRows &rows_;
    std::vector<Word> masks_;
    int known_[kMostTests] = {};
    int depth_ = 0;
};

}  // namespace oracledp
