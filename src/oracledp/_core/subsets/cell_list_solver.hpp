// Every set of some literals at once, from the net weights of the cells that these literals make.
#pragma once
#include "rows/cell_list.hpp"
#include "subsets/incumbent.hpp"
#include "subsets/subset_costs.hpp"
#include "trees/work_meter.hpp"

namespace oracledp {

// Offers the best of all sets I ∪ T, T among some columns of a table. A cell is the rows of a cover that agree on
// these columns. A literal that is left out makes one cell of each two that it alone tells apart, so that opposite
// weights cancel; one that is taken keeps the cells that have it; what the negative cells leave of a bound prunes
// (proofs/engine.md). For costs that add up literal by literal.
class CellListSolver {
  public:
    static constexpr int64_t kRowCost = 8;  // to sort a row and go through it, in rows added to a table of cells

    CellListSolver(const SubsetCosts &costs, Value unit, WorkMeter &meter, Incumbent &incumbent)
        : costs_(costs), unit_(unit), meter_(meter), incumbent_(incumbent) {}

    // In a long search, on rows few enough that choosing literals anew in each node saves less than sorting them once,
    // and unless too many rows were sorted in vain.
    bool pays(int64_t rows) const { return meter_.spent() >= kLongSearch && rows <= kMostRows && credit_ > 0; }

    // The cover is that of `incumbent.included`, whose literals cost `cost`. The last column is decided first. The
    // cells must fit. False, and nothing done, where next to no rows share a cell, of which there are `most` at most.
    bool solve(const RowTable &table, const Word *cover, const int *columns, int count, Value cost, int64_t most);

  private:
    static constexpr int64_t kLongSearch = 300'000, kMostRows = 8000;

    struct Rest {
        Value part, least;  // of the literal decided at a place; the least that it and those after it can cost
        int literal;
    };

    void decide(const int64_t *cells, size_t size, int place, Value cost, int64_t *memory);
    bool hopeless(const int64_t *cells, CellList::Part part, int place, Value cost) const;

    const SubsetCosts &costs_;
    const Value unit_;
    WorkMeter &meter_;
    Incumbent &incumbent_;
    CellList list_;
    int count_ = 0;
    int64_t credit_ = 100'000;  // rows that were worth sorting, less those that were not
    Rest rests_[CellList::kMostColumns + 1];
};

}  // namespace oracledp
