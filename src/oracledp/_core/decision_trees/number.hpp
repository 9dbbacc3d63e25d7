// Positive numbers as a mantissa of 64 bits and an exponent, every operation rounded up (proofs/private-trees.md).
#pragma once
#include "integers.hpp"

namespace oracledp {

// mantissa · 2^exponent, the mantissa's top bit set; or zero, with a mantissa of zero.
struct Number {
    uint64_t mantissa = 0;
    int64_t exponent = 0;
};

// The exact product, rounded up to 64 bits.
inline Number product(const Number &a, const Number &b) {
    const Wide exact = Wide{a.mantissa} * b.mantissa;
    uint64_t high = uint64_t(exact >> 64), low = uint64_t(exact);
    int64_t exponent = a.exponent + b.exponent + 64;
    if (high == 0) return {};  // a factor is zero: two mantissas with their top bits set make at least 2^126
    if (!(high >> 63)) {
        high = high << 1 | low >> 63;
        low <<= 1;
        --exponent;
    }
    high += low != 0;
    if (high == 0) return {uint64_t{1} << 63, exponent + 1};  // it was all ones
    return {high, exponent};
}

// Not below the exact sum: the smaller number is rounded up to the last place of the larger one, then the sum if it is
// one bit longer.
inline Number sum(const Number &a, const Number &b) {
    if (a.mantissa == 0) return b;
    if (b.mantissa == 0) return a;
    const bool swapped = a.exponent < b.exponent;
    const Number &large = swapped ? b : a, &small = swapped ? a : b;
    const uint64_t shift = uint64_t(large.exponent - small.exponent);
    uint64_t part = 1;
    if (shift == 0) part = small.mantissa;
    else if (shift < 64) part = (small.mantissa >> shift) + (small.mantissa << (64 - shift) != 0);
    uint64_t total;
    if (!__builtin_add_overflow(large.mantissa, part, &total)) return {total, large.exponent};
    return {(total >> 1) + (total & 1) + (uint64_t{1} << 63), large.exponent + 1};  // at most 2^65 - 2, so it fits
}

}  // namespace oracledp
