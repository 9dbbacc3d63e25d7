// Tables over all 2^d subsets of d literals by fast transforms, and their best subsets under costs.
#pragma once
#include <optional>

#include "subsets/subset_screen.hpp"

namespace oracledp {

// The sum of weights that each subset's query covers: of the records that hold all of it, or an odd number. Kept in 32
// bits, in multiples of the greatest common divisor of the weights, or in 64 bits as it is.
class SubsetTable {
  public:
    SubsetTable(const uint32_t *masks, const Value *weights, size_t count, int literals, bool parity);

    // The first minimiser for each row of costs. `sizes` is null or has rows of one cost for each size 0..width.
    void best(int width, const Value *parts, const Value *sizes, size_t runs, uint64_t *masks, Value *values) const;
    int literals() const { return literals_; }

  private:
    template <class Scan>
    void scan_all(const Scan &scan, int width, const Value *parts, const Value *sizes, size_t runs, uint64_t *masks,
                  Value *values) const;

    int literals_;
    std::optional<SubsetScreen> screen_;
    Cells<Value> table_;
};

}  // namespace oracledp
