#include "subsets/subset_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "subsets/fast_transforms.hpp"
#include "subsets/subset_scan.hpp"
#include "threads.hpp"

namespace oracledp {
namespace {

constexpr Value kSmall = 1 << 30;  // sums of absolute weights below this fit 32 bits, and so do differences of two

constexpr size_t kBlockBytes = size_t{1} << 19;  // a quarter of the second cache

// Rows by the block of subsets that they fall into.
struct BlockedRows {
    BlockedRows(const uint32_t *masks, size_t count, int block_literals, size_t blocks) : ends(blocks), order(count) {
        for (size_t i = 0; i < count; ++i) {
            if (masks[i] >> block_literals >= blocks)
                throw std::out_of_range("a record has more bits than there are literals");
            ++ends[masks[i] >> block_literals];
        }
        size_t start = 0;
        for (size_t &end : ends) start += std::exchange(end, start);
        for (size_t i = 0; i < count; ++i) order[ends[masks[i] >> block_literals]++] = uint32_t(i);
    }
    std::vector<size_t> ends;
    std::vector<uint32_t> order;
};

template <class Step, class T>
Cells<T> transformed(const uint32_t *masks, const Value *weights, size_t count, Value unit, int literals) {
    int low = literals;
    while ((sizeof(T) << low) > kBlockBytes) --low;
    const size_t block = size_t{1} << low, blocks = size_t{1} << (literals - low);
    if (count > UINT32_MAX) throw std::length_error("too many rows");
    const BlockedRows rows(masks, count, low, blocks);
    Cells<T> table(block * blocks);
    each_share(blocks, [&](size_t number) {
        T *cells = table.data() + number * block;
        std::fill_n(cells, block, T{0});
        const size_t first = number ? rows.ends[number - 1] : 0;
        if (first == rows.ends[number]) return;
        for (size_t i = first; i < rows.ends[number]; ++i) {
            const uint32_t row = rows.order[i];
            cells[masks[row] & (block - 1)] += T(weights[row] / unit);
        }
        transform<Step>(cells, block);
    });
    if (blocks > 1) transform_strips<Step>(table.data(), block, blocks);
    return table;
}

template <class T>
Cells<T> covered_sums(const uint32_t *masks, const Value *weights, size_t count, Value unit, int literals,
                      bool parity) {
    if (!parity) return transformed<SupersetSum, T>(masks, weights, count, unit, literals);
    Cells<T> table = transformed<WalshHadamard, T>(masks, weights, count, unit, literals);
    const T total = table[0];
    constexpr size_t share_size = size_t{1} << 16;
    const size_t shares = std::max<size_t>(1, table.size() / share_size), length = table.size() / shares;
    each_share(shares, [&](size_t share) {
        T *sums = table.data() + share * length;
        for (size_t i = 0; i < length; ++i) sums[i] = (total - sums[i]) / 2;
    });
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
void SubsetTable::scan_all(const Scan &scan, int width, const Value *parts, const Value *sizes, size_t runs,
                           uint64_t *masks, Value *values) const {
    const size_t shares = runs > 1 ? std::min<size_t>(runs, 8) : 1;
    each_share(shares, [&](size_t share) {
        Scan own = scan;
        for (size_t run = share; run < runs; run += shares) {
            const BestMask found = own.best(parts + run * literals_, sizes ? sizes + run * (width + 1) : nullptr);
            masks[run] = found.mask;
            values[run] = found.value;
        }
    });
}

void SubsetTable::best(int width, const Value *parts, const Value *sizes, size_t runs, uint64_t *masks,
                       Value *values) const {
    if (screen_) return scan_all(ScreenScan(*screen_, width), width, parts, sizes, runs, masks, values);
    scan_all(SubsetScan(table_, literals_, width), width, parts, sizes, runs, masks, values);
}

}  // namespace oracledp
