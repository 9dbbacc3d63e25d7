// Cells by their bits: bit i says whether the rows have literal i. Half of the cells is an array's upper half.
#include "subsets/cell_solver.hpp"

#include "rows/cell_index.hpp"
#include "simd.hpp"

namespace oracledp {
namespace {

// The weight of the negative cells of the folded halves, and of the upper one.
struct Negatives {
    Value folded, upper;
};

template <class Number> ODP_INLINE Negatives fold_halves(const Number *cells, size_t half, Number *out) {
    Number folded = 0, upper = 0;
    for (size_t i = 0; i < half; ++i) {
        const Number high = cells[half + i], sum = Number(cells[i] + high);
        out[i] = sum;
        folded = Number(folded - (sum < 0 ? sum : 0));
        upper = Number(upper - (high < 0 ? high : 0));
    }
    return {Value(folded), Value(upper)};
}
ODP_SIMD Negatives fold_long(const int16_t *cells, size_t half, int16_t *out) { return fold_halves(cells, half, out); }
ODP_SIMD Negatives fold_long(const int32_t *cells, size_t half, int32_t *out) { return fold_halves(cells, half, out); }
ODP_SIMD Negatives fold_long(const Value *cells, size_t half, Value *out) { return fold_halves(cells, half, out); }

// The least sum over the cells that have all of some of four literals.
template <class Number> ODP_INLINE Number least_of_four(const Number *cells) {
    Number sums[16], least;
    std::copy_n(cells, 16, sums);
    for (int step = 1; step < 16; step *= 2)
        for (int i = 0; i < 16; ++i)
            if (!(i & step)) sums[i] = Number(sums[i] + sums[i + step]);
    least = sums[0];
    for (int i = 1; i < 16; ++i) least = std::min(least, sums[i]);
    return least;
}

}  // namespace

bool CellSolver::hopeless(Value negative, Value kept, int left, Value cost) const {
    const Value bound = (std::max<Value>(0, kept) - negative) * unit_ + cost + rest_[left];
    if (bound != incumbent_.value()) return bound > incumbent_.value();
    return !incumbent_.included.before(incumbent_.best());
}

// Every set that takes some of the first `left` literals.
template <class Number> void CellSolver::decide(const Number *cells, int left, Value cost, Number *memory) {
    if (left == 0) return incumbent_.offer(Value(*cells) * unit_ + cost);
    if (left == 4 && Value(least_of_four(cells)) * unit_ + cost + rest_[left] > incumbent_.value()) return;
    const size_t half = size_t{1} << --left;
    const Negatives negatives = half < 8 ? fold_halves(cells, half, memory) : fold_long(cells, half, memory);
    incumbent_.included.insert(literals_[left]);
    if (!hopeless(negatives.upper, cells[2 * half - 1], left, cost + parts_[left]))
        decide(cells + half, left, cost + parts_[left], memory + half);
    incumbent_.included.erase(literals_[left]);
    if (!hopeless(negatives.folded, memory[half - 1], left, cost)) decide(memory, left, cost, memory + half);
}

template <class Number>
void CellSolver::solve(std::vector<Number> &cells, const RowTable &table, const Word *cover, const int *columns,
                       int count, Value cost) {
    const size_t size = size_t{1} << count;
    if (cells.size() < 2 * size) cells.resize(2 * size);
    std::fill_n(cells.begin(), size, Number(0));
    const size_t rows = add_to_cells(table, cover, columns, count, cells.data());
    meter_.spend(int64_t(rows) / 8 + int64_t(size) / 32 + 1);
    decide(cells.data(), count, cost, cells.data() + size);
}

void CellSolver::solve(const RowTable &table, const Word *cover, Value weight, const int *columns, int count,
                       Value cost) {
    rest_[0] = 0;
    for (int i = 0; i < count; ++i) {
        literals_[i] = table.literals[columns[i]];
        parts_[i] = costs_.part(literals_[i]);
        rest_[i + 1] = rest_[i] + std::min<Value>(0, parts_[i]);
    }
    if (weight < Value{1} << 15) solve(short_cells_, table, cover, columns, count, cost);
    else if (weight < Value{1} << 31) solve(cells_, table, cover, columns, count, cost);
    else solve(wide_cells_, table, cover, columns, count, cost);
}

}  // namespace oracledp
