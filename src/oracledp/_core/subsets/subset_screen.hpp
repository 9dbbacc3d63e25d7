// The best subset of a table under costs: screened in 32-bit numbers, decided in exact ones.
#pragma once
#include <vector>

#include "integers.hpp"
#include "subsets/cells.hpp"

namespace oracledp {

struct BestMask {
    uint64_t mask;
    Value value;
};

// A table of data sums (in multiples of `unit`) over all subsets of some literals, cut into blocks of subsets that
// agree on the high literals, with the least entry of each block.
struct SubsetScreen {
    SubsetScreen(Cells<int32_t> sums, int literal_count, Value unit_of_sums);

    Cells<int32_t> table;
    int literals, low;
    Value unit, greatest;  // greatest: absolute data value
    size_t low_size, high_size;
    std::vector<int32_t> least;
    std::vector<uint8_t> sizes;  // of the subsets of low literals, or of high ones
};

// Scans a screen for one set of costs after the other.
class ScreenScan {
  public:
    ScreenScan(const SubsetScreen &screen, int width);

    // The first mask of least value. `sizes` is null or has one cost for each size 0..width.
    BestMask best(const Value *parts, const Value *sizes);

  private:
    void choose_quantum(const Value *parts, const Value *sizes);
    int32_t quanta(Value cost) const;
    void table_costs(const Value *parts, const Value *sizes);
    void find_close_blocks();
    int32_t screened(int32_t sum) const { return (sum * raise_) >> lower_; }
    int32_t least_in(size_t high) const;
    const int32_t *costs_of(size_t high) const;
    BestMask decide(const Value *parts, const Value *sizes) const;
    Value exactly(uint64_t mask, const Value *parts, const Value *sizes) const;

    const SubsetScreen &screen_;
    const int width_;
    bool alike_ = false;  // one table of costs serves every number of high literals
    Value quantum_ = 1;
    int32_t raise_ = 1;  // a table entry times this is its value in quanta,
    int lower_ = 0;      // or shifted to the right by this and so rounded down; one of the two does nothing
    int32_t slack_, least_ = 0;
    std::vector<int32_t> low_costs_, costs_, least_cost_, high_costs_, bounds_;
    std::vector<size_t> close_;  // blocks that may hold the best
};

}  // namespace oracledp
