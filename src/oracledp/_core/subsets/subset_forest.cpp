// Frontiers of subset trees, refined by need. Every number that decides a draw is an integer; floating point only
// chooses which nodes to look at first, which the law does not depend on.
#include "subsets/subset_forest.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <stdexcept>

#include "trees/broken_tree.hpp"

namespace oracledp {
namespace {

constexpr size_t kBlock = 256;
constexpr double kTrial = 4;  // a rejected trial costs about as much as this many expansions

// A sum of exponentials of very different sizes, from which terms can be taken away again: one sum for each size.
class FloatingSum {
  public:
    void add(double logarithm) {
        Part &part = parts_[size_of(logarithm)];
        ++part.terms;
        part.sum += std::exp(logarithm - size_of(logarithm));
    }
    void take(double logarithm) {
        Part &part = parts_[size_of(logarithm)];
        part.sum -= std::exp(logarithm - size_of(logarithm));
        if (--part.terms == 0) parts_.erase(size_of(logarithm));
    }
    double log() const {
        if (parts_.empty()) return -INFINITY;
        const int greatest = parts_.rbegin()->first;
        double sum = 0;
        for (const auto &[size, part] : parts_) sum += part.sum * std::exp(double(size - greatest));
        return greatest + std::log(sum);
    }

  private:
    struct Part {
        double sum = 0;
        int64_t terms = 0;
    };
    static int size_of(double logarithm) { return int(std::floor(std::clamp(logarithm, -1e9, 1e9))); }
    std::map<int, Part> parts_;
};

// The columns in the order of the tree: least negative weight covered first.
std::vector<int> tree_order(const BitRows &rows, const int64_t *weights) {
    std::vector<int64_t> covered(size_t(rows.columns), 0);
    for (size_t i = 0; i < rows.count; ++i)
        if (weights[i] < 0) rows.each_one(i, [&](int j) { covered[size_t(j)] -= weights[i]; });
    std::vector<int> order(size_t(rows.columns));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return covered[a] < covered[b]; });
    return order;
}

}  // namespace

Branch::Branch(const BitRows &rows, const int64_t *weights) {
    const std::vector<int> order = tree_order(rows, weights);
    const PackedRows packed = pack_rows(rows, weights, order);
    build_table(table, order, packed.sources, packed.rows);
    unit = packed.unit;
}

void SubsetForest::add(Branch branch) {
    TreeNode root;
    root.branch = int32_t(branches_.size());
    root.leaves = branch.counts[branch.table.columns()][branch.width];
    terms_.cut(branch.table, branch.table.valid.data(), kNegative);
    root.bound = branch.constant - terms_.total() * branch.unit;
    branches_.push_back(std::move(branch));
    frontier_.push_back(root);
}

std::vector<int> SubsetForest::literals_of(const TreeNode &node) const {
    std::vector<int> literals;
    for (int i = 0; i < node.length; ++i)
        literals.push_back(branches_[node.branch].table.literals[columns_[node.first + i]]);
    std::sort(literals.begin(), literals.end());
    return literals;
}

TreeNode SubsetForest::child_of(const TreeNode &parent, int column, uint64_t leaves, int64_t bound) {
    require(bound >= parent.bound);  // proofs/engine.md; a bound that falls would be one that was too large before
    TreeNode child = parent;
    child.first = columns_.size();
    columns_.resize(columns_.size() + parent.length + 1);
    std::copy_n(&columns_[parent.first], parent.length, &columns_[child.first]);
    columns_.back() = int16_t(column);
    child.length = int16_t(parent.length + 1);
    child.leaves = leaves;
    child.leaf = leaves == 1;
    child.bound = bound;
    if (ready_) child.height = std::min(parent.height, height(child.bound));
    return child;
}

// What a child can reach at best: its own set, or some later columns more. These lose at least the negative rows that
// the last of them lacks, and win at most the positive rows that each of them removed from the parent's cover.
void SubsetForest::bound_children(int64_t positive, int left) {
    bounds_.resize(free_.size());
    gains_.assign(std::max(left, 0), 0);  // the greatest gains of later columns, greatest first
    int64_t most_kept = 0;                // of negative weight by one later column
    for (size_t i = free_.size(); i-- > 0;) {
        const int64_t negative_here = sums_[kNegative][i], positive_here = sums_[kPositive][i];
        const int64_t won = std::accumulate(gains_.begin(), gains_.end(), int64_t{0});
        const int64_t further = std::max<int64_t>(0, positive_here - won) - std::min(negative_here, most_kept);
        bounds_[i] = std::min(positive_here - negative_here, left > 0 ? further : positive_here - negative_here);
        most_kept = std::max(most_kept, negative_here);
        if (left > 0 && positive - positive_here > gains_.back()) {
            gains_.back() = positive - positive_here;
            for (size_t k = gains_.size() - 1; k > 0 && gains_[k] > gains_[k - 1]; --k)
                std::swap(gains_[k], gains_[k - 1]);
        }
    }
}

