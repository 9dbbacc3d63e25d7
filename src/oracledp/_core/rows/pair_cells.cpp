#include "rows/pair_cells.hpp"

namespace oracledp {
namespace {

// The cells of a table, seen by rows or, mirrored, by columns.
struct Side {
    const int64_t *rows, *columns;  // edges
    int64_t count, length;          // of cells
    int64_t over, down;             // steps in the values from one cell to the next: in a row, and from row to row
};

void spread(const Side &side, const float *values, float *block, int64_t width) {
    for (int64_t row = 0; row < side.count; ++row)
        for (int64_t line = side.rows[row]; line < side.rows[row + 1]; ++line) {
            const float *value = values + row * side.down;
            float *entries = block + line * width;
            for (int64_t cell = 0; cell < side.length; ++cell, value += side.over)
                for (int64_t at = side.columns[cell]; at < side.columns[cell + 1]; ++at) entries[at] += *value;
        }
}

}  // namespace

void sum_cells(const PairCuts &given, const float *matrix, int64_t width, float *sums) {
    for (const PairCut *cut = given.cuts; cut != given.cuts + given.count; ++cut) {
        const int64_t *rows = given.edges + cut->row_edges, *columns = given.edges + cut->column_edges;
        for (int64_t row = 0; row < cut->rows; ++row, sums += cut->columns) {
            for (int64_t cell = 0; cell < cut->columns; ++cell) sums[cell] = 0;
            for (int64_t line = rows[row]; line < rows[row + 1]; ++line) {
                const float *entries = matrix + (cut->row + line) * width + cut->column;
                for (int64_t cell = 0; cell < cut->columns; ++cell)
                    for (int64_t at = columns[cell]; at < columns[cell + 1]; ++at) sums[cell] += entries[at];
            }
        }
    }
}

void spread_cells(const PairCuts &given, const float *values, float *matrix, int64_t width) {
    for (const PairCut *cut = given.cuts; cut != given.cuts + given.count; ++cut) {
        const int64_t *rows = given.edges + cut->row_edges, *columns = given.edges + cut->column_edges;
        const Side upright{rows, columns, cut->rows, cut->columns, 1, cut->columns};
        const Side mirrored{columns, rows, cut->columns, cut->rows, cut->columns, 1};
        spread(upright, values, matrix + cut->row * width + cut->column, width);
        spread(mirrored, values, matrix + cut->column * width + cut->row, width);
        values += cut->rows * cut->columns;
    }
}

}  // namespace oracledp
