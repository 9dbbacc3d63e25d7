// The integers that all of the core computes with.
#pragma once
#include <cstddef>
#include <cstdint>

namespace oracledp {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::ptrdiff_t;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;
using Wide = unsigned __int128;

using Value = int64_t;  // of a query: weights of rows and costs of parts
using Word = uint64_t;  // 64 members of a set

constexpr int64_t kInfinite = int64_t{1} << 62;  // above every value of a problem; adding a value to it cannot wrap

inline int bit_length(Word value) { return value ? 64 - __builtin_clzll(value) : 0; }

}  // namespace oracledp
