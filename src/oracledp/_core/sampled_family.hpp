// Families of queries that the exponential mechanism is sampled from, set of columns by set of columns (Theorem 4).
//
// Weights are integers in units of 2^-63: never below the true sum of e^{-rate (value - floor)} over the queries they
// stand for, and above it by rounding alone. A draw goes down from a set to a query in steps; at each step the caller
// picks a child by its weight and keeps it with probability e^{-rate exponent} inside / chosen, so that what is left
// of the rounding cancels exactly.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "broken_tree.hpp"

namespace oracledp {

using Wide = unsigned __int128;
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

struct Step {
    int64_t exponent = 0;  // the part of the value that this step adds to the floor
    Wide chosen = 0;       // the weight by which the child was picked
    Wide inside = 0;       // the weight of the child itself
};

class SampledFamily {
public:
    virtual ~SampledFamily() = default;
    // The greatest number of columns that a query reads.
    virtual int largest() const = 0;
    // How many queries read exactly these columns (increasing).
    virtual uint64_t leaves(const std::vector<int> &set) const = 0;
    // Makes the weights of one set, given the weights of its cells.
    virtual void open(const std::vector<int> &set, const int64_t *cells, const Heights &heights) = 0;
    // Of the open set: a lower bound on its queries, and their weight.
    virtual int64_t floor() const = 0;
    virtual Wide weight() const = 0;
    // Goes to the child that a number below the current weight falls on: the weights of all children fill it.
    virtual Step step(Wide number) = 0;
    virtual bool done() const = 0;
    virtual std::vector<int> parts() const = 0;
};

}  // namespace oracledp
