// Weights of sampled trees: integers in units of 2^-63, rounded up.
#pragma once
#include <algorithm>
#include <vector>

#include "integers.hpp"
#include "trees/broken_tree.hpp"

namespace oracledp {

constexpr uint64_t kOne = uint64_t(1) << 63;  // a query whose value is the floor

// Upper bounds on 2^63 e^{-rate x} for integers x >= 0, from those for x = 2^j.
class Heights {
  public:
    explicit Heights(std::vector<uint64_t> powers) : powers_(std::move(powers)) {
        for (int64_t x = 0; x < kTabulated; ++x) {
            table_.push_back(compute(x));
            if (table_.back() == 1) break;  // and 1 from here on: heights fall
        }
    }
    uint64_t operator()(int64_t x) const {
        require(x >= 0);  // a child below its parent's bound, or a value below the origin
        if (x < int64_t(table_.size())) return table_[x];
        return table_.back() == 1 ? 1 : compute(x);
    }

  private:
    static constexpr int64_t kTabulated = 1 << 14;
    std::vector<uint64_t> powers_, table_;

    uint64_t compute(int64_t x) const {
        Wide value = kOne;
        for (size_t j = 0; x >> j; ++j)
            if (x >> j & 1) value = (value * powers_[j] + (kOne - 1)) >> 63;
        return uint64_t(std::max<Wide>(value, 1));
    }
};

// height · weight / 2^63, rounded up.
inline Wide scaled(uint64_t height, Wide weight) {
    const Wide low = Wide(height) * uint64_t(weight), high = Wide(height) * uint64_t(weight >> 64);
    return (high << 1) + (low >> 63) + ((low & (kOne - 1)) != 0);
}

}  // namespace oracledp
