// Python's view of the sampler: every random decision is made by the caller, on integers.
#include <pybind11/stl.h>

#include "halfspace_sampler.hpp"
#include "list_sampler.hpp"
#include "module.hpp"
#include "support_forest.hpp"
#include "wide_python.hpp"

namespace py = pybind11;

namespace oracledp {
namespace {

py::tuple step_to_python(const Step &step) {
    return py::make_tuple(step.exponent, to_python(step.chosen), to_python(step.inside));
}

std::unique_ptr<SampledFamily> list_family(int columns, int length, const std::vector<std::pair<int, int>> &conditions) {
    std::vector<std::vector<ListLiteral>> tests;
    for (auto [column, polarity] : conditions) tests.push_back({{column, polarity}});
    const std::vector<int64_t> free(size_t(length) * (2 * tests.size() + 1) + 2, 0);
    return std::make_unique<ListSampler>(ListProblem(length, columns, std::move(tests), free.data()));
}

}  // namespace
}  // namespace oracledp

void register_support_forest(py::module_ &m) {
    using namespace oracledp;
    py::class_<SupportForest>(m, "SupportForest")
        .def(py::init<>())
        .def("add_lists", [](SupportForest &forest, ColumnData &data, int length, const std::vector<std::pair<int, int>> &conditions,
                             int64_t constant) { forest.add(data, list_family(data.columns(), length, conditions), constant); },
             py::keep_alive<1, 2>(), py::arg("data"), py::arg("length"), py::arg("conditions"), py::arg("constant"))
        .def("add_halfspaces", [](SupportForest &forest, ColumnData &data, const std::vector<int> &weights,
                                  const std::vector<int64_t> &thresholds, int budget, bool free_intercept,
                                  const std::vector<int> &flipped, int64_t constant) {
                 forest.add(data, std::make_unique<HalfspaceSampler>(weights, thresholds, budget, free_intercept, flipped), constant);
             },
             py::keep_alive<1, 2>(), py::arg("data"), py::arg("weights"), py::arg("thresholds"), py::arg("budget"),
             py::arg("free_intercept"), py::arg("flipped"), py::arg("constant"))
        .def("prepare", &SupportForest::prepare, py::arg("powers"), py::arg("rate"), py::arg("first"))
        .def("total", [](const SupportForest &forest) { return to_python(forest.total()); })
        .def("enter", [](SupportForest &forest, const py::int_ &number) {
            const Entry entry = forest.enter(from_python(number));
            return py::make_tuple(entry.tree, step_to_python(entry.step));
        })
        .def("step", [](SupportForest &forest, const py::int_ &number) { return step_to_python(forest.family().step(from_python(number))); })
        .def("done", [](SupportForest &forest) { return forest.family().done(); })
        .def("parts", [](SupportForest &forest) { return forest.family().parts(); })
        .def("height", &SupportForest::height, py::arg("distance"))
        .def("refine", &SupportForest::refine)
        .def_property_readonly("opened", &SupportForest::opened)
        .def("unopened", &SupportForest::unopened)
        .def_property_readonly("origin", &SupportForest::origin);
}
