#include "sampling/support_forest.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace oracledp {

void SupportForest::add(ColumnData &data, std::unique_ptr<SampledFamily> family, int64_t constant) {
    trees_.push_back({&data, std::move(family), constant});
}

void SupportForest::each_set(const Visit &visit) {
    for (int tree = 0; tree < int(trees_.size()); ++tree)
        if (!each_set_of(tree, visit)) return;
}

// All sets of columns of one tree, always in the same order; stops when visit returns false.
bool SupportForest::each_set_of(int tree, const Visit &visit) {
    ColumnData &data = *trees_[tree].data;
    const SampledFamily &family = *trees_[tree].family;
    const int64_t constant = trees_[tree].constant;
    auto offer = [&](const std::vector<int> &set, int64_t bound) {
        return visit(tree, set, {tree, constant + bound, family.leaves(set)});
    };
    auto negative_cells = [&](const std::vector<int> &set) {
        std::vector<int64_t> cells(size_t(1) << set.size());
        data.cells(set, cells.data());
        int64_t sum = 0;
        for (int64_t cell : cells) sum += std::min<int64_t>(cell, 0);
        return sum;
    };
    const int largest = std::min(family.largest(), data.columns());
    data.all(1);
    if (!offer({}, negative_cells({}))) return false;
    for (int a = 0; a < data.columns() && largest >= 1; ++a)
        if (!offer({a}, negative_cells({a}))) return false;
    for (int size = 2; size <= largest; ++size) {
        bool more = true;
        std::vector<int> set(size);
        SupportScan scan(data, size,
                         [](const std::vector<int> &, int, int64_t *out, int count) { std::fill_n(out, count, 0); });
        scan.run([&](const Row &row) {
            set[1] = row.b;
            std::copy(row.prefix.rbegin(), row.prefix.rend(), set.begin() + 2);
            for (set[0] = 0; set[0] < row.count && more; ++set[0]) more = offer(set, row.bound[set[0]]);
            return more;
        });
        if (!more) return false;
    }
    return true;
}

double SupportForest::log_weight(const Kind &kind) const {
    return std::log(double(kind.leaves)) - rate_ * double(kind.bound);
}

double SupportForest::log_unopened() const {
    double highest = -INFINITY, sum = 0;
    for (const auto &[kind, count] : kinds_) highest = std::max(highest, log_weight(kind));
    for (const auto &[kind, count] : kinds_) sum += double(count) * std::exp(log_weight(kind) - highest);
    return kinds_.empty() ? -INFINITY : highest + std::log(sum);
}

double SupportForest::log_opened() const {
    auto log_of = [&](const Opened &opened) {
        return std::log(double(opened.inside)) - std::log(double(kOne)) - rate_ * double(opened.floor);
    };
    double highest = -INFINITY, sum = 0;
    for (const Opened &opened : opened_) highest = std::max(highest, log_of(opened));
    for (const Opened &opened : opened_) sum += std::exp(log_of(opened) - highest);
    return opened_.empty() ? -INFINITY : highest + std::log(sum);
}

void SupportForest::prepare(std::vector<uint64_t> powers, double rate, size_t first) {
    heights_ = std::make_unique<Heights>(std::move(powers));
    rate_ = rate;
    cutoff_ = INFINITY;
    chunk_ = first;
    each_set([&](int, const std::vector<int> &, const Kind &kind) {
        ++kinds_[kind];
        return true;
    });
    while (first > 0 && !kinds_.empty() && opened_.size() < kMostOpened && log_unopened() > log_opened()) open_chunk();
    origin_ = std::numeric_limits<int64_t>::max();
    for (const Opened &opened : opened_) origin_ = std::min(origin_, opened.floor);
    for (const auto &[kind, count] : kinds_) origin_ = std::min(origin_, kind.bound);
}

