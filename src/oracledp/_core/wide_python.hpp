// 128-bit integers to and from Python.
#pragma once
#include <pybind11/pybind11.h>

namespace oracledp {

inline pybind11::object to_python(unsigned __int128 number) {
    return pybind11::int_(uint64_t(number >> 64)).attr("__lshift__")(64).attr("__or__")(pybind11::int_(uint64_t(number)));
}

inline unsigned __int128 from_python(const pybind11::int_ &number) {
    const pybind11::object high = number.attr("__rshift__")(64), low = number.attr("__and__")(pybind11::int_(~uint64_t(0)));
    return (unsigned __int128)(high.cast<uint64_t>()) << 64 | low.cast<uint64_t>();
}

}  // namespace oracledp
