// The value of every node that a tree of bounded depth can have, from the deepest up (proofs/private-trees.md).
//
// A node is the set of literals tested above it with their outcomes, whatever the order; its value is worked out from
// its label counts and from its two children for every test. The algebra says how: a sum of products of weights, or the
// least sum of errors and costs.
#pragma once
#include <algorithm>
#include <vector>

#include "decision_trees/decided.hpp"
#include "decision_trees/label_counts.hpp"
#include "threads.hpp"

namespace oracledp {

template <class Algebra> class TreeLevels {
  public:
    using Cell = typename Algebra::Cell;

    TreeLevels(const LabelledRows &rows, int depth, const Decided &decided, const Algebra &algebra)
        : counts_(rows, depth - 1), depth_(depth), decided_(decided), algebra_(algebra), levels_(size_t(depth)) {
        for (int level = 0; level < depth; ++level)
            levels_[level].assign((size_t(algebra.positions(level)) * sets().total(level)) << level, algebra.nothing());
        for (int level = depth; level > 0; --level) pass(level);
        std::vector<int64_t> total(size_t(rows.labels()));
        for (int label = 0; label < rows.labels(); ++label) total[size_t(label)] = counts_.at(label, nullptr, 0);
        settle(0, 0, nullptr, 0, 0, total.data(), 1, 1, &levels_[0][0]);
    }

    int depth() const { return depth_; }
    const LabelCounts &counts() const { return counts_; }
    const LiteralSets &sets() const { return counts_.sets(); }
    const Decided &decided() const { return decided_; }
    const Algebra &algebra() const { return algebra_; }

    // The value of a node above the last level.
    const Cell &at(const int *set, int size, unsigned pattern, int position) const {
        return levels_[size][address(set, size, pattern, position)];
    }

  private:
    static constexpr size_t kWorthHalving = size_t{1} << 16;  // nodes: milliseconds
    LabelCounts counts_;
    int depth_;
    const Decided &decided_;
    const Algebra &algebra_;
    std::vector<std::vector<Cell>> levels_;  // [position][set but for its last literal][pattern][last literal]

    int literals() const { return sets().literals(); }

    // From the nodes of one level to what their parents make of them: every second prefix apart, so that two threads
    // can work, and small levels in one piece.
    void pass(int level) {
        const bool halved = sets().total(level) << level >= kWorthHalving;
        std::vector<Cell> other;
        if (halved) other.assign(levels_[level - 1].size(), algebra_.nothing());
        each_share(halved ? 2 : 1, [&](size_t share) {
            PrefixMasks masks(counts_.rows(), depth_);
            Scratch scratch;
            Cell *parents = share ? other.data() : levels_[level - 1].data();
            size_t number = 0;
            sets().each(level - 1, [&](const int *prefix, int last) {
                if (halved && number++ % 2 != share) return;
                if (last + 1 < literals()) Block(*this, parents, masks, scratch, prefix, level, last).work();
            });
        });
        for (size_t i = 0; i < other.size(); ++i)
            levels_[level - 1][i] = algebra_.together(levels_[level - 1][i], other[i]);
    }

    // Where the nodes prefix + l of one pattern begin, l above the prefix.
    size_t row(const int *prefix, int size, int last, unsigned pattern, int position) const {
        const size_t length = size_t(literals() - last - 1);
        return ((size_t(position) * sets().total(size) + sets().first(prefix, size - 1)) << size) + pattern * length;
    }

    size_t address(const int *set, int size, unsigned pattern, int position) const {
        if (size == 0) return size_t(position);
        const int last = size > 1 ? set[size - 2] : -1;
        return row(set, size, last, pattern, position) + size_t(set[size - 1] - last - 1);
    }

    // Nodes side by side: from what their tests came to, to their values.
    void settle(int level, int position, const int *set, unsigned pattern, int first, const int64_t *counts,
                size_t stride, size_t length, Cell *cells) const {
        int tested[kMostTests];
        for (int i = 0; i + 1 < level; ++i) tested[i] = set[i];
        for (size_t i = 0; i < length; ++i) {
            if (level) tested[level - 1] = first + int(i);
            const int open = decided_.open(tested, level, pattern);
            cells[i] = algebra_.settled(algebra_.leaf(level, position, counts + i, stride), cells[i], open);
        }
    }

    // What blocks fill anew, one after the other.
    struct Scratch {
        std::vector<int64_t> counts;  // [label][pattern][last literal]
        std::vector<Cell> bottom;     // [position][pattern][last literal]
        std::vector<uint8_t> decided;
    };

    // All nodes whose greatest literals follow one prefix.
    class Block {
      public:
        Block(TreeLevels &tree, Cell *parents, PrefixMasks &masks, Scratch &scratch, const int *prefix, int level,
              int last)
            : tree_(tree), parents_(parents), counts_(scratch.counts), bottom_(scratch.bottom),
              decided_(scratch.decided), prefix_(prefix), level_(level), last_(last),
              length_(size_t(tree.literals() - last - 1)), patterns_(1u << level), stride_(patterns_ * length_) {
            if (counts_.size() < size_t(labels()) * stride_) counts_.resize(size_t(labels()) * stride_);
            if (decided_.size() < length_) decided_.resize(length_);
            for (int label = 0; label < labels(); ++label) subset_rows(label);
            if (level == tree.depth_) longest_row(masks);
            for (int label = 0; label < labels(); ++label) to_cells(label);
            const size_t bottom = level == tree.depth_ ? size_t(tree.algebra_.positions(level)) * stride_ : 0;
            if (bottom_.size() < bottom) bottom_.resize(bottom);
        }

        void work() {
            const Algebra &algebra = tree_.algebra_;
            for (int position = 0; position < algebra.positions(level_); ++position)
                for (unsigned pattern = 0; pattern < patterns_; ++pattern) {
                    const int64_t *counts = counts_.data() + pattern * length_;
                    if (level_ == tree_.depth_)
                        algebra.leaves(level_, position, counts, stride_, length_, values(pattern, position));
                    else
                        tree_.settle(level_, position, prefix_, pattern, last_ + 1, counts, stride_, length_,
                                     values(pattern, position));
                }
            for (int position = 0; position < algebra.positions(level_ - 1); ++position) {
                tested_last(position);
                for (int tested = 0; tested < level_ - 1; ++tested) tested_before(tested, position);
            }
        }

      private:
        TreeLevels &tree_;
        Cell *parents_;  // of the level above
        std::vector<int64_t> &counts_;
        std::vector<Cell> &bottom_;
        std::vector<uint8_t> &decided_;
        const int *prefix_;
        int level_, last_;
        size_t length_;
        unsigned patterns_;
        size_t stride_;

        int labels() const { return tree_.counts_.rows().labels(); }
        unsigned half() const { return patterns_ / 2; }
        int64_t *cell(int label, unsigned pattern) {
            return counts_.data() + size_t(label) * stride_ + pattern * length_;
        }

        Cell *values(unsigned pattern, int position) {
            if (level_ == tree_.depth_) return bottom_.data() + size_t(position) * stride_ + pattern * length_;
            return tree_.levels_[level_].data() + tree_.row(prefix_, level_, last_, pattern, position);
        }

        // Counts of the sets (subset of the prefix) + l; those of the whole prefix + l are not stored on the last
        // level.
        void subset_rows(int label) {
            const unsigned whole = half() - 1;
            for (unsigned chosen = 0; chosen < half(); ++chosen) {
                if (chosen == whole && level_ == tree_.depth_) continue;
                int subset[kMostTests], size = 0;
                for (int i = 0; i < level_ - 1; ++i)
                    if (chosen >> i & 1) subset[size++] = prefix_[i];
                const int64_t *row = tree_.counts_.row(label, subset, size) + (last_ - (size ? subset[size - 1] : -1));
                std::copy_n(row, length_, cell(label, chosen | half()));
            }
        }

        void longest_row(PrefixMasks &masks) {
            const Word *mask = masks.of(prefix_, level_ - 1);
            tree_.counts_.rows().count(mask, last_ + 1, tree_.literals(), cell(0, patterns_ - 1), stride_);
        }

        // Inclusion and exclusion: from "at least these hold" to "exactly these hold".
        void to_cells(int label) {
            for (unsigned bit = 1; bit < half(); bit *= 2)
                for (unsigned chosen = half(); chosen < patterns_; ++chosen)
                    if (!(chosen & bit)) subtract(cell(label, chosen), cell(label, chosen | bit));
            int64_t whole[1 << kMostTests];
            tree_.counts_.cells(label, prefix_, level_ - 1, whole);
            for (unsigned chosen = 0; chosen < half(); ++chosen) {
                std::fill_n(cell(label, chosen), length_, whole[chosen]);
                subtract(cell(label, chosen), cell(label, chosen | half()));
            }
        }

        void subtract(int64_t *from, const int64_t *what) const {
            for (size_t i = 0; i < length_; ++i) from[i] -= what[i];
        }

        // The node is the prefix, and the last literal is tested there.
        void tested_last(int position) {
            for (unsigned pattern = 0; pattern < half(); ++pattern) {
                const uint8_t *closed = nullptr;
                for (int i = 0; i < level_ - 1; ++i)
                    if (const uint8_t *row = tree_.decided_.by(prefix_[i], pattern >> i & 1)) {
                        if (!closed) std::fill_n(decided_.begin(), length_, uint8_t{0});
                        for (size_t l = 0; l < length_; ++l) decided_[l] |= row[size_t(last_ + 1) + l];
                        closed = decided_.data();
                    }
                Cell &node = parents_[tree_.address(prefix_, level_ - 1, pattern, position)];
                tree_.algebra_.gather(node, values(pattern | half(), yes(position)), values(pattern, no(position)),
                                      length_, closed, level_ - 1, position, last_ + 1);
            }
        }

        // The nodes are the prefix without one literal, which is tested there, and the last literal.
        void tested_before(int tested, int position) {
            int others[kMostTests];
            for (int i = 0, size = 0; i < level_ - 1; ++i)
                if (i != tested) others[size++] = prefix_[i];
            const int last = level_ > 2 ? others[level_ - 3] : -1;
            const unsigned bit = 1u << tested;
            for (unsigned pattern = 0; pattern < patterns_; ++pattern) {
                if (pattern & bit || settled_before(tested, pattern)) continue;
                const unsigned short_pattern = (pattern & (bit - 1)) | (pattern >> (tested + 1) << tested);
                const uint8_t *closed = tree_.decided_.of(prefix_[tested], pattern >> (level_ - 1) & 1);
                Cell *nodes =
                    parents_ + tree_.row(others, level_ - 1, last, short_pattern, position) + size_t(last_ - last);
                tree_.algebra_.spread(nodes, values(pattern | bit, yes(position)), values(pattern, no(position)),
                                      length_, closed ? closed + last_ + 1 : nullptr, level_ - 1, position,
                                      prefix_[tested]);
            }
        }

        bool settled_before(int tested, unsigned pattern) const {
            for (int i = 0; i < level_ - 1; ++i)
                if (i != tested && tree_.decided_.decides(prefix_[i], pattern >> i & 1, prefix_[tested])) return true;
            return false;
        }

        int yes(int position) const { return tree_.algebra_.positions(level_) > 1 ? 2 * position : 0; }
        int no(int position) const { return tree_.algebra_.positions(level_) > 1 ? 2 * position + 1 : 0; }
    };
};

}  // namespace oracledp