std::vector<std::tuple<int, int64_t, uint64_t, uint64_t>> SupportForest::unopened() const {
    std::vector<std::tuple<int, int64_t, uint64_t, uint64_t>> found;
    for (const auto &[kind, count] : kinds_) found.emplace_back(kind.tree, kind.bound, kind.leaves, count);
    return found;
}

void SupportForest::refine() {
    chunk_ = std::max<size_t>(chunk_, 1);
    if (!kinds_.empty() && opened_.size() < kMostOpened) open_chunk();
}

// Opens the heaviest kinds, twice as many sets as the last time.
void SupportForest::open_chunk() {
    std::vector<std::pair<double, uint64_t>> order;
    for (const auto &[kind, count] : kinds_) order.push_back({log_weight(kind), count});
    std::sort(order.rbegin(), order.rend());
    uint64_t wanted = 0;
    double cutoff = cutoff_;
    for (const auto &[weight, count] : order) {
        if (wanted >= chunk_) break;
        cutoff = weight;
        wanted += count;
    }
    chunk_ *= 2;
    each_set([&](int tree, const std::vector<int> &set, const Kind &kind) {
        const double weight = log_weight(kind);
        if (weight >= cutoff && weight < cutoff_ && !entered_sets_.count({tree, set})) keep(tree, set, kind);
        return true;
    });
    cutoff_ = cutoff;
}

void SupportForest::open(int tree, const std::vector<int> &set) {
    std::vector<int64_t> cells(size_t(1) << set.size());
    trees_[tree].data->cells(set, cells.data());
    trees_[tree].family->open(set, cells.data(), *heights_);
    entered_ = tree;
}

// No query of the set may be below its bound, nor may they weigh more than their number allows.
void SupportForest::keep(int tree, const std::vector<int> &set, const Kind &kind) {
    open(tree, set);
    const SampledFamily &family = *trees_[tree].family;
    require(trees_[tree].constant + family.floor() >= kind.bound && family.weight() <= Wide(kind.leaves) * kOne);
    opened_.push_back({tree, set, trees_[tree].constant + family.floor(), family.weight()});
    const auto place = kinds_.find(kind);
    if (--place->second == 0) kinds_.erase(place);
}

Wide SupportForest::weight(const Opened &opened) const {
    return scaled((*heights_)(opened.floor - origin_), opened.inside);
}

Wide SupportForest::weight(const Kind &kind) const { return Wide(kind.leaves) * (*heights_)(kind.bound - origin_); }

Wide SupportForest::total() const {
    Wide sum = 0;
    for (const Opened &opened : opened_) sum += weight(opened);
    for (const auto &[kind, count] : kinds_) sum += weight(kind) * count;
    return sum;
}

Entry SupportForest::enter(Wide number) {
    for (const Opened &opened : opened_) {
        const Wide chosen = weight(opened);
        if (number < chosen) {
            open(opened.tree, opened.set);
            const SampledFamily &family = *trees_[opened.tree].family;
            require(trees_[opened.tree].constant + family.floor() == opened.floor && family.weight() == opened.inside);
            return {opened.tree, {opened.floor - origin_, chosen, opened.inside}};
        }
        number -= chosen;
    }
    for (const auto &[kind, count] : kinds_) {
        const Wide one = weight(kind);
        if (number < one * count) return enter_unopened(kind, uint64_t(number / one));
        number -= one * count;
    }
    throw std::out_of_range("a number beyond the total weight");
}

Entry SupportForest::enter_unopened(const Kind &kind, uint64_t index) {
    const Kind wanted = kind;
    const Wide chosen = weight(wanted);
    const bool missing = each_set_of(wanted.tree, [&](int tree, const std::vector<int> &set, const Kind &found) {
        if (!(found == wanted) || entered_sets_.count({tree, set}) || index-- > 0) return true;
        keep(tree, set, wanted);
        entered_sets_.insert({tree, set});
        return false;
    });
    require(!missing);
    return {wanted.tree, {opened_.back().floor - origin_, chosen, opened_.back().inside}};
}

}  // namespace oracledp
