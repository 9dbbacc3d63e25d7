// The two transforms of a table over all subsets, in place. A table that no cache holds is gone through twice: once in
// blocks of subsets that agree on the high literals, and once in strips of subsets that agree on the low ones.
#pragma once
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "simd.hpp"
#include "threads.hpp"

namespace oracledp {

template <class T> struct VectorOf {
    typedef T Type __attribute__((vector_size(64)));
    static constexpr size_t lanes = 64 / sizeof(T);
};

// One literal that tells lanes of a vector apart: they are changed by what is `Distance` away. All places are
// constants, or the compiler would build them anew for each vector.
template <class Step, size_t Distance, class V, size_t... I>
ODP_INLINE void across_lanes(V &cells, std::index_sequence<I...>) {
    const V is_high = {(I & Distance ? -1 : 0)...};
#if defined(__clang__)
    const V swapped = __builtin_shufflevector(cells, cells, (I ^ Distance)...);
#else
    const V swapped = __builtin_shuffle(cells, V{(I ^ Distance)...});
#endif
    Step::within(cells, swapped, is_high);
}

// table[S] becomes the sum of table[R] over R ⊇ S.
struct SupersetSum {
    template <class T> static void across(T &low, T &high) { low += high; }
    template <class V> static ODP_INLINE void within(V &cells, const V &swapped, const V &is_high) {
        cells += swapped & ~is_high;
    }
};

// table[S] becomes the sum over R of (-1)^|R ∩ S| table[R].
struct WalshHadamard {
    template <class T> static void across(T &low, T &high) {
        const T sum = low + high;
        high = low - high;
        low = sum;
    }
    template <class V> static ODP_INLINE void within(V &cells, const V &swapped, const V &is_high) {
        cells = swapped + ((cells ^ is_high) - is_high);  // the high one of two is taken off
    }
};

// Two literals in one pass over the memory: of the first places of each quarter.
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

template <class Step, class T> ODP_SIMD void transform_pair(T *low, T *high, size_t length) {
    for (size_t i = 0; i < length; ++i) Step::across(low[i], high[i]);
}

// The literals from that of `first` subsets on, two at a time.
template <class Step, class T> void transform_from(T *table, size_t first, size_t size) {
    size_t step = first;
    for (; 4 * step <= size; step *= 4)
        for (size_t start = 0; start < size; start += 4 * step) transform_piece<Step>(table + start, step, step);
    if (2 * step <= size) transform_pair<Step>(table, table + step, step);
}

// The literals that tell the lanes of one vector apart.
template <class Step, class T> ODP_SIMD void transform_lanes(T *table, size_t size) {
    constexpr size_t lanes = VectorOf<T>::lanes;
    constexpr std::make_index_sequence<lanes> each;
    for (size_t start = 0; start < size; start += lanes) {
        typename VectorOf<T>::Type cells;  // tables need not be aligned
        std::memcpy(&cells, table + start, sizeof(cells));
        across_lanes<Step, 1>(cells, each);
        across_lanes<Step, 2>(cells, each);
        across_lanes<Step, 4>(cells, each);
        if constexpr (lanes > 8) across_lanes<Step, 8>(cells, each);
        std::memcpy(table + start, &cells, sizeof(cells));
    }
}

// A table that the caches hold.
template <class Step, class T> void transform(T *table, size_t size) {
    constexpr size_t lanes = VectorOf<T>::lanes, small = (size_t{1} << 15) / sizeof(T);
    if (size < lanes) return transform_from<Step>(table, 1, size);
    for (size_t start = 0; start < size; start += small) {
        transform_lanes<Step>(table + start, std::min(small, size));
        transform_from<Step>(table + start, lanes, std::min(small, size));
    }
    if (size > small) transform_from<Step>(table, small, size);
}

// The high literals of a table whose blocks are transformed: one strip of all blocks after the other, on a copy that
// lies side by side.
template <class Step, class T> void transform_strips(T *table, size_t block, size_t blocks) {
    const size_t strip = std::max<size_t>(64, std::min(block, (size_t{1} << 18) / sizeof(T) / blocks));
    const size_t strips = block / strip, shares = std::min<size_t>(strips, 16);
    each_share(shares, [&](size_t share) {
        std::vector<T> copy(strip * blocks);
        for (size_t number = share * strips / shares; number < (share + 1) * strips / shares; ++number) {
            T *first = table + number * strip;
            for (size_t i = 0; i < blocks; ++i) std::copy_n(first + i * block, strip, copy.data() + i * strip);
            transform_from<Step>(copy.data(), strip, copy.size());
            for (size_t i = 0; i < blocks; ++i) std::copy_n(copy.data() + i * strip, strip, first + i * block);
        }
    });
}

}  // namespace oracledp
