// What depends on the compiler and the processor, in one place: everything else is standard C++17 with vector types.
#pragma once
#include "integers.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define ODP_X86 1
#endif

// Compiled once for each instruction set, chosen when the module is loaded: one wheel, full speed. Only gcc does that
// well, only glibc's loader can choose (musl's cannot), and no sanitizer can run in what chooses, before anything is
// set up.
#if defined(ODP_X86) && defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define ODP_CLONES(...) __attribute__((target_clones(__VA_ARGS__)))
#define ODP_PEXT 1
#else
#define ODP_CLONES(...)
#endif
#define ODP_SIMD ODP_CLONES("avx512f", "avx2", "default")
#define ODP_POPCOUNT ODP_CLONES("arch=icelake-server", "avx2", "default")

// Functions that call the widest vector instructions by name, and whether the processor has these.
#if defined(ODP_X86)
#define ODP_WIDE __attribute__((target("avx512f,avx512dq,avx512bw,avx512vpopcntdq")))
#endif

#define ODP_INLINE inline __attribute__((always_inline))

namespace oracledp {

// Eight words that need not be aligned; the compiler splits them where registers are shorter.
typedef uint64_t Lanes __attribute__((vector_size(64), aligned(8)));
typedef int64_t SignedLanes __attribute__((vector_size(64), aligned(8)));

// out[i] = lanes[i ^ distance], for a distance of 1, 2 or 4. By reference: how such vectors are passed is no standard.
ODP_INLINE void exchange(const Lanes &lanes, unsigned distance, Lanes &out) {
#if defined(__clang__)
    for (unsigned i = 0; i < 8; ++i) out[i] = lanes[i ^ distance];
#else
    const Lanes places = {0, 1, 2, 3, 4, 5, 6, 7};
    out = __builtin_shuffle(lanes, places ^ uint64_t{distance});
#endif
}

inline bool has_wide_vectors() {
#if defined(ODP_WIDE)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

}  // namespace oracledp
