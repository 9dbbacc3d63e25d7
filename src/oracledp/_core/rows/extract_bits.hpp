// The bits of a word under a mask, moved together: one instruction where there is one.
#pragma once
#include "simd.hpp"

namespace oracledp {

struct PortableExtract {
    static inline Word run(Word value, Word mask) {
        Word result = 0;
        for (int place = 0; mask; mask &= mask - 1, ++place) result |= (value >> __builtin_ctzll(mask) & 1) << place;
        return result;
    }
};

#ifdef ODP_PEXT
struct FastExtract {
    __attribute__((target("bmi2"))) static inline Word run(Word value, Word mask) {
        return __builtin_ia32_pext_di(value, mask);
    }
};
inline bool has_fast_extract() { return __builtin_cpu_supports("bmi2"); }
#else
inline bool has_fast_extract() { return false; }
#endif

}  // namespace oracledp
