// Upper bounds on the weight of all trees below every node: what the exponential mechanism over trees is drawn from.
#pragma once
#include <array>
#include <memory>

#include "decision_trees/number.hpp"
#include "decision_trees/tree_levels.hpp"

namespace oracledp {

// Upper bounds on e^{-rate x} for integers x >= 0, from those for x = 2^j: one factor for each twelve bits of x.
class Decays {
  public:
    explicit Decays(const std::vector<Number> &of_powers);
    Number operator()(int64_t x) const {
        Number found = table_[size_t(x) & (kDigit - 1)];
        for (size_t place = 1; x >>= kBits; ++place)
            if (const size_t digit = size_t(x) & (kDigit - 1)) found = product(found, table_[place * kDigit + digit]);
        return found;
    }

  private:
    static constexpr int kBits = 12;
    static constexpr size_t kDigit = size_t{1} << kBits;
    std::vector<Number> table_;
};

// What a node's leaf and its splits weigh, by the number of tests that are open there; rounded up.
struct TreePrior {
    Number leaf;
    std::vector<Number> split;  // of one of so many tests
};

class WeightAlgebra {
  public:
    using Cell = Number;
    WeightAlgebra(Decays decays, TreePrior prior, int labels)
        : decays_(std::move(decays)), prior_(std::move(prior)), labels_(labels) {}

    static Cell nothing() { return {}; }
    static Cell together(const Cell &one, const Cell &other) { return sum(one, other); }
    static int positions(int) { return 1; }
    Number weight(int64_t errors) const { return decays_(errors); }

    Cell leaf(int, int, const int64_t *counts, size_t stride) const {
        int64_t total = 0;
        for (int label = 0; label < labels_; ++label) total += counts[size_t(label) * stride];
        Number found;
        for (int label = 0; label < labels_; ++label)
            found = sum(found, decays_(total - counts[size_t(label) * stride]));
        return found;
    }
    void leaves(int level, int position, const int64_t *counts, size_t stride, size_t length, Cell *cells) const {
        for (size_t i = 0; i < length; ++i) cells[i] = leaf(level, position, counts + i, stride);
    }
    Cell settled(const Cell &leaf, const Cell &splits, int open) const {
        if (open == 0) return leaf;
        return sum(product(prior_.leaf, leaf), product(prior_.split[size_t(open)], splits));
    }
    void gather(Cell &node, const Cell *yes, const Cell *no, size_t length, const uint8_t *decided, int, int,
                int) const {
        for (size_t i = 0; i < length; ++i)
            if (!decided || !decided[i]) node = sum(node, product(yes[i], no[i]));
    }
    void spread(Cell *nodes, const Cell *yes, const Cell *no, size_t length, const uint8_t *decided, int, int,
                int) const {
        for (size_t i = 0; i < length; ++i)
            if (!decided || !decided[i]) nodes[i] = sum(nodes[i], product(yes[i], no[i]));
    }

  private:
    Decays decays_;
    TreePrior prior_;
    int labels_;
};

// A node to draw from: the errors and weights of its labels, the open tests with the weights of both children.
struct WeightedNode {
    std::vector<int64_t> errors;
    std::vector<Number> labels;
    std::vector<int32_t> tests;
    std::vector<std::array<Number, 2>> children;  // where the test holds, where it does not
    Number total;
};

using Path = std::vector<std::pair<int, bool>>;  // literals and whether they hold

class TreeWeights {
  public:
    TreeWeights(const LabelledRows &rows, int depth, Decided decided, WeightAlgebra algebra)
        : rows_(rows), decided_(std::move(decided)), algebra_(std::move(algebra)),
          levels_(rows_, depth, decided_, algebra_) {}
    TreeWeights(const TreeWeights &) = delete;

    WeightedNode node(Path path) const;

  private:
    LabelledRows rows_;
    Decided decided_;
    WeightAlgebra algebra_;
    TreeLevels<WeightAlgebra> levels_;

    void split(WeightedNode &found, const int *set, int size, unsigned pattern, const std::vector<int64_t> &counts,
               const std::vector<Word> &mask) const;
};

}  // namespace oracledp
