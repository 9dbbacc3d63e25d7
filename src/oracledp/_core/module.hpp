// What each source file of the core adds to the Python module.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

void register_samplers(pybind11::module_ &m);
void register_swaps(pybind11::module_ &m);
void register_decision_lists(pybind11::module_ &m);
void register_halfspaces(pybind11::module_ &m);
void register_subset_forest(pybind11::module_ &m);
void register_transforms(pybind11::module_ &m);
void register_conjunctions(pybind11::module_ &m);
void register_dual(pybind11::module_ &m);
void register_support_forest(pybind11::module_ &m);
void register_parities(pybind11::module_ &m);
