// Local search on synthetic rows: swaps of one column's values between rows of a stratum, kept where they bring the
// two-way counts closer to their targets. Post-processing: it sees synthetic rows and released targets only.
#include "module.hpp"

#include <cstdint>
#include <utility>

namespace py = pybind11;
using Rows = py::array_t<std::int64_t, py::array::c_style>;
using Excess = py::array_t<float, py::array::c_style>;

namespace {

struct Xorshift {
    std::uint64_t state;
    // A number below bound; the bias of 2^-64 per value does not matter here.
    std::int64_t below(std::int64_t bound) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<std::int64_t>((static_cast<unsigned __int128>(state) * bound) >> 64);
    }
};

struct Search {
    std::int64_t *rows;
    const std::int64_t *starts;  // of each column's block in the stacked bins
    float *excess;               // stacked bins x stacked bins: rows minus target, symmetric
    std::int64_t columns, width;

    // Change of half the squared excess if rows x and y swap their values of a column.
    float change(const std::int64_t *x, const std::int64_t *y, std::int64_t column) const {
        const float *of_x = excess + (starts[column] + x[column]) * width;
        const float *of_y = excess + (starts[column] + y[column]) * width;
        float sum = 0;
        for (std::int64_t other = 0; other < columns; ++other) {
            if (other == column || x[other] == y[other]) continue;
            const std::int64_t u = starts[other] + x[other], v = starts[other] + y[other];
            sum += of_y[u] - of_x[u] + of_x[v] - of_y[v] + 2;
        }
        return sum;
    }

    void add(std::int64_t a, std::int64_t b, float count) {
        excess[a * width + b] += count;
        excess[b * width + a] += count;
    }

    void swap(std::int64_t *x, std::int64_t *y, std::int64_t column) {
        const std::int64_t of_x = starts[column] + x[column], of_y = starts[column] + y[column];
        for (std::int64_t other = 0; other < columns; ++other) {
            if (other == column || x[other] == y[other]) continue;
            const std::int64_t u = starts[other] + x[other], v = starts[other] + y[other];
            add(of_y, u, 1), add(of_x, u, -1), add(of_x, v, 1), add(of_y, v, -1);
        }
        std::swap(x[column], y[column]);
    }
};

// Offer every row, column by column, one random partner of its stratum (strata are consecutive rows).
std::int64_t swap_towards(Rows rows, Rows strata, Rows starts, Excess excess, std::int64_t sweeps, std::uint64_t seed) {
    Search search{rows.mutable_data(), starts.data(), excess.mutable_data(), rows.shape(1), excess.shape(1)};
    const std::int64_t *edge = strata.data();
    const std::int64_t count = strata.shape(0) - 1;
    Xorshift random{seed | 1};
    std::int64_t swaps = 0;
    for (std::int64_t sweep = 0; sweep < sweeps; ++sweep)
        for (std::int64_t column = 0; column < search.columns; ++column)
            for (std::int64_t stratum = 0; stratum < count; ++stratum)
                for (std::int64_t row = edge[stratum]; row < edge[stratum + 1]; ++row) {
                    const std::int64_t other = edge[stratum] + random.below(edge[stratum + 1] - edge[stratum]);
                    std::int64_t *x = search.rows + row * search.columns, *y = search.rows + other * search.columns;
                    if (x[column] == y[column] || search.change(x, y, column) >= 0) continue;
                    search.swap(x, y, column);
                    ++swaps;
                }
    return swaps;
}

}  // namespace

void register_swaps(py::module_ &m) {
    m.def("swap_towards", &swap_towards, py::arg("rows").noconvert(), py::arg("strata"), py::arg("starts"),
          py::arg("excess").noconvert(), py::arg("sweeps"), py::arg("seed"));
}
