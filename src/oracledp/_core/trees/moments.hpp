// Moments of weighted 0/1 records: for every small set of columns, the weight of the records that have all of them.
//
// They depend on the data alone, so a redraw of the noise reuses them. Sets of q columns are numbered in colex
// order (the greatest column decides), so that all sets with the same greatest columns lie side by side.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "integers.hpp"
#include "rows/bit_rows.hpp"

namespace oracledp {

constexpr int kMostColumns = 512;
constexpr int kHighestOrder = 16;
constexpr int kLanes = 8;  // sets handled together; every table is padded by as many entries

// binomial(n, k), saturated far above any size that is ever allocated.
inline int64_t binomial(int n, int k) {
    struct Table {
        int64_t entry[kMostColumns + 1][kHighestOrder + 1];
        Table() {
            for (int row = 0; row <= kMostColumns; ++row)
                for (int col = 0; col <= kHighestOrder; ++col)
                    entry[row][col] = col == 0 ? 1
                        : row == 0             ? 0
                                   : std::min(entry[row - 1][col] + entry[row - 1][col - 1], int64_t(1) << 60);
        }
    };
    static const Table table;
    return table.entry[n][k];
}

// Distinct records as the lists of their columns that are one, with weights.
struct SparseRecords {
    std::vector<size_t> start{0};
    std::vector<int> ones;
    std::vector<int64_t> weight;

    SparseRecords() = default;
    SparseRecords(const BitRows &rows, const int64_t *weights) {
        if (rows.count > INT32_MAX) throw std::length_error("too many distinct records");
        std::vector<int> found;
        for (size_t i = 0; i < rows.count; ++i) {
            found.clear();
            rows.each_one(i, [&](int j) { found.push_back(j); });
            add(found.data(), found.data() + found.size(), weights[i]);
        }
    }

    int count() const { return int(weight.size()); }
    void add(const int *first, const int *last, int64_t w) {
        ones.insert(ones.end(), first, last);
        start.push_back(ones.size());
        weight.push_back(w);
    }
    // The records that have column f, cut down to the columns below it.
    SparseRecords below(int f) const {
        SparseRecords kept;
        for (int i = 0; i < count(); ++i)
            for (size_t t = start[i]; t < start[i + 1] && ones[t] <= f; ++t)
                if (ones[t] == f) kept.add(&ones[start[i]], &ones[start[i]] + (t - start[i]), weight[i]);
        return kept;
    }
};

class Moments {
  public:
    Moments() = default;
    Moments(const SparseRecords &records, int columns, int order) : level_(order + 1) {
        for (int q = 0; q <= order; ++q) level_[q].assign(size_t(binomial(columns, q)) + kLanes, 0);
        for (int i = 0; i < records.count(); ++i) {
            const int *ones = records.ones.data() + records.start[i];
            const int count = int(records.start[i + 1] - records.start[i]);
            level_[0][0] += records.weight[i];
            for (int q = 1; q <= order; ++q) add(level_[q].data(), ones, count, q, records.weight[i]);
        }
    }
    const int64_t *level(int q) const { return level_[q].data(); }
    bool empty() const { return level_.empty(); }

  private:
    std::vector<std::vector<int64_t>> level_;

    static void add(int64_t *base, const int *ones, int count, int q, int64_t weight) {
        if (q == 1) {
            for (int t = 0; t < count; ++t) base[ones[t]] += weight;
            return;
        }
        for (int t = q - 1; t < count; ++t) add(base + binomial(ones[t], q), ones, t, q - 1, weight);
    }
};

// Turns moments over the subsets of s columns into the weights of the 2^s cells (in place).
inline void moments_to_cells(int64_t *table, int s) {
    for (int bit = 0; bit < s; ++bit)
        for (int x = 0; x < 1 << s; ++x)
            if (!(x >> bit & 1)) table[x] -= table[x | 1 << bit];
}

}  // namespace oracledp
