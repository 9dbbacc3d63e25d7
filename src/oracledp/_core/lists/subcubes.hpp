// The subcubes of a few columns: weights, and the least value of a list of single-literal rules on each.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "integers.hpp"

namespace oracledp {

class Subcubes {
  public:
    // A subcube is a number in base three, a digit per column: 0, 1: the column has that value; 2: it is free.
    explicit Subcubes(int size) : size_(size), power_(size + 1, 1) {
        for (int t = 0; t < size; ++t) power_[t + 1] = 3 * power_[t];
        total_.resize(count());
        relaxed_.resize(count());
    }

    int size() const { return size_; }
    int count() const { return power_[size_]; }
    int power(int place) const { return power_[place]; }
    int digit(int cube, int place) const { return cube / power_[place] % 3; }
    const std::vector<int64_t> &total() const { return total_; }
    // The least value when rules cost nothing and there may be as many as needed.
    const std::vector<int64_t> &relaxed() const { return relaxed_; }

    // Visits (subcube, place, zero half, one half) for every free column of every subcube, halves first.
    template <class Visit> void each_split(Visit visit) const {
        std::vector<int> digits(size_, 0);
        for (int cube = 0; cube < count(); ++cube) {
            for (int t = 0; t < size_; ++t)
                if (digits[t] == 2) visit(cube, t, cube - 2 * power_[t], cube - power_[t]);
            for (int t = 0; t < size_ && ++digits[t] == 3; ++t) digits[t] = 0;
        }
    }

    void add_up(const int64_t *cells) {
        std::vector<int> corner(size_t(1) << size_, 0);
        for (int x = 1; x < 1 << size_; ++x) corner[x] = corner[x & (x - 1)] + power_[__builtin_ctz(x)];
        for (int x = 0; x < 1 << size_; ++x) total_[corner[x]] = cells[x];
        each_split([&](int cube, int, int zero, int one) { total_[cube] = total_[zero] + total_[one]; });
    }

    // missing[place][polarity] is infinite where no condition tests the column for that value, else 0.
    void relax(const std::vector<std::array<int64_t, 2>> &missing) {
        for (int cube = 0; cube < count(); ++cube) relaxed_[cube] = std::min<int64_t>(0, total_[cube]);
        each_split([&](int cube, int t, int zero, int one) {
            const int64_t take_zero = std::min<int64_t>(0, total_[zero]) + relaxed_[one] + missing[t][0];
            const int64_t take_one = std::min<int64_t>(0, total_[one]) + relaxed_[zero] + missing[t][1];
            relaxed_[cube] = std::min(relaxed_[cube], std::min(take_zero, take_one));
        });
    }

  private:
    int size_;
    std::vector<int> power_;
    std::vector<int64_t> total_, relaxed_;
};

}  // namespace oracledp
