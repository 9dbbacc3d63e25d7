// Sets of at most a few literals, numbered so that sets which differ in their greatest literal only lie side by side.
#pragma once
#include <algorithm>
#include <vector>

#include "integers.hpp"

namespace oracledp {

constexpr int kMostTests = 6;  // on a path: no tree is deeper

// A node's tests with one more, in order, and its patterns where that one does not hold and where it does.
struct GrownPath {
    GrownPath(const int *tested, int size, unsigned pattern, int test) {
        const int at = int(std::lower_bound(tested, tested + size, test) - tested);
        std::copy(tested, tested + at, set);
        set[at] = test;
        std::copy(tested + at, tested + size, set + at + 1);
        without = (pattern & ((1u << at) - 1)) | pattern >> at << (at + 1);
        with = without | 1u << at;
    }
    int set[kMostTests + 1];
    unsigned without, with;
};

class LiteralSets {
  public:
    LiteralSets(int literals, int most) : literals_(literals), start_(size_t(most) + 1), total_(size_t(most) + 1, 1) {
        for (int size = 1; size <= most; ++size) {
            size_t next = 0;
            each(size - 1, [&](const int *, int last) {
                start_[size].push_back(next);
                next += size_t(literals_ - last - 1);
            });
            total_[size] = next;
        }
    }

    int literals() const { return literals_; }
    size_t total(int size) const { return total_[size]; }

    // The number of the set of these literals (increasing) and its first one, literal last + 1.
    size_t first(const int *prefix, int size) const { return start_[size + 1][place(prefix, size)]; }

    size_t place(const int *set, int size) const {
        size_t found = 0;
        for (int k = 1, last = -1; k <= size; last = set[k - 1], ++k)
            found = start_[k][found] + size_t(set[k - 1] - last - 1);
        return found;
    }

    // Every set of this size in order, with its greatest literal (-1 for the empty set).
    template <class Visit> void each(int size, const Visit &visit) const {
        int set[kMostTests + 1];
        if (size > literals_) return;
        for (int i = 0; i < size; ++i) set[i] = i;
        for (;;) {
            visit(set, size ? set[size - 1] : -1);
            int i = size - 1;
            while (i >= 0 && set[i] == literals_ - size + i) --i;
            if (i < 0) return;
            ++set[i];
            for (int j = i + 1; j < size; ++j) set[j] = set[j - 1] + 1;
        }
    }

  private:
    int literals_;
    std::vector<std::vector<size_t>> start_;
    std::vector<size_t> total_;
};

}  // namespace oracledp
