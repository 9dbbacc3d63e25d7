// Arrays of Python: contiguous, of the very type that is asked for or one that fits into it.
#pragma once
#include <pybind11/numpy.h>

#include <stdexcept>

#include "integers.hpp"
#include "python/module.hpp"

namespace oracledp {

template <class T> using Array = py::array_t<T, py::array::c_style>;
using Integers = Array<int64_t>;

// Records of 0 and 1 with one weight each.
struct Records {
    Records(const Array<uint8_t> &records, const Integers &of_each) {
        if (records.ndim() != 2 || of_each.ndim() != 1 || of_each.shape(0) != records.shape(0))
            throw std::invalid_argument("records need two dimensions and one weight each");
        bits = records.data();
        weights = of_each.data();
        count = size_t(records.shape(0));
        columns = int(records.shape(1));
    }
    const uint8_t *bits;
    const int64_t *weights;
    size_t count;
    int columns;
};

// Costs of parts, and of sizes 0..width or none, for each run.
struct Costs {
    Costs(const Integers &of_parts, const Integers &of_sizes, int literals, int width) {
        const bool sized = of_sizes.size() > 0;
        if (of_parts.ndim() != 2 || of_parts.shape(1) != literals ||
            (sized &&
             (of_sizes.ndim() != 2 || of_sizes.shape(1) != width + 1 || of_sizes.shape(0) != of_parts.shape(0))))
            throw std::invalid_argument("costs need one row per run, one entry per literal and one per size");
        parts = of_parts.data();
        sizes = sized ? of_sizes.data() : nullptr;
        runs = size_t(of_parts.shape(0));
    }
    const Value *parts, *sizes;
    size_t runs;
};

}  // namespace oracledp