// Puts the node's own set in its place and its children at the end; returns where they start.
size_t SubsetForest::expand(size_t index) {
    const TreeNode node = frontier_[index];
    const Branch &branch = branches_[node.branch];
    const RowTable &table = branch.table;
    ++expanded_;
    cover_ = table.valid;
    for (int i = 0; i < node.length; ++i)
        intersect_into(cover_.data(), table.column(columns_[node.first + i]), table.words());
    free_.clear();
    const int left = branch.width - node.length - 1;
    const int first = node.length ? columns_[node.first + node.length - 1] + 1 : 0;
    for (int column = first; left >= 0 && column < table.columns(); ++column) free_.push_back(column);
    int64_t own[2];
    for (const Side side : {kNegative, kPositive}) {
        terms_.cut(table, cover_.data(), side);
        own[side] = terms_.total();
        sums_[side].resize(free_.size());
        column_sums(table, terms_, free_.data(), int(free_.size()), sums_[side].data());
    }
    bound_children(own[kPositive], left);
    const size_t children = frontier_.size();
    for (size_t i = 0; i < free_.size(); ++i) {
        const uint64_t leaves = branch.counts[table.columns() - free_[i] - 1][left];
        frontier_.push_back(child_of(node, free_[i], leaves, branch.constant + bounds_[i] * branch.unit));
    }
    uint64_t counted = 1;
    for (size_t child = children; child < frontier_.size(); ++child) counted += frontier_[child].leaves;
    TreeNode &leaf = frontier_[index];
    leaf.leaf = true;
    leaf.leaves = 1;
    leaf.bound = branch.constant + (own[kPositive] - own[kNegative]) * branch.unit;
    require(counted == node.leaves && leaf.bound >= node.bound);
    if (ready_) leaf.height = std::min(node.height, height(leaf.bound));
    return children;
}

void SubsetForest::prepare(std::vector<uint64_t> powers, double rate) {
    heights_ = std::make_unique<Heights>(std::move(powers));
    // Weights in floating point: they only decide what is refined before the first draw.
    FloatingSum inner, leaves;
    std::priority_queue<std::pair<double, size_t>> open;
    origin_ = frontier_.front().bound;
    for (const TreeNode &node : frontier_) origin_ = std::min(origin_, node.bound);
    const auto enter = [&](size_t index) {
        const TreeNode &node = frontier_[index];
        const double log_weight = std::log(double(node.leaves)) - rate * double(node.bound - origin_);
        (node.leaf ? leaves : inner).add(log_weight);
        if (!node.leaf) open.emplace(log_weight, index);
    };
    for (size_t i = 0; i < frontier_.size(); ++i) enter(i);
    while (!open.empty() &&
           (expanded_ % 64 || leaves.log() + std::log(double(expanded_)) < inner.log() + std::log(kTrial))) {
        const auto [log_weight, index] = open.top();
        open.pop();
        inner.take(log_weight);
        const size_t children = expand(index);
        enter(index);
        for (size_t child = children; child < frontier_.size(); ++child) enter(child);
    }
    weigh_all();
}

void SubsetForest::weigh_all() {
    origin_ = frontier_.front().bound;
    for (const TreeNode &node : frontier_) origin_ = std::min(origin_, node.bound);
    ready_ = true;
    for (TreeNode &node : frontier_) node.height = height(node.bound);
    reweigh(0);
}

// Sums of blocks from the one that holds this node to the end.
void SubsetForest::reweigh(size_t from) {
    const size_t first = from / kBlock, blocks = (frontier_.size() + kBlock - 1) / kBlock;
    block_weights_.resize(blocks, 0);
    for (size_t block = first; block < blocks; ++block) {
        total_ -= block_weights_[block];
        block_weights_[block] = 0;
        const size_t end = std::min(frontier_.size(), (block + 1) * kBlock);
        for (size_t i = block * kBlock; i < end; ++i) block_weights_[block] += frontier_[i].weight();
        total_ += block_weights_[block];
    }
}

size_t SubsetForest::pick(Wide number) const {
    size_t block = 0;
    for (; block < block_weights_.size() && number >= block_weights_[block]; ++block) number -= block_weights_[block];
    for (size_t i = block * kBlock; i < frontier_.size(); ++i) {
        const Wide weight = frontier_[i].weight();
        if (number < weight) return i;
        number -= weight;
    }
    throw std::out_of_range("a number beyond the total weight");
}

int64_t SubsetForest::descend(size_t index, Wide number) {
    const Wide before = frontier_.at(index).weight();
    const size_t children = expand(index), block = index / kBlock;
    const Wide own = frontier_[index].weight();
    block_weights_[block] -= before - own;
    total_ -= before - own;
    reweigh(children);
    if (number < own) return int64_t(index);
    number -= own;
    for (size_t child = children; child < frontier_.size(); ++child) {
        const Wide weight = frontier_[child].weight();
        if (number < weight) return int64_t(child);
        number -= weight;
    }
    return -1;
}

}  // namespace oracledp
