// Random bits for one call, from the operating system or from any other source of them.
// Nothing outlives the call, so forks and threads can never see the same bits twice.
#pragma once
#include <algorithm>
#include <memory>

#include "integers.hpp"

namespace oracledp {

class BitSource {
  public:
    virtual ~BitSource() = default;
    // Fills these words with fresh uniform bits.
    virtual void fill(uint64_t *words, size_t count) = 0;
};

class Bits {
  public:
    static constexpr uint64_t kMostWords = 8192;  // 64 KiB: the system call's cost is lost in its work

    // `expected` is a guess of how many bytes the call will use: it sizes the first reads, never the law.
    Bits(BitSource &source, uint64_t expected)
        : source_(source), capacity_(std::min(std::max<uint64_t>(expected / 8, 8), kMostWords)), position_(capacity_),
          words_(new uint64_t[capacity_]) {}
    Bits(const Bits &) = delete;

    // Sixty-four fresh uniform bits.
    uint64_t word() {
        if (__builtin_expect(position_ == capacity_, 0)) refill();
        return words_[position_++];
    }

    // `Width` fresh uniform bits; Width divides 64.
    template <unsigned Width> uint64_t digit() {
        static_assert(64 % Width == 0, "digits must tile a word");
        if constexpr (Width == 64) return word();
        if (left_ < Width) {
            reservoir_ = word();
            left_ = 64;
        }
        const uint64_t taken = reservoir_ & ((uint64_t{1} << (Width % 64)) - 1);
        reservoir_ >>= Width % 64;
        left_ -= Width;
        return taken;
    }

    // How many bits have been handed out (exact when all digits have one width).
    uint64_t consumed() const { return 64 * (refilled_ * capacity_ - (capacity_ - position_)) - left_; }

  private:
    __attribute__((noinline)) void refill() {
        source_.fill(words_.get(), capacity_);
        position_ = 0;
        ++refilled_;
    }

    BitSource &source_;
    uint64_t capacity_, position_, refilled_ = 0;
    uint64_t reservoir_ = 0;
    unsigned left_ = 0;
    std::unique_ptr<uint64_t[]> words_;
};

}  // namespace oracledp
