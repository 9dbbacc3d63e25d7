// Noise, selection and partitions. The interpreter is released while they are drawn.
#pragma once
#include <pybind11/stl.h>

#include <cstring>

#include "python/arrays.hpp"
#include "rows/pair_cells.hpp"
#include "rows/row_swaps.hpp"
#include "sampling/noise.hpp"
#include "sampling/partition.hpp"
#include "sampling/selection.hpp"
#include "sampling/system_bits.hpp"

namespace oracledp {
namespace {

// Bits of the operating system if the reader is None, else of a function from a number of bytes to that many bytes.
class ReaderBits final : public BitSource {
  public:
    explicit ReaderBits(py::object reader) : reader_(std::move(reader)) {
        if (!kHasSystemBits && reader_.is_none()) reader_ = py::module_::import("os").attr("urandom");
        system_ = reader_.is_none();
    }

    void fill(uint64_t *words, size_t count) override {
        if (!system_) return ask_reader(words, count);
        read_system_bits(words, count);
        if (count == Bits::kMostWords) check_signals();
    }

  private:
    static void check_signals() {
        py::gil_scoped_acquire hold;
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }

    void ask_reader(uint64_t *words, size_t count) {
        py::gil_scoped_acquire hold;
        const auto data = reader_(8 * count).cast<py::bytes>();
        const std::string_view view = data;
        if (view.size() != 8 * count) throw std::length_error("a source of randomness gave too few bytes");
        std::memcpy(words, view.data(), view.size());
    }

