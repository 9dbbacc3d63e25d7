// What a search over conjunctions keeps of records and weights.
#pragma once
#include "rows/cover_sums.hpp"
#include "subsets/literal_set.hpp"
#include "subsets/subset_costs.hpp"

namespace oracledp {

// Depends on records and weights alone: prepared once, shared by every redraw of the costs.
class ConjunctionIndex {
  public:
    ConjunctionIndex(int literals, const PackedRows &packed);

    int literals() const { return literals_; }
    Value unit() const { return unit_; }  // the weights of the table are in multiples of this
    const RowTable &table() const { return table_; }
    Value total(Side side) const { return totals_[side]; }

    // The weight, on one side, of the rows that have `one` and lack `other`.
    Value lacking(Side side, int one, int other) const {
        const Value *row = &pairs_[side][size_t(one) * literals_];
        return row[one] - row[other];
    }

  private:
    int literals_;
    Value unit_;
    RowTable table_;
    Value totals_[2];
    std::vector<Value> pairs_[2];
};

// Facts about two literals that hold in every set, from sums over all rows.
class LiteralPairs {
  public:
    LiteralPairs(const ConjunctionIndex &index, const SubsetCosts &costs);

    // Some literal of the set is not worth keeping beside this one.
    bool makes_needless(int literal, const LiteralSet &included) const { return needless_[literal].meets(included); }
    // A set with this literal but without some literal outside `reachable` can be improved by adding it.
    bool demands_beyond(int literal, const LiteralSet &reachable) const {
        return !demanded_[literal].within(reachable);
    }

  private:
    std::vector<LiteralSet> needless_, demanded_;
};

}  // namespace oracledp
