// Families of queries that the exponential mechanism is sampled from, set of columns by set of columns (Theorem 4).
//
// Weights are integers in units of 2^-63: never below the true sum of e^{-rate (value - floor)} over the queries they
// stand for, and above it by rounding alone. A draw goes down from a set to a query in steps; at each step the caller
// picks a child by its weight and keeps it with probability e^{-rate exponent} inside / chosen, so that what is left
// of the rounding cancels exactly.
#pragma once
#include <vector>

#include "sampling/heights.hpp"

namespace oracledp {

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
