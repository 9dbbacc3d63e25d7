#include "sampling/selection.hpp"

#include <numeric>
#include <stdexcept>
#include <vector>

#include "sampling/exact_draws.hpp"

namespace oracledp {

Wide sum_upper_weights(const UpperWeights &weight, const int64_t *scores, size_t count) {
    Wide total = 0;
    for (size_t i = 0; i < count; ++i) total += weight(scores[i]);
    return total;
}

std::pair<size_t, uint64_t> find_upper_weight(const UpperWeights &weight, const int64_t *scores, size_t count,
                                              Wide target) {
    size_t index = 0;
    for (; index < count; ++index) {
        const uint64_t stretch = weight(scores[index]);
        if (target < stretch) break;
        target -= stretch;
    }
    return {index, static_cast<uint64_t>(target)};
}

size_t draw_permute_and_flip(const int64_t *scores, size_t count, int64_t least, uint64_t numerator,
                             uint64_t denominator, Bits &bits) {
    if (count > UINT32_MAX) throw std::length_error("too many scores");
    Exact<> exact(bits);
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    for (size_t i = 0; i < count; ++i) {
        std::swap(order[i], order[i + exact.below(count - i)]);
        const auto gap = static_cast<uint64_t>(scores[order[i]]) - static_cast<uint64_t>(least);
        if (exact.exp_minus(Wide{gap} * numerator, Wide{denominator})) return order[i];
    }
    throw std::logic_error("no score equals the least score");
}

}  // namespace oracledp
