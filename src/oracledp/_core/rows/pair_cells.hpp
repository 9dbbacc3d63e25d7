// The tables of pairs of columns inside one matrix over the stacked bins of all columns. Post-processing: the matrix is
// a model's, never the records'.
#pragma once
#include "integers.hpp"

namespace oracledp {

// One table: its block of the matrix, and into how many cells of neighbouring bins its rows and columns are cut.
struct PairCut {
    int64_t row, column;              // the block's first row and column
    int64_t rows, columns;            // of cells
    int64_t row_edges, column_edges;  // where the edges of the cells stand, relative to the block: one more than cells
};

struct PairCuts {
    const PairCut *cuts;
    int64_t count;
    const int64_t *edges;
};

// Writes the sum of the matrix over every cell, table after table and row after row.
void sum_cells(const PairCuts &given, const float *matrix, int64_t width, float *sums);

// Adds each cell's value to every entry of its cell, and to the mirrored one.
void spread_cells(const PairCuts &given, const float *values, float *matrix, int64_t width);

}  // namespace oracledp
