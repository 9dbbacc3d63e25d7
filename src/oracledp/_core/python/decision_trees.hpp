// Decision trees: the least one, and weights to draw one by. Every random decision is made by the caller, on integers.
#pragma once
#include <pybind11/stl.h>

#include "decision_trees/perfect_tree.hpp"
#include "decision_trees/tree_search.hpp"
#include "decision_trees/tree_weights.hpp"
#include "python/arrays.hpp"

namespace oracledp {
namespace {

using py::arg;
using Pair = std::pair<uint64_t, int64_t>;

Pair to_pair(const Number &number) { return {number.mantissa, number.exponent}; }

Number from_pair(const Pair &pair) {
    if (!(pair.first >> 63)) throw std::invalid_argument("a mantissa has 64 bits");
    return {pair.first, pair.second};
}

std::vector<Number> from_pairs(const std::vector<Pair> &pairs) {
    std::vector<Number> numbers;
    for (const Pair &pair : pairs) numbers.push_back(from_pair(pair));
    return numbers;
}

// Packed records with one weight for each label.
LabelledRows make_rows(const py::object &records, const Integers &weights) {
    const PackedArray given(records);
    const BitRows rows = given.rows();
    if (weights.ndim() != 2 || rows.count != size_t(weights.shape(0)) || weights.shape(1) < 1)
        throw std::invalid_argument("records need one row of weights each");
    for (py::ssize_t i = 0; i < weights.size(); ++i)
        if (weights.data()[i] < 0) throw std::invalid_argument("no weight of a label may be negative");
    py::gil_scoped_release release;
    return LabelledRows(rows, weights.data(), int(weights.shape(1)));
}

Decided make_decided(const Array<uint8_t> &decided, int literals) {
    if (decided.ndim() != 3 || decided.shape(0) != literals || decided.shape(1) != 2 || decided.shape(2) != literals)
        throw std::invalid_argument("decided needs one entry for each literal, outcome and literal");
    return Decided(decided.data(), literals);
}

void check_depth(int depth) {
    if (depth < 1 || depth > kMostTests) throw std::invalid_argument("a tree is between one and six tests deep");
}

std::unique_ptr<TreeWeights> make_weights(const py::object &records, const Integers &weights, int depth,
                                          const Array<uint8_t> &decided, const std::vector<Pair> &powers,
                                          const Pair &leaf, const std::vector<Pair> &splits) {
    check_depth(depth);
    const LabelledRows rows = make_rows(records, weights);
    if (int(splits.size()) != rows.literals()) throw std::invalid_argument("splits need one weight for each count");
    TreePrior prior{from_pair(leaf), from_pairs(splits)};
    prior.split.insert(prior.split.begin(), Number{});  // of no tests
    Decided known = make_decided(decided, rows.literals());
    WeightAlgebra algebra(Decays(from_pairs(powers)), std::move(prior), rows.labels());
    py::gil_scoped_release release;
    return std::make_unique<TreeWeights>(rows, depth, std::move(known), std::move(algebra));
}

py::tuple tree_node_to_python(const TreeWeights &weights, const Path &path) {
    const WeightedNode node = weights.node(path);
    std::vector<Pair> labels;
    for (const Number &number : node.labels) labels.push_back(to_pair(number));
    std::vector<std::pair<Pair, Pair>> children;
    for (const auto &both : node.children) children.emplace_back(to_pair(both[0]), to_pair(both[1]));
    return py::make_tuple(node.errors, labels, node.tests, children, to_pair(node.total));
}

std::pair<Value, std::vector<int32_t>> find_tree(const py::object &records, const Integers &weights, int depth,
                                                 const Array<uint8_t> &decided, const std::vector<int> &groups,
                                                 const std::vector<std::vector<Value>> &label_costs,
                                                 const std::vector<std::vector<Value>> &test_costs,
                                                 int64_t perfect_work) {
    check_depth(depth);
    const LabelledRows rows = make_rows(records, weights);
    for (const int group : groups)
        if (group < 0 || group >= rows.labels()) throw std::invalid_argument("groups are columns of the weights");
    const size_t levels = label_costs.size();
    if ((levels != 0 && levels != size_t(depth) + 1) || test_costs.size() != (levels ? size_t(depth) : 0))
        throw std::invalid_argument("costs need one row for each level");
    for (size_t level = 0; level < levels; ++level)
        if (label_costs[level].size() != groups.size() << level ||
            (level < size_t(depth) && test_costs[level].size() != size_t(rows.literals()) << level))
            throw std::invalid_argument("costs need one entry for each place and option");
    const Decided known = make_decided(decided, rows.literals());
    const PackedArray given(records);
    const TwoSidedRecords sides{given.rows(), weights.data()};
    py::gil_scoped_release release;
    if (levels == 0 && rows.labels() == 2)
        if (auto perfect = perfect_tree(sides, depth, known, groups, perfect_work)) return {0, std::move(*perfect)};
    FoundTree found = best_tree(rows, depth, known, groups, {label_costs, test_costs});
    return {found.value, std::move(found.options)};
}

}  // namespace

inline void bind_decision_trees(py::module_ &m) {
    py::class_<TreeWeights>(m, "TreeWeights")
        .def(py::init(&make_weights), arg("records"), arg("weights"), arg("depth"), arg("decided"), arg("powers"),
             arg("leaf"), arg("splits"))
        .def("node", &tree_node_to_python, arg("path"));
    m.def("best_tree", &find_tree, arg("records"), arg("weights"), arg("depth"), arg("decided"), arg("groups"),
          arg("label_costs"), arg("test_costs"), arg("perfect_work"));
}

}  // namespace oracledp
