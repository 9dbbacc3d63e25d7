// Rows by what they have of some columns: a cell is the rows that agree on all of these, with their net weight.
#pragma once
#include "rows/row_table.hpp"

namespace oracledp {

// Cells in the order of their numbers. Bit p of a number says whether the rows have the column that is decided as
// number p; the bits of columns decided before mean nothing any more. A cell is one integer: its weight, then
// `columns` bits of its number. Cells of weight zero are left out.
class CellList {
  public:
    static constexpr int kMostColumns = 40;

    struct Part {
        size_t size;
        int64_t negative;  // the weight of its negative cells
    };

    // Whether cells of so many columns hold sums up to this weight.
    static bool fits(int columns, int64_t weight) { return columns <= kMostColumns && weight >> (62 - columns) == 0; }

    // The cells that columns[count - 1], ..., columns[0], decided in this order, make of a cover.
    Part fill(const RowTable &table, const Word *cover, const int *columns, int count);

    const int64_t *cells() const { return cells_.data(); }
    int64_t *free_memory(size_t size) { return cells_.data() + size + kSlack; }

    // What is left of some cells when column `place` is decided. Taken: the cells that have it. Left out: no query
    // tells the cells any more that differ in it alone; there are two of a kind at most, side by side, and they are
    // added up. `out` has room for `size` cells and some more.
    Part take(const int64_t *cells, size_t size, int place, int64_t *out) const;
    Part leave(const int64_t *cells, size_t size, int place, int64_t *out) const;

    int64_t weight(int64_t cell) const { return cell >> columns_; }
    // The weight of the cell that has every column from `place` on, if there is one: it is the last.
    int64_t weight_of_all(const int64_t *cells, size_t size, int place) const {
        const int64_t all = numbers() >> place << place;
        return size && (cells[size - 1] & all) == all ? weight(cells[size - 1]) : 0;
    }

    static constexpr size_t kSlack = 16;  // vectors are read and written whole

  private:
    int64_t numbers() const { return (int64_t{1} << columns_) - 1; }
    void sort(size_t size);

    int columns_ = 0;
    std::vector<int64_t> cells_, rows_, sorted_;
};

}  // namespace oracledp
