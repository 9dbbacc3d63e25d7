// Which tests have only one outcome left on a path: those that its tests have decided, each by itself.
#pragma once
#include <vector>

#include "decision_trees/literal_sets.hpp"

namespace oracledp {

class Decided {
  public:
    // table[f][held][g]: whether g is decided where f holds (held = 1), or where it does not. A test decides itself.
    Decided(const uint8_t *table, int literals)
        : literals_(literals), width_((size_t(literals) + 63) / 64),
          by_(table, table + 2 * size_t(literals) * literals), of_(by_.size()), bits_(2 * size_t(literals) * width_),
          touched_(2 * size_t(literals)) {
        for (int f = 0; f < literals; ++f)
            for (int held = 0; held < 2; ++held) {
                by_[row(f, held) + size_t(f)] = 1;
                for (int g = 0; g < literals; ++g) {
                    const uint8_t decided = by_[row(f, held) + size_t(g)] != 0;
                    of_[row(g, held) + size_t(f)] = decided;
                    if (decided) bits_[(2 * size_t(f) + held) * width_ + size_t(g) / 64] |= Word{1} << (g % 64);
                    if (decided && f != g)
                        touched_[2 * size_t(g) + held] = touched_[2 * size_t(f)] = touched_[2 * size_t(f) + 1] = 1;
                }
            }
    }

    bool decides(int f, int held, int g) const { return by_[row(f, held) + size_t(g)]; }
    // Whether one of these literals, which show this pattern, decides a test.
    bool closed(const int *set, int size, unsigned pattern, int test) const {
        for (int i = 0; i < size; ++i)
            if (decides(set[i], pattern >> i & 1, test)) return true;
        return false;
    }
    // By tests f = 0, 1, ... with this outcome, whether each decides g; null if none but g itself does.
    const uint8_t *of(int g, int held) const { return touched_[2 * size_t(g) + held] ? &of_[row(g, held)] : nullptr; }
    // By g = 0, 1, ..., whether f with this outcome decides g; null if only itself.
    const uint8_t *by(int f, int held) const { return touched_[2 * size_t(f) + held] ? &by_[row(f, held)] : nullptr; }
    // How many tests are left where these literals show this pattern.
    int open(const int *set, int size, unsigned pattern) const {
        int closed = 0;
        for (size_t word = 0; word < width_; ++word) {
            Word bits = 0;
            for (int i = 0; i < size; ++i) bits |= bits_[(2 * size_t(set[i]) + (pattern >> i & 1)) * width_ + word];
            closed += __builtin_popcountll(bits);
        }
        return literals_ - closed;
    }

  private:
    int literals_;
    size_t width_;
    std::vector<uint8_t> by_, of_;
    std::vector<Word> bits_;
    std::vector<uint8_t> touched_;

    size_t row(int f, int held) const { return (2 * size_t(f) + size_t(held)) * size_t(literals_); }
};

}  // namespace oracledp
