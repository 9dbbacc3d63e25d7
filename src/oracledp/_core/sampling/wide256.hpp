// A 256-bit unsigned integer with just the operations that comparing a uniform real to a fraction needs.
#pragma once
#include <array>
#include <stdexcept>
#include <string_view>

#include "integers.hpp"

namespace oracledp {

struct Wide256 {
    std::array<uint64_t, 4> limb{};  // least significant first

    static Wide256 of_bytes(std::string_view little_endian) {
        Wide256 value;
        if (little_endian.size() != sizeof(value.limb)) throw std::length_error("a 256-bit integer has 32 bytes");
        for (size_t i = 0; i < 32; ++i)
            value.limb[i / 8] |= uint64_t{static_cast<unsigned char>(little_endian[i])} << (8 * (i % 8));
        return value;
    }

    Wide low_half() const { return Wide{limb[1]} << 64 | limb[0]; }

    static Wide256 square_of(Wide root) {
        const auto low = static_cast<uint64_t>(root), high = static_cast<uint64_t>(root >> 64);
        const Wide bottom = Wide{low} * low, middle = Wide{low} * high, top = Wide{high} * high;
        Wide256 value;
        value.limb[0] = static_cast<uint64_t>(bottom);
        Wide carry = (bottom >> 64) + 2 * Wide{static_cast<uint64_t>(middle)};
        value.limb[1] = static_cast<uint64_t>(carry);
        carry = (carry >> 64) + 2 * (middle >> 64) + static_cast<uint64_t>(top);
        value.limb[2] = static_cast<uint64_t>(carry);
        value.limb[3] = static_cast<uint64_t>((carry >> 64) + (top >> 64));
        return value;
    }

    bool operator<(const Wide256 &other) const {
        for (int i = 3; i > 0; --i)
            if (limb[i] != other.limb[i]) return limb[i] < other.limb[i];
        return limb[0] < other.limb[0];
    }

    Wide256 &operator-=(const Wide256 &other) {
        uint64_t borrow = 0;
        for (int i = 0; i < 4; ++i) {
            const Wide taken = Wide{other.limb[i]} + borrow;
            borrow = limb[i] < taken;
            limb[i] -= static_cast<uint64_t>(taken);
        }
        return *this;
    }

    Wide256 &operator<<=(unsigned shift) {  // 0 < shift < 64
        for (int i = 3; i > 0; --i) limb[i] = limb[i] << shift | limb[i - 1] >> (64 - shift);
        limb[0] <<= shift;
        return *this;
    }

    Wide256 operator*(uint32_t factor) const {
        Wide256 value;
        Wide carry = 0;
        for (int i = 0; i < 4; ++i) {
            carry += Wide{limb[i]} * factor;
            value.limb[i] = static_cast<uint64_t>(carry);
            carry >>= 64;
        }
        return value;
    }
};

}  // namespace oracledp
