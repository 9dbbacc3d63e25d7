// Rows by what they have of a few columns.
#pragma once
#include "rows/row_table.hpp"

namespace oracledp {

// Adds the weight of every row of the cover to its cell: bit i of a cell's number says whether the row has columns[i].
// At most 16 columns. Returns how many rows there are.
size_t add_to_cells(const RowTable &table, const Word *cover, const int *columns, int count, int16_t *cells);
size_t add_to_cells(const RowTable &table, const Word *cover, const int *columns, int count, int32_t *cells);
size_t add_to_cells(const RowTable &table, const Word *cover, const int *columns, int count, int64_t *cells);

}  // namespace oracledp
