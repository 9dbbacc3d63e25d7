// A uniformly random partition of the rows of a histogram into parts of given sizes (proofs/noise.md).
//
// Every row first gets an independent label, then random rows move from parts that are too large to parts
// that are too small. Nothing looks at which row is which, so all partitions are equally likely.
#pragma once
#include <vector>

#include "sampling/bits.hpp"

namespace oracledp {

struct Part {
    std::vector<int64_t> record, count;  // records strictly increasing
    uint64_t rows = 0, size = 0;

    void add(int64_t which, int64_t how_many) {
        rows += static_cast<uint64_t>(how_many);
        if (!record.empty() && record.back() == which) {
            count.back() += how_many;
        } else {
            record.push_back(which);
            count.push_back(how_many);
        }
    }
};

// The sizes must sum to the counts; the caller has checked that.
std::vector<Part> draw_partition(const int64_t *counts, size_t records, const std::vector<uint64_t> &sizes, Bits &bits);

}  // namespace oracledp
