// What the costs of literals, and sums over a node's rows, say about every set below it (proofs/engine.md).
#pragma once
#include "subsets/incumbent.hpp"
#include "subsets/search_node.hpp"
#include "subsets/subset_costs.hpp"

namespace oracledp::conjunctions {

class NodeBounds {
  protected:
    NodeBounds(const SubsetCosts &costs, Value unit) : costs_(costs), unit_(unit) {
        Value least = 0;
        for (int literal = 0; literal < costs.literals(); ++literal) least = std::min(least, costs.part(literal));
        some_paid_ = least < 0;
        for (int size = 0; size < costs.width(); ++size)
            may_force_ = may_force_ || least + costs.greatest_step(size) < 0;
        may_force_ = may_force_ && costs.unlimited();
    }

    Value data_value(Value negative, Value positive) const { return (positive - negative) * unit_; }
    static int literal_at(const Node &node, const Level &level, size_t place) {
        return node.table->literals[level.columns[place]];
    }

    // The least that literals of these columns can cost beside `size` others.
    Value least_rest(const std::vector<int> &columns, const Node &node, int size) {
        if (costs_.separable() && !some_paid_) return 0;
        scratch_.clear();
        for (const int column : columns) scratch_.push_back(costs_.part(node.table->literals[column]));
        if (!costs_.separable()) return costs_.least_rest(scratch_, size);
        Value sum = 0;
        for (const Value cost : scratch_) sum += std::min<Value>(0, cost);
        return sum;
    }
    // The same for I and one more literal, which pays for itself.
    Value least_rest(const std::vector<int> &columns, const Node &node) {
        return least_rest(columns, node, node.size + 1);
    }
    // What `least_rest` has already counted for the literal itself.
    Value own_share(int literal) const { return costs_.separable() ? std::min<Value>(0, costs_.part(literal)) : 0; }

    Value child_bound(const Node &node, const Level &level, size_t child, Value rest) const {
        const Value more = costs_.separable() ? level.prefix_cost[child] : rest;
        return data_value(level.negative[child], level.residual[child]) + node.cost +
            costs_.part(literal_at(node, level, child)) + more;
    }
    // How many of the first children a bound does not rule out, where costs are separable.
    int promising(Incumbent &incumbent, const Node &node, const Level &level, int count) const {
        int found = 0;
        for (size_t i = 1; i < size_t(count); ++i)
            found += !incumbent.hopeless(literal_at(node, level, i), child_bound(node, level, i, 0));
        return found;
    }
    // Whether the net weights of a node's merged rows already rule out every set of it.
    bool lost_cause(const Incumbent &incumbent, const Node &node, const Level &level, const KeyedRows &rows) {
        Value negative = 0;
        for (const Value weight : rows.weights) negative -= std::min<Value>(0, weight);
        return -negative * unit_ + node.cost + least_rest(level.columns, node, node.size) > incumbent.value();
    }
    // Even removing every positive row that lacks it would not pay for the literal.
    bool never_pays(const Node &node, int literal, Value positive_with) const {
        return costs_.part(literal) + costs_.least_step(node.size) >= (node.positive - positive_with) * unit_;
    }

    const SubsetCosts &costs_;
    const Value unit_;
    bool may_force_ = false;  // some literal may be worth including whatever it loses

  private:
    bool some_paid_ = false;  // some literal has a negative cost
    std::vector<Value> scratch_;
};

}  // namespace oracledp::conjunctions
