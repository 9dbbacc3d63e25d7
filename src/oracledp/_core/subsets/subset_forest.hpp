// Frontiers of subset trees: what the exponential mechanism is sampled from without enumeration (Theorem 4).
#pragma once
#include <memory>
#include <vector>

#include "rows/cover_sums.hpp"
#include "sampling/heights.hpp"

namespace oracledp {

// One branch of a class of conjunctions. Its tree adds columns in increasing order; columns that cover the least
// negative weight come first, so that the largest subtrees have the weakest claims.
struct Branch {
    Branch(const BitRows &rows, const int64_t *weights);

    RowTable table;
    int64_t unit = 1;  // the table's weights are in multiples of this
    int64_t constant = 0;
    int width = 0;
    std::vector<std::vector<uint64_t>> counts;  // counts[free][width]: subsets of `free` columns of at most `width`
};

struct TreeNode {
    size_t first = 0;    // where its columns are kept
    int16_t length = 0;  // how many
    int32_t branch = 0;
    bool leaf = false;
    int64_t bound = 0;    // a lower bound on every leaf below; the value itself at a leaf
    uint64_t leaves = 1;  // how many
    uint64_t height = 0;  // an upper bound on 2^63 e^{-rate (bound - origin)}, never above the parent's
    Wide weight() const { return Wide{leaves} * height; }
};

class SubsetForest {
  public:
    void add(Branch branch);
    // Expands the heaviest inner nodes until expanding more costs more than rejections would; then fixes the origin.
    void prepare(std::vector<uint64_t> powers, double rate);

    Wide total() const { return total_; }
    size_t size() const { return frontier_.size(); }
    uint64_t work() const { return expanded_; }
    int64_t origin() const { return origin_; }
    const TreeNode &at(size_t index) const { return frontier_.at(index); }
    std::vector<int> literals_of(const TreeNode &node) const;  // in increasing order

    // The node that a number below total() falls on.
    size_t pick(Wide number) const;
    // Replaces a node by its children; the child that a number below its weight falls on, or -1 to reject.
    int64_t descend(size_t index, Wide number);

  private:
    size_t expand(size_t index);
    void bound_children(int64_t positive, int left);
    uint64_t height(int64_t bound) const { return (*heights_)(bound - origin_); }
    void weigh_all();
    void reweigh(size_t from);
    TreeNode child_of(const TreeNode &parent, int column, uint64_t leaves, int64_t bound);

    std::vector<Branch> branches_;
    std::vector<TreeNode> frontier_;
    std::vector<int16_t> columns_;     // of all nodes, one after the other
    std::vector<Wide> block_weights_;  // of consecutive nodes of the frontier
    Wide total_ = 0;
    std::unique_ptr<Heights> heights_;
    int64_t origin_ = 0;
    uint64_t expanded_ = 0;
    bool ready_ = false;

    Terms terms_;
    std::vector<Word> cover_;
    std::vector<int> free_;
    std::vector<int64_t> sums_[2], bounds_, gains_;
};

}  // namespace oracledp
