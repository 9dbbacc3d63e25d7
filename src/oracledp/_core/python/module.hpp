// What each file here adds to the Python module.
#pragma once
#include <pybind11/pybind11.h>

namespace oracledp {

namespace py = pybind11;

void bind_searches(py::module_ &m);
void bind_forests(py::module_ &m);
void bind_draws(py::module_ &m);
void bind_decision_trees(py::module_ &m);
void bind_checking(py::module_ &m);

}  // namespace oracledp
