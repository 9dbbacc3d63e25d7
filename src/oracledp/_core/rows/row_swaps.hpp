// Local search on synthetic rows: swaps of one column's values between rows of a stratum, kept where they bring the
// two-way counts closer to their targets. Post-processing: it sees synthetic rows and released targets only.
#pragma once
#include "integers.hpp"

namespace oracledp {

struct RowsInStrata {
    int64_t *rows;  // row after row
    int64_t columns;
    const int64_t *edges;  // stratum s is the rows edges[s] .. edges[s + 1] - 1
    int64_t strata;
    const int64_t *starts;  // of each column's block in the stacked bins
};

// Offers every row, column by column, one random partner of its stratum; returns how many swaps were kept.
// `excess` is a symmetric matrix over the stacked bins (`width` of them): rows minus target.
int64_t swap_towards(const RowsInStrata &given, float *excess, int64_t width, int64_t sweeps, uint64_t seed);

}  // namespace oracledp
