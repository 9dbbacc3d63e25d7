#include "rows/row_swaps.hpp"

#include <utility>

namespace oracledp {
namespace {

struct Xorshift {
    uint64_t state;
    // A number below bound; the bias of 2^-64 per value does not matter here.
    int64_t below(int64_t bound) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<int64_t>((Wide{state} * bound) >> 64);
    }
};

struct Search {
    const int64_t *starts;  // of each column's block in the stacked bins
    float *excess;          // stacked bins x stacked bins: rows minus target, symmetric
    int64_t columns, width;

    // Change of half the squared excess if rows x and y swap their values of a column.
    float change(const int64_t *x, const int64_t *y, int64_t column) const {
        const float *of_x = excess + (starts[column] + x[column]) * width;
        const float *of_y = excess + (starts[column] + y[column]) * width;
        float sum = 0;
        for (int64_t other = 0; other < columns; ++other) {
            if (other == column || x[other] == y[other]) continue;
            const int64_t u = starts[other] + x[other], v = starts[other] + y[other];
            sum += of_y[u] - of_x[u] + of_x[v] - of_y[v] + 2;
        }
        return sum;
    }

    void add(int64_t a, int64_t b, float count) {
        excess[a * width + b] += count;
        excess[b * width + a] += count;
    }

    void swap(int64_t *x, int64_t *y, int64_t column) {
        const int64_t of_x = starts[column] + x[column], of_y = starts[column] + y[column];
        for (int64_t other = 0; other < columns; ++other) {
            if (other == column || x[other] == y[other]) continue;
            const int64_t u = starts[other] + x[other], v = starts[other] + y[other];
            add(of_y, u, 1), add(of_x, u, -1), add(of_x, v, 1), add(of_y, v, -1);
        }
        std::swap(x[column], y[column]);
    }
};

}  // namespace

int64_t swap_towards(const RowsInStrata &given, float *excess, int64_t width, int64_t sweeps, uint64_t seed) {
    Search search{given.starts, excess, given.columns, width};
    Xorshift random{seed | 1};
    int64_t swaps = 0;
    for (int64_t sweep = 0; sweep < sweeps; ++sweep)
        for (int64_t column = 0; column < given.columns; ++column)
            for (int64_t stratum = 0; stratum < given.strata; ++stratum) {
                const int64_t first = given.edges[stratum], end = given.edges[stratum + 1];
                for (int64_t row = first; row < end; ++row) {
                    const int64_t other = first + random.below(end - first);
                    int64_t *x = given.rows + row * given.columns, *y = given.rows + other * given.columns;
                    if (x[column] == y[column] || search.change(x, y, column) >= 0) continue;
                    search.swap(x, y, column);
                    ++swaps;
                }
            }
    return swaps;
}

}  // namespace oracledp
