#include "decision_trees/tree_search.hpp"

#include <algorithm>

#include "simd.hpp"
#include "trees/broken_tree.hpp"

namespace oracledp {
namespace {

ODP_SIMD void lower_by_error(Value *cells, const int64_t *total, const int64_t *right, Value cost, size_t length) {
    for (size_t i = 0; i < length; ++i) cells[i] = std::min(cells[i], total[i] - right[i] + cost);
}

ODP_SIMD void lesser(Value *cells, const int64_t *one, const int64_t *other, size_t length) {
    for (size_t i = 0; i < length; ++i) cells[i] = std::min(one[i], other[i]);
}

ODP_SIMD void lower_by_split(Value *cells, const Value *yes, const Value *no, Value cost, size_t length) {
    for (size_t i = 0; i < length; ++i) cells[i] = std::min(cells[i], yes[i] + no[i] + cost);
}

ODP_SIMD Value least_split(const Value *yes, const Value *no, size_t length) {
    Value least = kInfinite;
    for (size_t i = 0; i < length; ++i) least = std::min(least, yes[i] + no[i]);
    return least;
}

class ErrorAlgebra {
  public:
    using Cell = Value;
    ErrorAlgebra(const std::vector<int> &groups, const TreeCosts &costs, int counted, int literals)
        : groups_(groups), costs_(costs), counted_(size_t(counted)), literals_(size_t(literals)) {}

    static Cell nothing() { return kInfinite; }
    static Cell together(const Cell &one, const Cell &other) { return std::min(one, other); }
    int positions(int level) const { return costs_.labels.empty() ? 1 : 1 << level; }
    int labels() const { return int(groups_.size()); }
    Value label_cost(int level, int position, int label) const {
        return costs_.labels.empty() ? 0
                                     : costs_.labels[size_t(level)][size_t(position) * groups_.size() + size_t(label)];
    }
    Value test_cost(int level, int position, int test) const {
        return costs_.tests.empty() ? 0 : costs_.tests[size_t(level)][size_t(position) * literals_ + size_t(test)];
    }

    Value with_label(int level, int position, int label, const int64_t *counts, size_t stride) const {
        int64_t total = 0;
        for (size_t group = 0; group < counted_; ++group) total += counts[group * stride];
        return total - counts[size_t(groups_[size_t(label)]) * stride] + label_cost(level, position, label);
    }
    Cell leaf(int level, int position, const int64_t *counts, size_t stride) const {
        Value least = kInfinite;
        for (int label = 0; label < labels(); ++label)
            least = std::min(least, with_label(level, position, label, counts, stride));
        return least;
    }
    void leaves(int level, int position, const int64_t *counts, size_t stride, size_t length, Cell *cells) const {
        if (costs_.labels.empty() && groups_.size() == 2 && counted_ == 2 && groups_[0] != groups_[1])
            return lesser(cells, counts, counts + stride,
                          length);  // what is right about one label is wrong for the other
        thread_local std::vector<int64_t> total;
        total.assign(length, 0);
        for (size_t group = 0; group < counted_; ++group)
            for (size_t i = 0; i < length; ++i) total[i] += counts[group * stride + i];
        std::fill_n(cells, length, kInfinite);
        for (int label = 0; label < labels(); ++label)
            lower_by_error(cells, total.data(), counts + size_t(groups_[size_t(label)]) * stride,
                           label_cost(level, position, label), length);
    }
    Cell settled(const Cell &leaf, const Cell &splits, int) const { return std::min(leaf, splits); }
    void gather(Cell &node, const Cell *yes, const Cell *no, size_t length, const uint8_t *decided, int level,
                int position, int first) const {
        if (!decided && costs_.tests.empty()) {
            node = std::min(node, least_split(yes, no, length));
            return;
        }
        for (size_t i = 0; i < length; ++i)
            if (!decided || !decided[i])
                node = std::min(node, yes[i] + no[i] + test_cost(level, position, first + int(i)));
    }
    void spread(Cell *nodes, const Cell *yes, const Cell *no, size_t length, const uint8_t *decided, int level,
                int position, int test) const {
        const Value cost = test_cost(level, position, test);
        if (!decided) return lower_by_split(nodes, yes, no, cost, length);
        for (size_t i = 0; i < length; ++i)
            if (!decided[i]) nodes[i] = std::min(nodes[i], yes[i] + no[i] + cost);
    }

