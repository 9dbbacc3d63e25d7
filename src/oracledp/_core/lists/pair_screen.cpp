#include "lists/pair_screen.hpp"

#include <algorithm>

#include "simd.hpp"

namespace oracledp {
namespace {

constexpr int kRest = 16;  // cells of four columns

// What is left of the cells when the pair has one of its four values, and how good a list on that can be at best.
struct Remainders {
    int64_t taken[4];
    int64_t floor[4];
    int64_t cells[4][kRest];
};

ODP_SIMD void leave_out_each(const int64_t *cells, const uint8_t *order, Remainders &out) {
    int64_t all[kRest] = {};
    for (int value = 0; value < 4; ++value) {
        out.taken[value] = 0;
        for (int i = 0; i < kRest; ++i) {
            const int64_t cell = cells[order[kRest * value + i]];
            out.cells[value][i] = cell;
            out.taken[value] += cell;
            all[i] += cell;
        }
    }
    for (int value = 0; value < 4; ++value) {
        out.floor[value] = std::min<int64_t>(0, out.taken[value]);
        for (int i = 0; i < kRest; ++i) {
            const int64_t cell = all[i] - out.cells[value][i];
            out.cells[value][i] = cell;
            out.floor[value] += std::min<int64_t>(0, cell);
        }
    }
}

// The three ways to cut four columns into two pairs: the cells in a square, a pair's values along each side.
struct Squares {
    std::array<std::array<uint8_t, kRest>, 3> cell;
    Squares() {
        constexpr int kColumns[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
        for (int way = 0; way < 3; ++way)
            for (int i = 0; i < kRest; ++i) {
                int found = 0;
                for (int t = 0; t < 4; ++t) found |= (i >> t & 1) << kColumns[way][t];
                cell[size_t(way)][size_t(i)] = uint8_t(found);
            }
    }
};

}  // namespace

// A list gives label 1 to nothing, one rule's records, both rules', one's without the other's, or to all but these.
int64_t least_of_two_rules(const int64_t *cells) {
    static const Squares squares;
    int64_t least = 0, greatest = 0, total = 0;
    const auto offer = [&](int64_t weight) {
        least = std::min(least, weight);
        greatest = std::max(greatest, weight);
    };
    for (int i = 0; i < kRest; ++i) total += cells[i];
    for (const auto &square : squares.cell) {
        int64_t across[4] = {}, down[4] = {};
        for (size_t i = 0; i < kRest; ++i) {
            across[i & 3] += cells[square[i]];
            down[i >> 2] += cells[square[i]];
        }
        for (size_t i = 0; i < kRest; ++i) {
            const int64_t one = across[i & 3], other = down[i >> 2], both = cells[square[i]];
            for (const int64_t weight : {one, other, one - both, other - both, one + other - both}) offer(weight);
        }
    }
    return std::min(least, total - greatest);
}

PairScreen::PairScreen() {
    size_t place = 0;
    for (int a = 0; a < 6; ++a)
        for (int b = a + 1; b < 6; ++b, ++place) {
            int next[4] = {};
            for (int cell = 0; cell < 64; ++cell) {
                const int value = (cell >> a & 1) | (cell >> b & 1) << 1;
                pairs_[place].order[size_t(kRest * value + next[value]++)] = uint8_t(cell);
            }
        }
}

bool PairScreen::passes(const int64_t *cells, int64_t most) const {
    Remainders left;
    for (const Pair &pair : pairs_) {
        leave_out_each(cells, pair.order.data(), left);
        for (int value = 0; value < 4; ++value)
            if (left.floor[value] <= most &&
                std::min<int64_t>(0, left.taken[value]) + least_of_two_rules(left.cells[value]) <= most)
                return true;
    }
    return false;
}

}  // namespace oracledp
