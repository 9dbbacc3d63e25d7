// Vectors of exact lattice noise (proofs/noise.md).
#pragma once
#include <string>

#include "sampling/bits.hpp"
#include "sampling/wide256.hpp"

namespace oracledp {

// A discrete Gaussian of variance a/b: Laplace proposals of scale t, kept with probability
// exp(-(|y| bt - a)^2 / (2 a b t^2)).
struct Gaussian {
    uint64_t t, bt;
    Wide a;
    Wide256 denominator;
};

void draw_uniform(uint64_t bound, Bits &bits, int64_t *out, size_t count);
void draw_geometric(uint64_t scale, Bits &bits, int64_t *out, size_t count);
void draw_laplace(uint64_t scale, Bits &bits, int64_t *out, size_t count);
void draw_gaussian(const Gaussian &law, Bits &bits, int64_t *out, size_t count);

// One draw with tiny digits: lets the tests enumerate the law of this very code. `law` is uniform, geometric,
// fraction_times (the scale stands for a refusal) or any other word for a coin of probability exp(-other / scale).
uint64_t trace_1_bit(const std::string &law, uint64_t scale, uint64_t other, Bits &bits);
uint64_t trace_2_bit(const std::string &law, uint64_t scale, uint64_t other, Bits &bits);
// Whether a uniform real is below root^2 / denominator: lets the tests reach every limb.
bool trace_wide(Wide root, const Wide256 &denominator, Bits &bits);

}  // namespace oracledp
