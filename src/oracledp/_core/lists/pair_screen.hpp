// Which sets of six columns can hold a better list of three rules, each of which tests two columns of its own.
#pragma once
#include <array>

#include "integers.hpp"

namespace oracledp {

// Lists of three rules of at most two literals that test six columns cut these into three pairs. Once the first rule
// is fixed, the other two see its remaining records through four columns only: sixteen cells in place of 64, where
// opposite weights cancel (proofs/engine-cells.md).
class PairScreen {
  public:
    static constexpr int kColumns = 6;
    PairScreen();
    // Whether some such list has a weight of at most `most` over the cells of the six columns.
    bool passes(const int64_t *cells, int64_t most) const;

  private:
    struct Pair {
        std::array<uint8_t, 64> order;  // cells by the values of the pair, then by those of the other four columns
    };
    std::array<Pair, 15> pairs_;
};

// The least weight of a list of two rules, each of which tests two of four columns and shares none with the other.
int64_t least_of_two_rules(const int64_t *cells);

}  // namespace oracledp
