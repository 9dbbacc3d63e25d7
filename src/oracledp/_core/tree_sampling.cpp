// Frontiers of subset trees for Python.
#include <numeric>
#include <pybind11/stl.h>

#include "module.hpp"
#include "subset_forest.hpp"
#include "wide_python.hpp"

namespace py = pybind11;

namespace {

using namespace oracledp;
using Bytes = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;
using Values = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

// The columns in the order of the tree: least negative weight covered first.
std::vector<int> tree_order(const Bytes &records, const Values &weights) {
    const std::size_t count = records.shape(0), literals = records.shape(1);
    std::vector<std::int64_t> covered(literals, 0);
    const std::uint8_t *record = records.data();
    for (std::size_t i = 0; i < count; ++i, record += literals)
        for (std::size_t j = 0; weights.data()[i] < 0 && j < literals; ++j) covered[j] -= record[j] ? weights.data()[i] : 0;
    std::vector<int> order(literals);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return covered[a] < covered[b]; });
    return order;
}

Branch make_branch(const Bytes &records, const Values &weights, int width, std::int64_t constant,
                   const std::vector<std::vector<std::uint64_t>> &counts) {
    if (records.ndim() != 2 || weights.ndim() != 1 || weights.shape(0) != records.shape(0))
        throw std::invalid_argument("records need two dimensions and one weight each");
    const std::vector<int> order = tree_order(records, weights);
    const PackedRows packed = pack_rows(records.data(), weights.data(), records.shape(0), order);
    Branch branch;
    build_table(branch.table, order, packed.sources, packed.rows);
    branch.unit = packed.unit;
    branch.width = width;
    branch.constant = constant;
    branch.counts = counts;
    return branch;
}

} // namespace

void register_subset_forest(py::module_ &m) {
    py::class_<SubsetForest>(m, "SubsetForest")
        .def(py::init<>())
        .def("add",
             [](SubsetForest &forest, const Bytes &records, const Values &weights, int width, std::int64_t constant,
                const std::vector<std::vector<std::uint64_t>> &counts) {
                 forest.add(make_branch(records, weights, width, constant, counts));
             })
        .def("prepare", &SubsetForest::prepare, py::call_guard<py::gil_scoped_release>())
        .def("total", [](const SubsetForest &forest) { return to_python(forest.total()); })
        .def("pick", [](const SubsetForest &forest, const py::int_ &number) { return forest.pick(from_python(number)); })
        .def("descend",
             [](SubsetForest &forest, std::size_t index, const py::int_ &number) {
                 return forest.descend(index, from_python(number));
             })
        .def("node",
             [](const SubsetForest &forest, std::size_t index) {
                 const TreeNode &node = forest.at(index);
                 return py::make_tuple(node.leaf, node.branch, forest.literals_of(node), node.bound - forest.origin(), node.leaves,
                                       node.height);
             })
        .def_property_readonly("origin", &SubsetForest::origin)
        .def_property_readonly("work", &SubsetForest::work)
        .def_property_readonly("size", &SubsetForest::size);
}
