// The weight of every set of few columns: of the rows that have all of them.
#pragma once
#include "rows/row_table.hpp"

namespace oracledp {

// Sets of at most `width` columns: by size, and in lexicographic order where sizes are equal.
std::vector<int64_t> subset_sums(const PackedRows &packed, int columns, int width);

}  // namespace oracledp
