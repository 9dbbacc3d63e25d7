// Random bits for one call: from the operating system without the interpreter, or from a Python callback.
// Nothing outlives the call, so forks and threads can never see the same bits twice.
#pragma once
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "module.hpp"
#if defined(__linux__)
#include <sys/random.h>
#endif

class Bits {
  public:
    // `reader` is None for the operating system, else a function from a number of bytes to that many bytes.
    // `expected` is a guess of how many bytes the call will use: it sizes the first reads, never the law.
    Bits(pybind11::object reader, std::uint64_t expected) : reader_(std::move(reader)) {
        capacity_ = std::min<std::uint64_t>(std::max<std::uint64_t>(expected / 8, 8), kLargest);
        words_.reset(new std::uint64_t[capacity_]);
        position_ = capacity_;
#if !defined(__linux__)
        if (reader_.is_none()) reader_ = pybind11::module_::import("os").attr("urandom");
#endif
        system_ = reader_.is_none();
    }
    Bits(const Bits &) = delete;

    // Sixty-four fresh uniform bits.
    std::uint64_t word() {
        if (__builtin_expect(position_ == capacity_, 0)) refill();
        return words_[position_++];
    }

    // `Width` fresh uniform bits; Width divides 64.
    template <unsigned Width> std::uint64_t digit() {
        static_assert(64 % Width == 0, "digits must tile a word");
        if constexpr (Width == 64) return word();
        if (left_ < Width) {
            reservoir_ = word();
            left_ = 64;
        }
        const std::uint64_t taken = reservoir_ & ((std::uint64_t{1} << (Width % 64)) - 1);
        reservoir_ >>= Width % 64;
        left_ -= Width;
        return taken;
    }

    // How many bits have been handed out (exact when all digits have one width).
    std::uint64_t consumed() const { return 64 * (refilled_ * capacity_ - (capacity_ - position_)) - left_; }

  private:
    static constexpr std::uint64_t kLargest = 8192;  // 64 KiB: the system call's cost is lost in its work

    __attribute__((noinline)) void refill() {
        if (system_) {
            read_system();
        } else {
            read_callback();
        }
        position_ = 0;
        ++refilled_;
    }

    void read_system() {
#if defined(__linux__)
        auto *target = reinterpret_cast<unsigned char *>(words_.get());
        std::size_t wanted = 8 * capacity_;
        while (wanted > 0) {
            const ssize_t got = getrandom(target, wanted, 0);
            if (got < 0 && errno != EINTR) throw std::runtime_error("the operating system gave no random bits");
            if (got > 0) target += got, wanted -= static_cast<std::size_t>(got);
        }
#endif
        if (capacity_ == kLargest) check_signals();
    }

    void check_signals() {
        pybind11::gil_scoped_acquire hold;
        if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    }

    void read_callback() {
        pybind11::gil_scoped_acquire hold;
        const auto data = reader_(8 * capacity_).cast<pybind11::bytes>();
        const std::string_view view = data;
        if (view.size() != 8 * capacity_) throw std::length_error("a source of randomness gave too few bytes");
        std::memcpy(words_.get(), view.data(), view.size());
    }

    pybind11::object reader_;
    bool system_ = false;
    std::uint64_t capacity_ = 0, position_ = 0, refilled_ = 0;
    std::uint64_t reservoir_ = 0;
    unsigned left_ = 0;
    std::unique_ptr<std::uint64_t[]> words_;
};
