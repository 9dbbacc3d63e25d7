// The two transforms of a table over all subsets: in place, four halves at a time, depth first so that parts of the
// table that fit the cache are finished there.
#pragma once
#include "simd.hpp"
#include "threads.hpp"

namespace oracledp {

// table[S] becomes the sum of table[R] over R ⊇ S.
struct SupersetSum {
    template <class T> static void across(T &low, T &high) { low += high; }
};

// table[S] becomes the sum over R of (-1)^|R ∩ S| table[R].
struct WalshHadamard {
    template <class T> static void across(T &low, T &high) {
        const T sum = low + high;
        high = low - high;
        low = sum;
    }
};

template <class Step, class T> ODP_SIMD void transform_small(T *table, size_t size) {
    for (size_t step = 1; step < size; step *= 2)
        for (size_t start = 0; start < size; start += 2 * step)
            for (size_t i = start; i < start + step; ++i) Step::across(table[i], table[i + step]);
}

// The two highest literals, in one pass over the memory: of the first places of each quarter.
template <class Step, class T> ODP_SIMD void transform_piece(T *table, size_t quarter, size_t length) {
    T *none = table, *low = none + quarter, *high = low + quarter, *both = high + quarter;
    for (size_t i = 0; i < length; ++i) {
        T a = none[i], b = low[i], c = high[i], d = both[i];
        Step::across(a, c);
        Step::across(b, d);
        Step::across(a, b);
        Step::across(c, d);
        none[i] = a, low[i] = b, high[i] = c, both[i] = d;
    }
}

template <class Step, class T> void transform(T *table, size_t size) {
    constexpr size_t small = (1 << 15) / sizeof(T);
    if (size <= small) return transform_small<Step>(table, size);
    transform_piece<Step>(table, size / 4, size / 4);
    for (int part = 0; part < 4; ++part) transform<Step>(table + part * (size / 4), size / 4);
}

// The same with several threads: the two highest literals in pieces, then the four quarters apart.
template <class Step, class T> void transform_shared(T *table, size_t size) {
    constexpr size_t worth_sharing = size_t{1} << 20;
    if (size < worth_sharing) return transform<Step>(table, size);
    constexpr size_t pieces = 16;
    const size_t quarter = size / 4, piece = quarter / pieces;
    each_share(pieces, [&](size_t share) { transform_piece<Step>(table + share * piece, quarter, piece); });
    each_share(4, [&](size_t part) { transform<Step>(table + part * quarter, quarter); });
}

}  // namespace oracledp
