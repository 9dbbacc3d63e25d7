// The cells that some literals make of rows, in the order of their numbers: the last literal is the lowest bit.
#pragma once
#include <algorithm>
#include <vector>

#include "checking/weighted_rows.hpp"

namespace oracledp::checking {

constexpr size_t kMostCellLiterals = 60;  // bits of a number

struct Cell {
    Word number;
    Value weight;  // net, of all its rows
};
using Cells = std::vector<Cell>;

// Cells in order, those of equal numbers made one.
inline Cells merged_cells(const Cells &cells) {
    Cells found;
    for (const Cell &cell : cells) {
        if (found.empty() || found.back().number != cell.number) found.push_back({cell.number, 0});
        found.back().weight += cell.weight;
    }
    return found;
}

inline Cells cells_of(const RowList &rows, const std::vector<int> &literals) {
    Cells cells;
    for (size_t row = 0; row < rows.weights.size(); ++row) {
        Word number = 0;
        for (const int literal : literals) number = 2 * number + (rows.row(row)[literal / 64] >> (literal % 64) & 1);
        cells.push_back({number, rows.weights[row]});
    }
    std::sort(cells.begin(), cells.end(), [](const Cell &one, const Cell &other) { return one.number < other.number; });
    return merged_cells(cells);
}

// The cells of the rows that have the last literal, as the others see them.
inline Cells having_last(const Cells &cells) {
    Cells found;
    for (const Cell &cell : cells)
        if (cell.number & 1) found.push_back({cell.number / 2, cell.weight});
    return found;
}
// The cells of all rows as all literals but the last see them.
inline Cells forgetting_last(Cells cells) {
    for (Cell &cell : cells) cell.number /= 2;
    return merged_cells(cells);
}

// The weight of the rows that have every one of so many literals.
inline Value having_all(const Cells &cells, size_t literals) {
    const bool some = !cells.empty() && cells.back().number == (Word{1} << literals) - 1;
    return some ? cells.back().weight : 0;
}

}  // namespace oracledp::checking
