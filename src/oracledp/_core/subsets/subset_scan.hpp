// The best subset of a table of 64-bit sums under costs.
#pragma once
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "simd.hpp"
#include "subsets/subset_screen.hpp"

namespace oracledp {

ODP_SIMD inline Value least_sum(const Value *table, const Value *costs, size_t count) {
    Value least = std::numeric_limits<Value>::max();
    for (size_t i = 0; i < count; ++i) least = std::min(least, table[i] + costs[i]);
    return least;
}

// A mask is split into low literals, whose costs are tabled once for each number of high ones, and high literals,
// whose cost is one number.
class SubsetScan {
  public:
    SubsetScan(const Cells<Value> &table, int literals, int width)
        : table_(table), literals_(literals), width_(width), low_(std::min(literals, 10)), low_size_(size_t{1} << low_),
          high_size_(size_t{1} << (literals - low_)), costs_((literals - low_ + 1) * low_size_), low_costs_(low_size_),
          high_costs_(high_size_) {}

    BestMask best(const Value *part_costs, const Value *size_costs) {
        subset_sums(low_costs_, part_costs, low_);
        subset_sums(high_costs_, part_costs + low_, literals_ - low_);
        table_costs(size_costs);
        BestMask found{0, std::numeric_limits<Value>::max()};
        for (size_t high = 0; high < high_size_; ++high) {
            const int count = __builtin_popcountll(high);
            if (count > width_) continue;
            const Value *row = table_.data() + high * low_size_, *cost = &costs_[count * low_size_];
            const Value least = least_sum(row, cost, low_size_) + high_costs_[high];
            if (least < found.value) found = locate(row, cost, high, least);
        }
        return found;
    }

  private:
    // Half the range: a forbidden sum stays above every allowed one and cannot wrap.
    static constexpr Value kForbidden = std::numeric_limits<Value>::max() / 2;

    void table_costs(const Value *size_costs) {
        for (int count = 0; count <= std::min(width_, literals_ - low_); ++count)
            for (size_t i = 0; i < low_size_; ++i) {
                const int size = count + __builtin_popcountll(i);
                costs_[count * low_size_ + i] =
                    size > width_ ? kForbidden : low_costs_[i] + (size_costs ? size_costs[size] : 0);
            }
    }

    static void subset_sums(std::vector<Value> &sums, const Value *costs, int count) {
        sums[0] = 0;
        for (int bit = 0; bit < count; ++bit) {
            const size_t step = size_t{1} << bit;
            for (size_t i = 0; i < step; ++i) sums[step + i] = sums[i] + costs[bit];
        }
    }

    BestMask locate(const Value *row, const Value *cost, size_t high, Value least) const {
        for (size_t i = 0; i < low_size_; ++i)
            if (row[i] + cost[i] + high_costs_[high] == least) return {high * low_size_ + i, least};
        throw std::logic_error("the least value is not in its row");
    }

    const Cells<Value> &table_;
    const int literals_, width_, low_;
    const size_t low_size_, high_size_;
    std::vector<Value> costs_, low_costs_, high_costs_;
};

}  // namespace oracledp
