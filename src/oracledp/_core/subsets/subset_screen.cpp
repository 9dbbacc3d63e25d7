// Screening. Costs and sums are rounded down to a quantum, so a value in quanta is at most the true one and less than
// `slack` quanta below it. Subsets further than that from the least cannot be best; the few others are evaluated
// exactly. Quanta may exceed every sum by any factor: a shift to the right beyond 31 places is one by 31, the sign.
#include "subsets/subset_screen.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "simd.hpp"
#include "threads.hpp"

namespace oracledp {
namespace {

constexpr int kLowLiterals = 9;
constexpr int kScreenBits = 28;          // values stay below 2^28 quanta,
constexpr int32_t kForbidden = 1 << 30;  // far from the mark of subsets that are too wide

template <class Entry> inline int32_t least(size_t count, Entry entry) {
    int32_t found = std::numeric_limits<int32_t>::max();
    for (size_t i = 0; i < count; ++i) found = std::min(found, entry(i));
    return found;
}
ODP_SIMD int32_t least_of(const int32_t *values, size_t count) {
    return least(count, [=](size_t i) { return values[i]; });
}
ODP_SIMD int32_t greatest_of(const int32_t *values, size_t count) {
    int32_t found = std::numeric_limits<int32_t>::min();
    for (size_t i = 0; i < count; ++i) found = std::max(found, values[i]);
    return found;
}
ODP_SIMD int32_t least_raised(const int32_t *sums, const int32_t *costs, int32_t factor, size_t count) {
    return least(count, [=](size_t i) { return sums[i] * factor + costs[i]; });
}
ODP_SIMD int32_t least_lowered(const int32_t *sums, const int32_t *costs, int shift, size_t count) {
    return least(count, [=](size_t i) { return (sums[i] >> shift) + costs[i]; });
}

template <class Cost> void subset_sums(std::vector<int32_t> &sums, int count, Cost cost) {
    sums[0] = 0;
    for (int bit = 0; bit < count; ++bit) {
        const size_t step = size_t{1} << bit;
        const int32_t more = cost(bit);
        for (size_t i = 0; i < step; ++i) sums[step + i] = sums[i] + more;
    }
}

}  // namespace

SubsetScreen::SubsetScreen(Cells<int32_t> sums, int literal_count, Value unit_of_sums)
    : table(std::move(sums)), literals(literal_count), low(std::min(literals, kLowLiterals)), unit(unit_of_sums),
      greatest(0), low_size(size_t{1} << low), high_size(table.size() / low_size), least(high_size) {
    const size_t shares = std::min<size_t>(high_size, 32);
    std::vector<int32_t> extremes(2 * shares, 0);
    each_share(shares, [&](size_t share) {
        for (size_t high = share * high_size / shares; high < (share + 1) * high_size / shares; ++high) {
            const int32_t *block = table.data() + high * low_size;
            least[high] = least_of(block, low_size);
            extremes[2 * share] = std::min(extremes[2 * share], least[high]);
            extremes[2 * share + 1] = std::max(extremes[2 * share + 1], greatest_of(block, low_size));
        }
    });
    for (const int32_t sum : extremes) greatest = std::max<Value>(greatest, std::llabs(sum));
    for (size_t i = 0; i < std::max(low_size, high_size); ++i) sizes.push_back(i ? sizes[i / 2] + (i & 1) : 0);
    greatest *= unit;
    if (greatest == 0) unit = 1;  // no sum needs it, and a large one would only coarsen the quanta of the costs
}

ScreenScan::ScreenScan(const SubsetScreen &screen, int width)
    : screen_(screen), width_(width), slack_(screen.literals + 2), low_costs_(screen.low_size),
      costs_((screen.literals - screen.low + 1) * screen.low_size), least_cost_(screen.literals - screen.low + 1),
      high_costs_(screen.high_size), bounds_(screen.high_size) {}

BestMask ScreenScan::best(const Value *parts, const Value *sizes) {
    choose_quantum(parts, sizes);
    table_costs(parts, sizes);
    find_close_blocks();
    return decide(parts, sizes);
}

// The finest quantum in which everything fits: the unit of the data divided or multiplied by a power of two.
void ScreenScan::choose_quantum(const Value *parts, const Value *sizes) {
    Value most = screen_.greatest, most_for_size = 0;
    for (int literal = 0; literal < screen_.literals; ++literal) most += std::llabs(parts[literal]);
    for (int size = 0; sizes && size <= width_; ++size)
        most_for_size = std::max<Value>(most_for_size, std::llabs(sizes[size]));
    const int spare =
        bit_length(Word(screen_.unit)) - 1 - std::max(0, bit_length(Word(most + most_for_size)) - kScreenBits);
    const int shift = std::min(spare, __builtin_ctzll(Word(screen_.unit)));
    quantum_ = shift >= 0 ? screen_.unit >> shift : screen_.unit << -shift;
    raise_ = int32_t{1} << std::max(shift, 0);  // below 2^28: the unit is at most the greatest sum
    lower_ = std::min(std::max(-shift, 0), 31);
}

int32_t ScreenScan::quanta(Value cost) const {
    const Value whole = cost / quantum_;
    return int32_t(whole - (whole * quantum_ > cost));
}

// The costs of low literals and size, one table for each number of high literals; the costs of the high ones.
void ScreenScan::table_costs(const Value *parts, const Value *sizes) {
    const int low = screen_.low;
    subset_sums(low_costs_, low, [&](int bit) { return quanta(parts[bit]); });
    subset_sums(high_costs_, screen_.literals - low, [&](int bit) { return quanta(parts[low + bit]); });
    alike_ = !sizes && width_ == screen_.literals;
    if (alike_) {
        least_cost_[0] = least_of(low_costs_.data(), screen_.low_size);
        return;
    }
    std::vector<int32_t> size_costs(screen_.literals + 1, kForbidden);
    for (int size = 0; size <= width_; ++size) size_costs[size] = sizes ? quanta(sizes[size]) : 0;
    for (int count = 0; count < int(least_cost_.size()) && count <= width_; ++count) {
        int32_t *costs = &costs_[count * screen_.low_size];
        for (size_t i = 0; i < screen_.low_size; ++i) {
            const int32_t size_cost = size_costs[count + screen_.sizes[i]];
            costs[i] = size_cost == kForbidden ? kForbidden : low_costs_[i] + size_cost;
        }
        least_cost_[count] = least_of(costs, screen_.low_size);
    }
}

const int32_t *ScreenScan::costs_of(size_t high) const {
    return alike_ ? low_costs_.data() : &costs_[screen_.sizes[high] * screen_.low_size];
}

int32_t ScreenScan::least_in(size_t high) const {
    const int32_t *sums = screen_.table.data() + high * screen_.low_size, *costs = costs_of(high);
    const int32_t found = lower_ ? least_lowered(sums, costs, lower_, screen_.low_size)
                                 : least_raised(sums, costs, raise_, screen_.low_size);
    return found + high_costs_[high];
}

// The block of least bound first, then every block whose bound is close to the least value seen.
void ScreenScan::find_close_blocks() {
    size_t first = 0;
    for (size_t high = 0; high < screen_.high_size; ++high) {
        const int count = screen_.sizes[high];
        const int32_t costs = alike_ ? least_cost_[0] : count <= width_ ? least_cost_[count] : kForbidden;
        bounds_[high] = screened(screen_.least[high]) + high_costs_[high] + costs;
        if (bounds_[high] < bounds_[first]) first = high;
    }
    least_ = least_in(first);
    close_.clear();
    for (size_t high = 0; high < screen_.high_size; ++high) {
        if (bounds_[high] > least_ + slack_) continue;
        const int32_t found = least_in(high);
        if (found > least_ + slack_) continue;
        least_ = std::min(least_, found);
        close_.push_back(high);
    }
}

BestMask ScreenScan::decide(const Value *parts, const Value *sizes) const {
    BestMask found{0, std::numeric_limits<Value>::max()};
    for (const size_t high : close_) {
        const int32_t *sums = screen_.table.data() + high * screen_.low_size, *costs = costs_of(high);
        const int32_t last = least_ + slack_ - high_costs_[high];
        for (size_t i = 0; i < screen_.low_size; ++i) {
            if (screened(sums[i]) + costs[i] > last) continue;
            const uint64_t mask = high * screen_.low_size + i;
            const Value value = exactly(mask, parts, sizes);
            if (value < found.value) found = {mask, value};
        }
    }
    return found;
}

Value ScreenScan::exactly(uint64_t mask, const Value *parts, const Value *sizes) const {
    Value value = screen_.table[mask] * screen_.unit;
    int size = 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1, ++size) value += parts[__builtin_ctzll(rest)];
    return sizes ? value + sizes[size] : value;
}

}  // namespace oracledp
