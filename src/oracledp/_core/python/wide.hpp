// 128-bit integers to and from Python.
#pragma once
#include "integers.hpp"
#include "python/module.hpp"

namespace oracledp {

inline py::object to_python(Wide number) {
    return py::int_(uint64_t(number >> 64)).attr("__lshift__")(64).attr("__or__")(py::int_(uint64_t(number)));
}

inline Wide from_python(const py::int_ &number) {
    const py::object high = number.attr("__rshift__")(64), low = number.attr("__and__")(py::int_(~uint64_t(0)));
    return Wide{high.cast<uint64_t>()} << 64 | low.cast<uint64_t>();
}

}  // namespace oracledp
