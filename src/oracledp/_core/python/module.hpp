// The name of the binding library, for every file here.
#pragma once
#include <pybind11/pybind11.h>

namespace oracledp {

namespace py = pybind11;

}  // namespace oracledp
