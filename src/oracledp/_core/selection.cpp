// Passes over millions of scores for the exact exponential mechanism and permute-and-flip (proofs/noise.md).
#include <numeric>

#include "samplers.hpp"

namespace py = pybind11;
using Scores = py::array_t<std::int64_t, py::array::c_style>;
using Table = py::array_t<std::uint64_t, py::array::c_style>;

namespace {

// An upper bound of 2^bits exp(-rate gap), as a product over the hexadecimal digits of the gap.
// Row k of the table holds upper bounds of 2^bits exp(-rate v 16^k) for v = 0..15; past gap `last`, 1 is one.
struct UpperWeights {
    std::int64_t least;
    std::uint64_t last;
    unsigned bits;
    const std::uint64_t *table;

    std::uint64_t operator()(std::int64_t score) const {
        std::uint64_t gap = static_cast<std::uint64_t>(score) - static_cast<std::uint64_t>(least);
        if (gap > last) return 1;
        const Wide128 round_up = (Wide128{1} << bits) - 1;
        std::uint64_t weight = table[gap & 15];
        const std::uint64_t *row = table;
        while (gap >>= 4) {
            row += 16;
            weight = static_cast<std::uint64_t>((Wide128{weight} * row[gap & 15] + round_up) >> bits);
        }
        return weight;
    }
};

py::tuple upper_total(Scores scores, std::int64_t least, std::uint64_t last, unsigned bits, Table table) {
    const UpperWeights weight{least, last, bits, table.data()};
    const std::int64_t *values = scores.data();
    const py::ssize_t count = scores.size();
    Wide128 total = 0;
    {
        py::gil_scoped_release release;
        for (py::ssize_t i = 0; i < count; ++i) total += weight(values[i]);
    }
    return py::make_tuple(static_cast<std::uint64_t>(total >> 64), static_cast<std::uint64_t>(total));
}

// The score in whose stretch of the upper weights, laid end to end, the target lies; and where in that stretch.
py::tuple locate(Scores scores, std::int64_t least, std::uint64_t last, unsigned bits, Table table,
                 std::uint64_t target_high, std::uint64_t target_low) {
    const UpperWeights weight{least, last, bits, table.data()};
    const std::int64_t *values = scores.data();
    const py::ssize_t count = scores.size();
    Wide128 left = Wide128{target_high} << 64 | target_low;
    py::ssize_t index = 0;
    {
        py::gil_scoped_release release;
        for (; index < count; ++index) {
            const std::uint64_t stretch = weight(values[index]);
            if (left < stretch) break;
            left -= stretch;
        }
    }
    return py::make_tuple(index, static_cast<std::uint64_t>(left));
}

// Scores in random order; the first whose coin of probability exp(-(score - least) numerator / denominator) is heads.
std::size_t permute_and_flip(Scores scores, std::int64_t least, std::uint64_t numerator, std::uint64_t denominator,
                             py::object reader) {
    const std::int64_t *values = scores.data();
    const auto count = static_cast<std::size_t>(scores.size());
    if (count > UINT32_MAX) throw std::length_error("too many scores");
    Bits bits(std::move(reader), 64 + 16 * count);
    Exact<> exact(bits);
    py::gil_scoped_release release;
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = 0; i < count; ++i) {
        std::swap(order[i], order[i + exact.below(count - i)]);
        const auto gap = static_cast<std::uint64_t>(values[order[i]]) - static_cast<std::uint64_t>(least);
        if (exact.exp_minus(Wide128{gap} * numerator, Wide128{denominator})) return order[i];
    }
    throw std::logic_error("no score equals the least score");
}

}  // namespace

void register_selection(py::module_ &m) {
    using py::arg;
    m.def("upper_total", &upper_total, arg("scores"), arg("least"), arg("last"), arg("bits"), arg("table"));
    m.def("locate", &locate, arg("scores"), arg("least"), arg("last"), arg("bits"), arg("table"),
          arg("target_high"), arg("target_low"));
    m.def("permute_and_flip", &permute_and_flip, arg("scores"), arg("least"), arg("numerator"), arg("denominator"),
          arg("reader"));
}
