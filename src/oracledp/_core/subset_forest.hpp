// Frontiers of subset trees: what the exponential mechanism is sampled from without enumeration (Theorem 4).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cover_sums.hpp"

namespace oracledp {

using Wide = unsigned __int128;

// One branch of a class of conjunctions. Its tree adds columns in increasing order; columns that cover the least negative
// weight come first, so that the largest subtrees have the weakest claims.
struct Branch {
    RowTable table;
    std::int64_t unit = 1; // the table's weights are in multiples of this
    std::int64_t constant = 0;
    int width = 0;
    std::vector<std::vector<std::uint64_t>> counts; // counts[free][width]: subsets of `free` columns of at most `width`
};

struct TreeNode {
    std::size_t first = 0;   // where its columns are kept
    std::int16_t length = 0; // how many
    std::int32_t branch = 0;
    bool leaf = false;
    std::int64_t bound = 0;   // a lower bound on every leaf below; the value itself at a leaf
    std::uint64_t leaves = 1; // how many
    std::uint64_t height = 0; // an upper bound on 2^63 e^{-rate (bound - origin)}, never above the parent's
    Wide weight() const { return Wide{leaves} * height; }
};

class SubsetForest {
  public:
    void add(Branch branch);
    // Expands the heaviest inner nodes until expanding more costs more than rejections would; then fixes the origin.
    void prepare(const std::vector<std::uint64_t> &powers, double rate);

    Wide total() const { return total_; }
    std::size_t size() const { return frontier_.size(); }
    std::uint64_t work() const { return expanded_; }
    std::int64_t origin() const { return origin_; }
    const TreeNode &at(std::size_t index) const { return frontier_.at(index); }
    std::vector<int> literals_of(const TreeNode &node) const; // in increasing order

    // The node that a number below total() falls on.
    std::size_t pick(Wide number) const;
    // Replaces a node by its children; the child that a number below its weight falls on, or -1 to reject.
    std::int64_t descend(std::size_t index, Wide number);

  private:
    std::size_t expand(std::size_t index);
    void bound_children(std::int64_t positive, int left);
    std::uint64_t height(std::int64_t bound) const;
    void weigh_all();
    void reweigh(std::size_t from);
    TreeNode child_of(const TreeNode &parent, int column, std::uint64_t leaves, std::int64_t bound);

    std::vector<Branch> branches_;
    std::vector<TreeNode> frontier_;
    std::vector<std::int16_t> columns_;  // of all nodes, one after the other
    std::vector<Wide> block_weights_;    // of consecutive nodes of the frontier
    Wide total_ = 0;
    std::vector<std::uint64_t> powers_;  // 2^63 e^{-rate 2^j}, rounded up
    std::int64_t origin_ = 0;
    std::uint64_t expanded_ = 0;
    bool ready_ = false;

    Terms terms_;
    std::vector<Word> cover_;
    std::vector<int> free_;
    std::vector<std::int64_t> sums_[2], bounds_, gains_;
};

} // namespace oracledp
