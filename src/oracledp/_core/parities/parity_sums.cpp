// The weight on which R ∪ {j} is odd is w(R) + w(j) − 2 w(R and j), so the sums of covers serve for parities too.
#include "parities/parity_sums.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "simd.hpp"

namespace oracledp {
namespace {

ODP_SIMD Value least_total(const Value *sums, const Value *costs, int count) {
    Value least = std::numeric_limits<Value>::max();
    for (int i = 0; i < count; ++i) least = std::min(least, sums[i] + costs[i]);
    return least;
}

ODP_SIMD void exclusive_or(Word *rows, const Word *column, size_t words) {
    for (size_t i = 0; i < words; ++i) rows[i] ^= column[i];
}

std::vector<int> first_columns(int count) {
    std::vector<int> columns(count);
    std::iota(columns.begin(), columns.end(), 0);
    return columns;
}

// The signed weight of the rows that are in the set and have each of the first columns.
std::vector<Value> signed_sums(const RowTable &table, const std::vector<Word> &rows, int columns, Value unit) {
    const std::vector<int> all = first_columns(columns);
    std::vector<Value> one_side(columns), sums(columns, 0);
    Terms terms;
    for (const Side side : {kNegative, kPositive}) {
        terms.cut(table, rows.data(), side);
        column_sums(table, terms, all.data(), columns, one_side.data());
        for (int j = 0; j < columns; ++j) sums[j] += side == kPositive ? one_side[j] * unit : -one_side[j] * unit;
    }
    return sums;
}

// Offers the best set of a block; of equal ones the least literal has the smallest mask.
void offer_block(const ParityBlock &block, const Value *parts, const Value *sizes, Incumbent &found) {
    Value fixed = sizes ? sizes[block.larger.size() + 1] : 0;
    for (int literal : block.larger) fixed += parts[literal];
    const Value least = least_total(block.sums, parts, block.below);
    if (least + fixed > found.value()) return;
    int j = 0;
    while (block.sums[j] + parts[j] != least) ++j;
    for (int literal : block.larger) found.included.insert(literal);
    found.offer_with(j, least + fixed);
    for (int literal : block.larger) found.included.erase(literal);
}

}  // namespace

// Goes from a set R to its supersets by smaller literals; reads the blocks where they are kept, else makes them.
struct ParitySums::Walk {
    const ParitySums &owner;
    const Visit &visit;
    std::vector<int> larger;
    const Value *kept;

    // `odd`: the rows on which R is odd (unused where blocks are kept); `sum`: their weight.
    bool go(const std::vector<Word> &odd, Value sum, int below) {
        std::vector<Value> made;
        const Value *sums = kept;
        if (kept) {
            kept += below;
        } else {
            made = signed_sums(owner.table_, odd, below, owner.unit_);
            for (int j = 0; j < below; ++j) made[j] = sum + owner.single_[j] - 2 * made[j];
            sums = made.data();
        }
        if (!visit({larger, below, sums})) return false;
        if (int(larger.size()) + 1 >= owner.width_) return true;
        std::vector<Word> more;
        for (int j = 1; j < below; ++j) {
            if (!kept) {
                more = odd;
                exclusive_or(more.data(), owner.table_.column(j), owner.table_.words());
            }
            larger.push_back(j);
            const bool go_on = go(more, sums[j], j);
            larger.pop_back();
            if (!go_on) return false;
        }
        return true;
    }
};

ParitySums::ParitySums(const PackedRows &packed, int literals, int width, bool keep)
    : width_(width), unit_(packed.unit) {
    build_table(table_, first_columns(literals), packed.sources, packed.rows);
    single_ = signed_sums(table_, table_.valid, literals, unit_);
    if (!keep) return;
    std::vector<Value> sums;
    each_block([&](const ParityBlock &block) {
        sums.insert(sums.end(), block.sums, block.sums + block.below);
        return true;
    });
    kept_ = std::move(sums);
}

bool ParitySums::each_block(const Visit &visit) const {
    if (width_ == 0 || literals() == 0) return true;
    Walk walk{*this, visit, {}, kept_.empty() ? nullptr : kept_.data()};
    return walk.go(std::vector<Word>(table_.words(), 0), 0, literals());
}

std::vector<Incumbent> ParitySums::best(const Value *parts, const Value *sizes, size_t runs) const {
    const auto size_row = [&](size_t run) { return sizes ? sizes + run * (width_ + 1) : nullptr; };
    std::vector<Incumbent> found;
    for (size_t run = 0; run < runs; ++run) found.emplace_back(literals(), sizes ? size_row(run)[0] : 0);
    each_block([&](const ParityBlock &block) {
        for (size_t run = 0; run < runs; ++run) offer_block(block, parts + run * literals(), size_row(run), found[run]);
        return true;
    });
    return found;
}

}  // namespace oracledp
