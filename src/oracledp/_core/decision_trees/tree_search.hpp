// The tree of least error and cost, proved: the same levels with least sums in the place of sums of products.
#pragma once
#include "decision_trees/tree_levels.hpp"

namespace oracledp {

// What labels and tests cost at each place of a complete tree, by level and from left to right. Empty: nothing.
struct TreeCosts {
    std::vector<std::vector<Value>> labels, tests;  // [level][place · labels + label], [level][place · literals + test]
};

struct FoundTree {
    Value value;
    std::vector<int32_t>
        options;  // in preorder over the complete tree: a label, labels + a test, or -1 where nothing is
};

// `groups` says which count of the rows is right about each label. Of equal trees the first in preorder is taken,
// labels before tests.
FoundTree best_tree(const LabelledRows &rows, int depth, const Decided &decided, const std::vector<int> &groups,
                    const TreeCosts &costs);

}  // namespace oracledp
