// Passes over millions of scores for the exact exponential mechanism and permute-and-flip (proofs/noise.md).
#pragma once
#include <utility>

#include "sampling/bits.hpp"

namespace oracledp {

// An upper bound of 2^bits exp(-rate gap), as a product over the hexadecimal digits of the gap.
// Row k of the table holds upper bounds of 2^bits exp(-rate v 16^k) for v = 0..15; past gap `last`, 1 is one.
struct UpperWeights {
    int64_t least;
    uint64_t last;
    unsigned bits;
    const uint64_t *table;

    uint64_t operator()(int64_t score) const {
        uint64_t gap = static_cast<uint64_t>(score) - static_cast<uint64_t>(least);
        if (gap > last) return 1;
        const Wide round_up = (Wide{1} << bits) - 1;
        uint64_t weight = table[gap & 15];
        const uint64_t *row = table;
        while (gap >>= 4) {
            row += 16;
            weight = static_cast<uint64_t>((Wide{weight} * row[gap & 15] + round_up) >> bits);
        }
        return weight;
    }
};

Wide sum_upper_weights(const UpperWeights &weight, const int64_t *scores, size_t count);
// The score in whose stretch of the upper weights, laid end to end, the target lies; and where in that stretch.
std::pair<size_t, uint64_t> find_upper_weight(const UpperWeights &weight, const int64_t *scores, size_t count,
                                              Wide target);
// Scores in random order; the first whose coin of probability exp(-(score - least) numerator / denominator) is heads.
size_t draw_permute_and_flip(const int64_t *scores, size_t count, int64_t least, uint64_t numerator,
                             uint64_t denominator, Bits &bits);

}  // namespace oracledp
