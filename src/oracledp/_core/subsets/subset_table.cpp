#include "subsets/subset_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "subsets/fast_transforms.hpp"
#include "subsets/subset_scan.hpp"

namespace oracledp {
namespace {

constexpr Value kSmall = 1 << 30;  // sums of absolute weights below this fit 32 bits, and so do differences of two

template <class T>
std::vector<T> covered_sums(const uint32_t *masks, const Value *weights, size_t count, Value unit, int literals,
                            bool parity) {
    std::vector<T> table(size_t{1} << literals, 0);
    for (size_t i = 0; i < count; ++i) {
        if (masks[i] >= table.size()) throw std::out_of_range("a record has more bits than there are literals");
        table[masks[i]] += T(weights[i] / unit);
    }
    if (!parity) {
        transform_shared<SupersetSum>(table.data(), table.size());
        return table;
    }
    transform_shared<WalshHadamard>(table.data(), table.size());
    const T total = table[0];
    for (T &sum : table) sum = (total - sum) / 2;
    return table;
}

}  // namespace

SubsetTable::SubsetTable(const uint32_t *masks, const Value *weights, size_t count, int literals, bool parity)
    : literals_(literals) {
    Value common = 0, total = 0;
    for (size_t i = 0; i < count; ++i) common = std::gcd(common, weights[i]);
    const Value unit = std::max<Value>(1, common);
    for (size_t i = 0; i < count; ++i) total += std::abs(weights[i]) / unit;
    if (total < kSmall) {
        screen_.emplace(covered_sums<int32_t>(masks, weights, count, unit, literals, parity), literals, unit);
    } else {
        table_ = covered_sums<Value>(masks, weights, count, 1, literals, parity);
    }
}

template <class Scan>
void SubsetTable::scan_all(Scan scan, int width, const Value *parts, const Value *sizes, size_t runs, uint64_t *masks,
                           Value *values) const {
    for (size_t run = 0; run < runs; ++run) {
        const BestMask found = scan.best(parts + run * literals_, sizes ? sizes + run * (width + 1) : nullptr);
        masks[run] = found.mask;
        values[run] = found.value;
    }
}

void SubsetTable::best(int width, const Value *parts, const Value *sizes, size_t runs, uint64_t *masks,
                       Value *values) const {
    if (screen_) return scan_all(ScreenScan(*screen_, width), width, parts, sizes, runs, masks, values);
    scan_all(SubsetScan(table_, literals_, width), width, parts, sizes, runs, masks, values);
}

}  // namespace oracledp
