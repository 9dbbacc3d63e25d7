// Forests to sample from. Every random decision is made by the caller, on integers.
#pragma once
#include <pybind11/stl.h>

#include "halfspaces/halfspace_sampler.hpp"
#include "lists/list_sampler.hpp"
#include "parities/parity_forest.hpp"
#include "python/arrays.hpp"
#include "python/wide.hpp"
#include "sampling/support_forest.hpp"
#include "subsets/subset_forest.hpp"

namespace oracledp {
namespace {

using py::arg;

// ---- subsets -------------------------------------------------------------------------------------------------------

void add_subsets(SubsetForest &forest, const py::object &records, const Integers &weights, int width, int64_t constant,
                 const std::vector<std::vector<uint64_t>> &counts) {
    const Records given(records, weights);
    Branch branch(given.rows, given.weights);
    branch.width = width;
    branch.constant = constant;
    branch.counts = counts;
    forest.add(std::move(branch));
}

py::tuple node_to_python(const SubsetForest &forest, size_t index) {
    const TreeNode &node = forest.at(index);
    return py::make_tuple(node.leaf, node.branch, forest.literals_of(node), node.bound - forest.origin(), node.leaves,
                          node.height);
}

void bind_subset_forest(py::module_ &m) {
    py::class_<SubsetForest>(m, "SubsetForest")
        .def(py::init<>())
        .def("add", &add_subsets, arg("records"), arg("weights"), arg("width"), arg("constant"), arg("counts"))
        .def("prepare", &SubsetForest::prepare, py::call_guard<py::gil_scoped_release>(), arg("powers"), arg("rate"))
        .def("total", [](const SubsetForest &forest) { return to_python(forest.total()); })
        .def(
            "pick", [](const SubsetForest &forest, const py::int_ &number) { return forest.pick(from_python(number)); },
            arg("number"))
        .def(
            "descend",
            [](SubsetForest &forest, size_t index, const py::int_ &number) {
                return forest.descend(index, from_python(number));
            },
            arg("index"), arg("number"))
        .def("node", &node_to_python, arg("index"))
        .def_property_readonly("origin", &SubsetForest::origin)
        .def_property_readonly("work", &SubsetForest::work)
        .def_property_readonly("size", &SubsetForest::size);
}

// ---- decision lists and halfspaces, by the set of columns that they read -------------------------------------------

py::tuple step_to_python(const Step &step) {
    return py::make_tuple(step.exponent, to_python(step.chosen), to_python(step.inside));
}

void add_lists(SupportForest &forest, ColumnData &data, int length, const std::vector<std::pair<int, int>> &conditions,
               int64_t constant) {
    std::vector<std::vector<ListLiteral>> tests;
    for (const auto &[column, polarity] : conditions) tests.push_back({{column, polarity}});
    const std::vector<int64_t> free(size_t(length) * (2 * tests.size() + 1) + 2, 0);
    const ListProblem problem(length, data.columns(), std::move(tests), free.data());
    forest.add(data, std::make_unique<ListSampler>(problem), constant);
}

void add_halfspaces(SupportForest &forest, ColumnData &data, const std::vector<int> &weights,
                    const std::vector<int64_t> &thresholds, int budget, bool free_intercept,
                    const std::vector<int> &flipped, int64_t constant) {
    forest.add(data, std::make_unique<HalfspaceSampler>(weights, thresholds, budget, free_intercept, flipped),
               constant);
}

py::tuple enter_support(SupportForest &forest, const py::int_ &number) {
    const Entry entry = forest.enter(from_python(number));
    return py::make_tuple(entry.tree, step_to_python(entry.step));
}

void bind_support_forest(py::module_ &m) {
    py::class_<SupportForest>(m, "SupportForest")
        .def(py::init<>())
        .def("add_lists", &add_lists, py::keep_alive<1, 2>(), arg("data"), arg("length"), arg("conditions"),
             arg("constant"))
        .def("add_halfspaces", &add_halfspaces, py::keep_alive<1, 2>(), arg("data"), arg("weights"), arg("thresholds"),
             arg("budget"), arg("free_intercept"), arg("flipped"), arg("constant"))
        .def("prepare", &SupportForest::prepare, arg("powers"), arg("rate"), arg("first"))
        .def("total", [](const SupportForest &forest) { return to_python(forest.total()); })
        .def("enter", &enter_support, arg("number"))
        .def(
            "step",
            [](SupportForest &forest, const py::int_ &number) {
                return step_to_python(forest.family().step(from_python(number)));
            },
            arg("number"))
        .def("done", [](SupportForest &forest) { return forest.family().done(); })
        .def("parts", [](SupportForest &forest) { return forest.family().parts(); })
        .def("height", &SupportForest::height, arg("distance"))
        .def("refine", &SupportForest::refine)
        .def("unopened", &SupportForest::unopened)
        .def_property_readonly("opened", &SupportForest::opened)
        .def_property_readonly("origin", &SupportForest::origin);
}

// ---- parities ------------------------------------------------------------------------------------------------------

py::tuple enter_parity(ParityForest &forest, const py::int_ &number) {
    const ParityForest::Entry entry = forest.enter(from_python(number));
    return py::make_tuple(entry.tree, entry.distance, entry.height);
}

void bind_parity_forest(py::module_ &m) {
    using Release = py::call_guard<py::gil_scoped_release>;
    py::class_<ParityForest>(m, "ParityForest")
        .def(py::init<>())
        .def("add", &ParityForest::add, py::keep_alive<1, 2>(), Release(), arg("sums"), arg("constant"))
        .def("prepare", &ParityForest::prepare, arg("powers"))
        .def("total", [](const ParityForest &forest) { return to_python(forest.total()); })
        .def("enter", &enter_parity, arg("number"))
        .def("parts", &ParityForest::parts, Release())
        .def_property_readonly("origin", &ParityForest::origin);
}

}  // namespace

inline void bind_forests(py::module_ &m) {
    bind_subset_forest(m);
    bind_support_forest(m);
    bind_parity_forest(m);
}

}  // namespace oracledp
