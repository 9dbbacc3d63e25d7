// The values of all parities of few literals, a block at a time.
#pragma once
#include <functional>

#include "rows/cover_sums.hpp"
#include "subsets/incumbent.hpp"

namespace oracledp {

// For a set R smaller than the width: the sums of R ∪ {j} for the literals j below all of R.
struct ParityBlock {
    const std::vector<int> &larger;  // R, in decreasing order
    int below;
    const Value *sums;
};

class ParitySums {
  public:
    // `keep` holds on to all sums, so that later passes only read them.
    ParitySums(const PackedRows &packed, int literals, int width, bool keep);

    // Every block once, depth first, until visit returns false; then false. The empty set, of sum zero, is in no block.
    using Visit = std::function<bool(const ParityBlock &)>;
    bool each_block(const Visit &visit) const;

    // For each row of costs the first minimiser in the order of bit masks. `sizes` is null or has rows of one cost for
    // each size 0..width.
    std::vector<Incumbent> best(const Value *parts, const Value *sizes, size_t runs) const;

    int literals() const { return table_.columns(); }
    int width() const { return width_; }

  private:
    struct Walk;

    RowTable table_;
    int width_;
    Value unit_;
    std::vector<Value> single_;  // of one literal each
    std::vector<Value> kept_;    // block after block
};

}  // namespace oracledp
