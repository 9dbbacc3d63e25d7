// Every set of a few literals at once, from the net weights of the cells that these literals make.
#pragma once
#include "rows/cell_index.hpp"
#include "subsets/incumbent.hpp"
#include "subsets/subset_costs.hpp"
#include "trees/work_meter.hpp"

namespace oracledp {

// Offers the best of all sets I ∪ T, T among a few columns of a table. A cell is the rows of a cover that agree on
// these columns. A literal that is left out folds the two halves of the cells into one, so that opposite weights
// cancel; one that is taken keeps a half; what the negative cells leave of a bound prunes (proofs/engine.md). For costs
// that add up literal by literal.
class CellSolver {
  public:
    static constexpr int kMostLiterals = 16;
    static constexpr int64_t kVisitCost = 128;  // of a child without it, for each of its literals, in rows of a cover

    CellSolver(const SubsetCosts &costs, Value unit, WorkMeter &meter, Incumbent &incumbent)
        : costs_(costs), unit_(unit), meter_(meter), incumbent_(incumbent) {}

    // The cover is that of `incumbent.included`, whose literals cost `cost`; its rows have the absolute weight
    // `weight`. The last column is decided first.
    void solve(const RowTable &table, const Word *cover, Value weight, const int *columns, int count, Value cost);

  private:
    template <class Number>
    void solve(std::vector<Number> &cells, const RowTable &table, const Word *cover, const int *columns, int count,
               Value cost);
    template <class Number> void decide(const Number *cells, int left, Value cost, Number *memory);
    bool hopeless(Value negative, Value kept, int left, Value cost) const;

    const SubsetCosts &costs_;
    const Value unit_;
    WorkMeter &meter_;
    Incumbent &incumbent_;
    int literals_[kMostLiterals];
    Value parts_[kMostLiterals];
    Value rest_[kMostLiterals + 1];     // the least that the first so many can cost
    std::vector<int16_t> short_cells_;  // as wide as sums need: half the width is twice the speed
    std::vector<int32_t> cells_;
    std::vector<Value> wide_cells_;
};

}  // namespace oracledp
