// The operating system's random bits, where they can be had without the interpreter.
#pragma once
#include <stdexcept>

#include "integers.hpp"
#if defined(__linux__)
#include <sys/random.h>

#include <cerrno>
#endif

namespace oracledp {

#if defined(__linux__)
constexpr bool kHasSystemBits = true;

inline void read_system_bits(uint64_t *words, size_t count) {
    auto *target = reinterpret_cast<unsigned char *>(words);
    size_t wanted = 8 * count;
    while (wanted > 0) {
        const ssize_t got = getrandom(target, wanted, 0);
        if (got < 0 && errno != EINTR) throw std::runtime_error("the operating system gave no random bits");
        if (got > 0) target += got, wanted -= static_cast<size_t>(got);
    }
}
#else
constexpr bool kHasSystemBits = false;

inline void read_system_bits(uint64_t *, size_t) { throw std::logic_error("there is no such source on this system"); }
#endif

}  // namespace oracledp
