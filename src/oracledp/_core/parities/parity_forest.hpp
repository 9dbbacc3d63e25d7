// Parities of few literals by value: what the exponential mechanism is sampled from (Theorem 4, refined to the end).
#pragma once
#include <memory>

#include "parities/parity_sums.hpp"
#include "sampling/heights.hpp"

namespace oracledp {

class ParityForest {
  public:
    struct Entry {
        int tree;
        int64_t distance;  // of the value from the origin
        uint64_t height;   // the weight by which one parity of this value was picked
    };

    // Counts the parities of each value; `sums` must outlive the forest.
    void add(const ParitySums &sums, int64_t constant);
    void prepare(std::vector<uint64_t> powers);
    Wide total() const { return total_; }
    int64_t origin() const { return origin_; }
    // The parity that a number below total() falls on.
    Entry enter(Wide number);
    // Its literals, in increasing order.
    std::vector<int> parts() const;

  private:
    struct Tree {
        const ParitySums *sums;
        int64_t constant;
    };
    struct Kind {
        int tree;
        int64_t value;  // without the constant
        uint64_t count;
    };
    uint64_t height(const Kind &kind) const { return (*heights_)(trees_[kind.tree].constant + kind.value - origin_); }

    std::vector<Tree> trees_;
    std::vector<Kind> kinds_;
    std::unique_ptr<Heights> heights_;
    Wide total_ = 0;
    int64_t origin_ = 0;
    Kind entered_{0, 0, 0};
    uint64_t index_ = 0;  // among the parities of that kind
};

}  // namespace oracledp
