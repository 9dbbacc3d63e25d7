// The cells that a few literals make of some rows: bit i of a cell's number says whether its rows have literal i.
#pragma once
#include <vector>

#include "checking/weighted_rows.hpp"

namespace oracledp::checking {

constexpr size_t kMostCellLiterals = 20;

// The net weight of each cell.
inline std::vector<Value> cells_of(const RowList &rows, const std::vector<int> &literals) {
    std::vector<Value> cells(size_t{1} << literals.size(), 0);
    for (size_t row = 0; row < rows.weights.size(); ++row) {
        size_t cell = 0;
        for (size_t i = 0; i < literals.size(); ++i)
            cell |= size_t(rows.row(row)[literals[i] / 64] >> (literals[i] % 64) & 1) << i;
        cells[cell] += rows.weights[row];
    }
    return cells;
}

// The cells of the rows that have the last literal, as the others see them.
inline std::vector<Value> having_last(const std::vector<Value> &cells) {
    return {cells.begin() + ptrdiff_t(cells.size() / 2), cells.end()};
}
// The cells of all rows as all literals but the last see them.
inline std::vector<Value> forgetting_last(const std::vector<Value> &cells) {
    std::vector<Value> sums = having_last(cells);
    for (size_t cell = 0; cell < sums.size(); ++cell) sums[cell] += cells[cell];
    return sums;
}

}  // namespace oracledp::checking