    py::object reader_;
    bool system_;
};

template <class Draw> Integers drawn(size_t count, uint64_t bytes_each, py::object reader, Draw draw) {
    Integers out(static_cast<py::ssize_t>(count));
    int64_t *values = out.mutable_data();
    ReaderBits source(std::move(reader));
    Bits bits(source, 64 + bytes_each * count);
    {
        py::gil_scoped_release release;
        draw(bits, values);
    }
    return out;
}

Integers uniform(uint64_t bound, size_t count, py::object reader) {
    return drawn(count, 8, std::move(reader), [=](Bits &bits, int64_t *out) { draw_uniform(bound, bits, out, count); });
}

Integers geometric(uint64_t scale, size_t count, py::object reader) {
    return drawn(count, 16, std::move(reader),
                 [=](Bits &bits, int64_t *out) { draw_geometric(scale, bits, out, count); });
}

Integers laplace(uint64_t scale, size_t count, py::object reader) {
    return drawn(count, 18, std::move(reader),
                 [=](Bits &bits, int64_t *out) { draw_laplace(scale, bits, out, count); });
}

Integers gaussian(uint64_t t, uint64_t bt, const std::string &a, const std::string &denominator, size_t count,
                  py::object reader) {
    const Gaussian law{t, bt, Wide256::of_bytes(a).low_half(), Wide256::of_bytes(denominator)};
    return drawn(count, 28, std::move(reader), [&](Bits &bits, int64_t *out) { draw_gaussian(law, bits, out, count); });
}

// The value, and how many bits it took.
template <auto Trace> py::tuple traced(const std::string &law, uint64_t scale, uint64_t other, py::object reader) {
    ReaderBits source(std::move(reader));
    Bits bits(source, 64);
    const uint64_t value = Trace(law, scale, other, bits);
    return py::make_tuple(value, bits.consumed());
}

bool traced_wide(const std::string &root, const std::string &denominator, py::object reader) {
    ReaderBits source(std::move(reader));
    Bits bits(source, 64);
    return trace_wide(Wide256::of_bytes(root).low_half(), Wide256::of_bytes(denominator), bits);
}

py::tuple halves(Wide total) { return py::make_tuple(uint64_t(total >> 64), uint64_t(total)); }

py::tuple upper_sum(const Integers &scores, int64_t least, uint64_t last, unsigned bits, const Array<uint64_t> &table) {
    const UpperWeights weight{least, last, bits, table.data()};
    Wide total;
    {
        py::gil_scoped_release release;
        total = sum_upper_weights(weight, scores.data(), size_t(scores.size()));
    }
    return halves(total);
}

std::pair<size_t, uint64_t> upper_place(const Integers &scores, int64_t least, uint64_t last, unsigned bits,
                                        const Array<uint64_t> &table, uint64_t target_high, uint64_t target_low) {
    const UpperWeights weight{least, last, bits, table.data()};
    py::gil_scoped_release release;
    return find_upper_weight(weight, scores.data(), size_t(scores.size()), Wide{target_high} << 64 | target_low);
}

size_t permute_and_flip(const Integers &scores, int64_t least, uint64_t numerator, uint64_t denominator,
                        py::object reader) {
    const auto count = size_t(scores.size());
    ReaderBits source(std::move(reader));
    Bits bits(source, 64 + 16 * count);
    py::gil_scoped_release release;
    return draw_permute_and_flip(scores.data(), count, least, numerator, denominator, bits);
}

// Of each part the records that it holds, increasing, and how many rows of each.
py::list partition(const Integers &counts, const std::vector<uint64_t> &sizes, py::object reader) {
    uint64_t rows = 0;
    for (const auto size : sizes) rows += size;
    ReaderBits source(std::move(reader));
    Bits bits(source, 64 + 3 * rows);
    std::vector<Part> parts;
    {
        py::gil_scoped_release release;
        parts = draw_partition(counts.data(), size_t(counts.size()), sizes, bits);
    }
    py::list out;
    for (const Part &part : parts) {
        const auto length = py::ssize_t(part.record.size());
        out.append(py::make_tuple(Integers(length, part.record.data()), Integers(length, part.count.data())));
    }
    return out;
}

int64_t swap_rows(Integers &rows, const Integers &strata, const Integers &starts, Array<float> &excess, int64_t sweeps,
                  uint64_t seed) {
    const RowsInStrata given{rows.mutable_data(), rows.shape(1), strata.data(), strata.shape(0) - 1, starts.data()};
    return swap_towards(given, excess.mutable_data(), excess.shape(1), sweeps, seed);
}

// Tables are rows of six integers, in the order of PairCut.
PairCuts pair_cuts(const Integers &tables, const Integers &edges) {
    static_assert(sizeof(PairCut) == 6 * sizeof(int64_t));
    return {reinterpret_cast<const PairCut *>(tables.data()), tables.shape(0), edges.data()};
}

void sum_pairs(const Integers &tables, const Integers &edges, const Array<float> &matrix, Array<float> &sums) {
    float *out = sums.mutable_data();
    py::gil_scoped_release release;
    sum_cells(pair_cuts(tables, edges), matrix.data(), matrix.shape(1), out);
}

void spread_pairs(const Integers &tables, const Integers &edges, const Array<float> &values, Array<float> &matrix) {
    float *out = matrix.mutable_data();
    py::gil_scoped_release release;
    spread_cells(pair_cuts(tables, edges), values.data(), out, matrix.shape(1));
}

}  // namespace

inline void bind_draws(py::module_ &m) {
    using py::arg;
    m.def("draw_uniform", &uniform, arg("bound"), arg("count"), arg("reader"));
    m.def("draw_geometric", &geometric, arg("scale"), arg("count"), arg("reader"));
    m.def("draw_laplace", &laplace, arg("scale"), arg("count"), arg("reader"));
    m.def("draw_gaussian", &gaussian, arg("t"), arg("bt"), arg("a"), arg("denominator"), arg("count"), arg("reader"));
    m.def("draw_permute_and_flip", &permute_and_flip, arg("scores"), arg("least"), arg("numerator"), arg("denominator"),
          arg("reader"));
    m.def("draw_partition", &partition, arg("counts"), arg("sizes"), arg("reader"));
    m.def("trace_1_bit", &traced<trace_1_bit>, arg("law"), arg("scale"), arg("other"), arg("reader"));
    m.def("trace_2_bit", &traced<trace_2_bit>, arg("law"), arg("scale"), arg("other"), arg("reader"));
    m.def("trace_wide", &traced_wide, arg("root"), arg("denominator"), arg("reader"));
    m.def("sum_upper_weights", &upper_sum, arg("scores"), arg("least"), arg("last"), arg("bits"), arg("table"));
    m.def("find_upper_weight", &upper_place, arg("scores"), arg("least"), arg("last"), arg("bits"), arg("table"),
          arg("target_high"), arg("target_low"));
    m.def("swap_towards", &swap_rows, arg("rows").noconvert(), arg("strata"), arg("starts"), arg("excess").noconvert(),
          arg("sweeps"), arg("seed"));
    m.def("sum_cells", &sum_pairs, arg("tables"), arg("edges"), arg("matrix").noconvert(), arg("sums").noconvert());
    m.def("spread_cells", &spread_pairs, arg("tables"), arg("edges"), arg("values"), arg("matrix").noconvert());
}

}  // namespace oracledp