  private:
    const std::vector<int> &groups_;
    const TreeCosts &costs_;
    size_t counted_, literals_;
};

// Down from the root: at each node the first option whose value is the node's.
class Reader {
  public:
    Reader(const TreeLevels<ErrorAlgebra> &levels, const LabelledRows &rows)
        : levels_(levels), algebra_(levels.algebra()), rows_(rows),
          options_((size_t{2} << levels.depth()) - 1, int32_t{-1}) {}

    std::vector<int32_t> read() {
        int none[1] = {};
        node(none, 0, 0, 0, 0, levels_.at(none, 0, 0, 0), rows_.all());
        return std::move(options_);
    }

  private:
    const TreeLevels<ErrorAlgebra> &levels_;
    const ErrorAlgebra &algebra_;
    const LabelledRows &rows_;
    std::vector<int32_t> options_;

    void node(const int *set, int size, unsigned pattern, int position, size_t place, Value value,
              const std::vector<Word> &mask) {
        std::vector<int64_t> counts(size_t(rows_.labels()));
        rows_.count(mask.data(), counts.data());
        for (int label = 0; label < algebra_.labels(); ++label)
            if (algebra_.with_label(size, position, label, counts.data(), 1) == value) {
                options_[place] = label;
                return;
            }
        require(size < levels_.depth());
        split(set, size, pattern, position, place, value, mask, counts);
    }

    void split(const int *set, int size, unsigned pattern, int position, size_t place, Value value,
               const std::vector<Word> &mask, const std::vector<int64_t> &counts) {
        const int literals = rows_.literals();
        std::vector<int64_t> held(size_t(rows_.labels()) * size_t(literals));
        rows_.count(mask.data(), 0, literals, held.data(), size_t(literals));
        const bool apart = algebra_.positions(1) > 1;
        const int yes = apart ? 2 * position : 0, no = apart ? 2 * position + 1 : 0;
        for (int test = 0; test < literals; ++test) {
            if (levels_.decided().closed(set, size, pattern, test)) continue;
            const GrownPath grown(set, size, pattern, test);
            const Value first = child(grown.set, size + 1, grown.with, yes, counts, held, test, true);
            const Value second = child(grown.set, size + 1, grown.without, no, counts, held, test, false);
            if (first + second + algebra_.test_cost(size, position, test) != value) continue;
            options_[place] = algebra_.labels() + test;
            std::vector<Word> kept = mask;
            rows_.restrict(kept.data(), test, true);
            node(grown.set, size + 1, grown.with, yes, place + 1, first, kept);
            kept = mask;
            rows_.restrict(kept.data(), test, false);
            node(grown.set, size + 1, grown.without, no, place + (size_t{1} << (levels_.depth() - size)), second, kept);
            return;
        }
        require(false);
    }

    Value child(const int *set, int size, unsigned pattern, int position, const std::vector<int64_t> &counts,
                const std::vector<int64_t> &held, int test, bool holds) const {
        if (size < levels_.depth()) return levels_.at(set, size, pattern, position);
        return algebra_.leaf(size, position, rows_.child(counts.data(), held.data(), test, holds).data(), 1);
    }
};

}  // namespace

FoundTree best_tree(const LabelledRows &rows, int depth, const Decided &decided, const std::vector<int> &groups,
                    const TreeCosts &costs) {
    const ErrorAlgebra algebra(groups, costs, rows.labels(), rows.literals());
    const TreeLevels<ErrorAlgebra> levels(rows, depth, decided, algebra);
    return {levels.at(nullptr, 0, 0, 0), Reader(levels, rows).read()};
}

}  // namespace oracledp
