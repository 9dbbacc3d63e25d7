#include "listed/listed_queries.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "simd.hpp"
#include "threads.hpp"

namespace oracledp {
namespace {

constexpr size_t kBlock = 1 << 10;                 // queries whose sums stay in the first cache
constexpr size_t kWorthSharing = size_t{1} << 20;  // sums
constexpr size_t kShares = 8;

ODP_SIMD void add_costs(Value *sums, const int32_t *places, const Value *costs, size_t count) {
    for (size_t i = 0; i < count; ++i) sums[i] += costs[places[i]];
}

ODP_SIMD Value least_of(const Value *sums, size_t count) {
    Value least = std::numeric_limits<Value>::max();
    for (size_t i = 0; i < count; ++i) least = std::min(least, sums[i]);
    return least;
}

}  // namespace

ListedQueries::ListedQueries(const int32_t *table, const Value *worth, const int32_t *sizes, size_t queries, int most,
                             int parts)
    : queries_(queries), most_(most), parts_(parts), columns_(queries * size_t(most)),
      sizes_(sizes, sizes + (sizes ? queries : 0)), worth_(worth, worth + queries) {
    for (size_t query = 0; query < queries; ++query)
        for (int place = 0; place < most; ++place) {
            const int32_t part = table[query * size_t(most) + size_t(place)];
            if (part < -1 || part >= parts) throw std::out_of_range("a query has a part that does not exist");
            columns_[size_t(place) * queries + query] = part < 0 ? parts : part;
        }
    for (const int32_t size : sizes_) {
        if (size < 0) throw std::out_of_range("a query has a size below zero");
        greatest_size_ = std::max(greatest_size_, int(size));
    }
}

void ListedQueries::best(const Value *part_costs, const Value *size_costs, int size_count, size_t runs, int64_t *which,
                         Value *values) const {
    const size_t shares = runs > 1 && runs * queries_ >= kWorthSharing ? std::min(kShares, runs) : 1;
    each_share(shares, [&](size_t share) {
        std::vector<Value> costs(size_t(parts_) + 1), sums(kBlock);
        for (size_t run = share; run < runs; run += shares) {
            std::copy_n(part_costs + run * size_t(parts_), parts_, costs.data());
            values[run] = std::numeric_limits<Value>::max();
            for (size_t first = 0; first < queries_; first += kBlock) {
                const size_t count = std::min(kBlock, queries_ - first);
                std::copy_n(worth_.data() + first, count, sums.data());
                for (int place = 0; place < most_; ++place)
                    add_costs(sums.data(), columns_.data() + size_t(place) * queries_ + first, costs.data(), count);
                if (size_costs)
                    add_costs(sums.data(), sizes_.data() + first, size_costs + run * size_t(size_count), count);
                const Value least = least_of(sums.data(), count);
                if (least >= values[run]) continue;
                values[run] = least;
                which[run] = int64_t(first) + (std::find(sums.begin(), sums.end(), least) - sums.begin());
            }
        }
    });
}

}  // namespace oracledp
