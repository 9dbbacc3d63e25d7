// Arrays of Python: contiguous, of the very type that is asked for or one that fits into it.
#pragma once
#include <pybind11/numpy.h>

#include <stdexcept>

#include "integers.hpp"
#include "python/module.hpp"
#include "rows/bit_rows.hpp"

namespace oracledp {

template <class T> using Array = py::array_t<T, py::array::c_style>;
using Integers = Array<int64_t>;

// Words of `PackedRecords`, as rows of bits. What lies past the last column must be zero: loops over bits rely on it.
class PackedArray {
  public:
    explicit PackedArray(const py::object &records)
        : words_(records.attr("words").cast<Array<Word>>()), columns_(records.attr("columns").cast<int>()) {
        if (words_.ndim() != 2 || columns_ < 0 || size_t(words_.shape(1)) != BitRows::words_for(columns_))
            throw std::invalid_argument("packed records need two dimensions and one bit per column");
        const BitRows given = rows();
        Word last = 0;
        for (size_t i = 0; i < given.count; ++i) last |= given.row(i)[given.row_words() - 1];
        if (columns_ % 64 ? last << columns_ % 64 : columns_ ? 0 : last)
            throw std::invalid_argument("packed records have bits past their last column");
    }
    BitRows rows() const { return {words_.data(), size_t(words_.shape(0)), columns_}; }

  private:
    Array<Word> words_;  // held as long as its bits are looked at
    int columns_;
};

// Packed records with one weight each.
struct Records {
    Records(const py::object &records, const Integers &of_each) : packed(records), rows(packed.rows()) {
        if (of_each.ndim() != 1 || size_t(of_each.shape(0)) != rows.count)
            throw std::invalid_argument("records need one weight each");
        weights = of_each.data();
    }
    PackedArray packed;
    BitRows rows;
    const int64_t *weights;
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
