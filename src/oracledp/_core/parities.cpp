// Parities of few literals for Python.
#include <numeric>
#include <pybind11/stl.h>

#include "module.hpp"
#include "parity_forest.hpp"
#include "wide_python.hpp"

namespace py = pybind11;

namespace {

using namespace oracledp;
using Bytes = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;
using Values = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

ParitySums make_sums(const Bytes &records, const Values &weights, int width, bool keep) {
    if (records.ndim() != 2 || weights.ndim() != 1 || weights.shape(0) != records.shape(0))
        throw std::invalid_argument("records need two dimensions and one weight each");
    if (width < 0 || width > records.shape(1)) throw std::invalid_argument("the width exceeds the number of literals");
    std::vector<int> order(records.shape(1));
    std::iota(order.begin(), order.end(), 0);
    const PackedRows packed = pack_rows(records.data(), weights.data(), records.shape(0), order);
    py::gil_scoped_release release;
    return ParitySums(packed, int(order.size()), width, keep);
}

// One value and set for each row of costs.
std::vector<std::pair<Value, std::vector<int>>> best_parities(const ParitySums &sums, const Values &parts, const Values &sizes) {
    const py::ssize_t runs = parts.shape(0), stride = sizes.size() ? sizes.shape(1) : 0;
    if (parts.ndim() != 2 || parts.shape(1) != sums.literals() || (stride && (stride != sums.width() + 1 || sizes.shape(0) != runs)))
        throw std::invalid_argument("costs need one row per run, one entry per literal and one per size");
    py::gil_scoped_release release;
    std::vector<std::pair<Value, std::vector<int>>> found;
    for (const Incumbent &best : sums.best(parts.data(), stride ? sizes.data() : nullptr, runs))
        found.emplace_back(best.value(), best.best().members());
    return found;
}

} // namespace

void register_parities(py::module_ &m) {
    py::class_<ParitySums>(m, "ParitySums")
        .def(py::init(&make_sums), py::arg("records"), py::arg("weights"), py::arg("width"), py::arg("keep"))
        .def("best", &best_parities, py::arg("part_costs"), py::arg("size_costs"));
    py::class_<ParityForest>(m, "ParityForest")
        .def(py::init<>())
        .def("add", &ParityForest::add, py::keep_alive<1, 2>(), py::call_guard<py::gil_scoped_release>(), py::arg("sums"),
             py::arg("constant"))
        .def("prepare", &ParityForest::prepare, py::arg("powers"))
        .def("total", [](const ParityForest &forest) { return to_python(forest.total()); })
        .def("enter",
             [](ParityForest &forest, const py::int_ &number) {
                 const ParityForest::Entry entry = forest.enter(from_python(number));
                 return py::make_tuple(entry.tree, entry.distance, entry.height);
             })
        .def("parts", &ParityForest::parts, py::call_guard<py::gil_scoped_release>())
        .def_property_readonly("origin", &ParityForest::origin);
}
