// The three exact primitives (proofs/noise.md): floor(n u), runs of uniforms, floor(t E).
//
// A uniform real is a stream of digits of which only a prefix has been drawn. Every decision below is taken
// when the drawn digits force it, and further digits are drawn when they do not; so the laws are exact.
#pragma once
#include <stdexcept>
#include <vector>

#include "sampling/bits.hpp"

namespace oracledp {

// How many bits a digit of a comparison and a digit of a floor have. Small digits exist for the tests.
template <unsigned Compare, unsigned Floor> struct Digits {
    static constexpr unsigned compare = Compare;
    static constexpr unsigned floor = Floor;
};
using Standard = Digits<8, 64>;

// Lemma 1: floor(n u) for a uniform real u, hence uniform on {0, ..., n-1}; needs n < 2^Floor.
template <class D = Standard> uint64_t floor_of(uint64_t n, Bits &bits) {
    const Wide product = Wide{n} * bits.digit<D::floor>();
    const Wide unit = Wide{1} << D::floor;
    const uint64_t whole = static_cast<uint64_t>(product >> D::floor);
    const Wide rest = product & (unit - 1);
    if (__builtin_expect(rest + n <= unit, 1)) return whole;  // no continuation of u can carry
    return whole + static_cast<uint64_t>((rest + floor_of<D>(n, bits)) >> D::floor);
}

// A uniform real in [0, 1) whose digits are drawn when they are looked at.
template <class D = Standard> class Uniform {
  public:
    void restart(Bits &bits) {
        head_ = static_cast<uint32_t>(bits.digit<D::compare>());
        if (__builtin_expect(!tail_.empty(), 0)) tail_.clear();
    }

    bool less_than(Uniform &other, Bits &bits) {
        if (__builtin_expect(head_ != other.head_, 1)) return head_ < other.head_;
        return tail_less_than(other, bits);
    }

    // Whether this real is below numerator / denominator, a fraction in [0, 1); 2^compare denominator must fit.
    template <class Integer> bool less_than(Integer numerator, const Integer &denominator, Bits &bits) {
        for (size_t place = 0;; ++place) {
            numerator <<= D::compare;
            const Integer mark = denominator * digit(place, bits);
            if (!(mark < numerator)) return false;
            numerator -= mark;
            if (!(numerator < denominator)) return true;
        }
    }

    // floor(n u): the digits not yet drawn are independent of all that has been decided.
    uint64_t floor_times(uint64_t n, Bits &bits) const {
        uint64_t value = floor_of<D>(n, bits);
        for (size_t place = tail_.size(); place-- > 0;) value = push(n, tail_[place], value);
        return push(n, head_, value);
    }

  private:
    static uint64_t push(uint64_t n, uint32_t digit, uint64_t value) {
        return static_cast<uint64_t>((Wide{n} * digit + value) >> D::compare);
    }

    uint32_t digit(size_t place, Bits &bits) {
        if (place == 0) return head_;
        while (tail_.size() < place) tail_.push_back(static_cast<uint32_t>(bits.digit<D::compare>()));
        return tail_[place - 1];
    }

    __attribute__((noinline)) bool tail_less_than(Uniform &other, Bits &bits) {
        for (size_t place = 1;; ++place) {
            const uint32_t mine = digit(place, bits), theirs = other.digit(place, bits);
            if (mine != theirs) return mine < theirs;
        }
    }

    uint32_t head_ = 0;
    std::vector<uint32_t> tail_;
};

// Draws that need scratch uniforms; one object serves a whole call.
template <class D = Standard> class Exact {
  public:
    explicit Exact(Bits &bits) : bits_(bits) {}

    // Lemma 2: for u = first, true with probability e^-u: the run first > u1 > u2 > ... has even length.
    bool even_run(Uniform<D> &first) {
        Uniform<D> *last = &first, *next = &spare_[0];
        for (bool even = true;; even = !even) {
            next->restart(bits_);
            if (!next->less_than(*last, bits_)) return even;
            last = next;
            next = next == &spare_[0] ? &spare_[1] : &spare_[0];
        }
    }

    // True with probability e^-1.
    bool exp_minus_one() {
        first_.restart(bits_);
        return !even_run(first_);
    }

    // Lemma 4: true with probability exp(-numerator / denominator); 2^compare denominator must fit.
    template <class Integer> bool exp_minus(Integer numerator, const Integer &denominator) {
        while (!(numerator < denominator)) {
            if (!exp_minus_one()) return false;
            numerator -= denominator;
        }
        first_.restart(bits_);
        return !first_.less_than(numerator, denominator, bits_) || !even_run(first_);
    }

    // Lemma 3: one trial of von Neumann's exponential E. True, with the floor of t times E's fractional part,
    // or false, which adds one to E's integer part.
    bool fraction_times(uint64_t t, uint64_t &floor) {
        first_.restart(bits_);
        if (!even_run(first_)) return false;
        floor = first_.floor_times(t, bits_);
        return true;
    }

    // floor(t E), so Pr[X >= x] = e^(-x/t); throws where X >= 255 t. 255 t must fit in 63 bits.
    uint64_t geometric(uint64_t t) {
        uint64_t floor = 0;
        for (uint64_t whole = 0; whole < 255; ++whole)
            if (fraction_times(t, floor)) return whole * t + floor;
        throw std::overflow_error("a draw exceeds 255 scales");
    }

    // Pr[X = x] proportional to e^(-|x|/t): a sign and a magnitude, minus zero refused.
    int64_t laplace(uint64_t t) {
        for (;;) {
            const bool negative = bits_.digit<D::compare>() & 1;
            const auto magnitude = static_cast<int64_t>(geometric(t));
            if (!negative) return magnitude;
            if (magnitude != 0) return -magnitude;
        }
    }

    uint64_t below(uint64_t n) { return floor_of<D>(n, bits_); }

  private:
    Bits &bits_;
    Uniform<D> first_, spare_[2];
};

}  // namespace oracledp
