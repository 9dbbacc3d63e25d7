// Sums over all rows: totals, and every pair of literals.
#include "subsets/conjunction_index.hpp"

#include <numeric>

namespace oracledp {

ConjunctionIndex::ConjunctionIndex(int literals, const PackedRows &packed) : literals_(literals), unit_(packed.unit) {
    std::vector<int> columns(literals);
    std::iota(columns.begin(), columns.end(), 0);
    build_table(table_, columns, packed.sources, packed.rows);
    Terms terms;
    for (const Side side : {kNegative, kPositive}) {
        terms.cut(table_, table_.valid.data(), side);
        totals_[side] = terms.total();
        pairs_[side].resize(size_t(literals) * literals);
        for (int one = 0; one < literals; ++one) {
            terms.cut(table_, table_.column(one), side);
            column_sums(table_, terms, columns.data(), literals, &pairs_[side][size_t(one) * literals]);
        }
    }
}

LiteralPairs::LiteralPairs(const ConjunctionIndex &index, const SubsetCosts &costs)
    : needless_(index.literals(), LiteralSet(index.literals())), demanded_(needless_) {
    if (costs.width() < 2) return;
    const Value unit = index.unit(), least = costs.least_step(1), greatest = costs.greatest_step(1);
    for (int a = 0; a < index.literals(); ++a)
        for (int b = 0; b < index.literals(); ++b) {
            if (a == b) continue;
            if (index.lacking(kPositive, a, b) * unit <= costs.part(b) + least) needless_[a].insert(b);
            if (costs.unlimited() && index.lacking(kNegative, a, b) * unit < -(costs.part(b) + greatest))
                demanded_[a].insert(b);
        }
}

}  // namespace oracledp
