#include "trees/support_scan.hpp"

#include <algorithm>

#include "simd.hpp"

namespace oracledp {

namespace {

constexpr int64_t kKeptMoments = int64_t(1) << 26;  // moments kept between redraws: at most half a gigabyte

// What a row of sets {a, b} + prefix needs of one cell of the prefix.
struct PrefixCell {
    int64_t total;          // the cell's weight
    const int64_t *single;  // its weight with column a (a table of cells already)
    const int64_t *pair;    // the moment with columns a and b
};

static_assert(sizeof(Lanes) == 8 * kLanes);

// In words, which wrap where lanes past the last set hold anything; the lanes of sets hold sums that fit.
ODP_INLINE void add_negative(const Lanes &cells, Lanes &sum) { sum += cells & Lanes(SignedLanes(cells) < 0); }

// Adds to out[a] the negative parts of all cells of {a, b} + prefix, for kLanes consecutive a from `from` on.
ODP_SIMD void add_cell_bounds(const PrefixCell *cells, int bits, int b, int from, int64_t *scratch, int64_t *out) {
    const int count = 1 << bits;
    Lanes *both = reinterpret_cast<Lanes *>(scratch);
    for (int u = 0; u < count; ++u) both[u] = *reinterpret_cast<const Lanes *>(cells[u].pair + from);
    for (int step = 1; step < count; step *= 2)
        for (int start = 0; start < count; start += 2 * step)
            for (int u = start; u < start + step; ++u) both[u] -= both[u + step];
    Lanes &result = *reinterpret_cast<Lanes *>(out + from);
    Lanes sum = result;
    for (int u = 0; u < count; ++u) {
        const uint64_t other = uint64_t(cells[u].single[b]), rest = uint64_t(cells[u].total) - other;
        const Lanes only_a = *reinterpret_cast<const Lanes *>(cells[u].single + from) - both[u];
        const Lanes only_b = other - both[u], none = rest - only_a;
        add_negative(both[u], sum);
        add_negative(only_a, sum);
        add_negative(only_b, sum);
        add_negative(none, sum);
    }
    result = sum;
}

}  // namespace

const Moments &ColumnData::all(int order) {
    if (order > all_order_) {
        all_ = Moments(records_, columns_, order);
        all_order_ = order;
    }
    return all_;
}

std::shared_ptr<const Moments> ColumnData::under(int f, int order) {
    const bool keep = binomial(columns_, std::max(order, under_order_) + 1) <= kKeptMoments;
    if (order > under_order_ || (!keep && !under_[f])) {
        under_.assign(columns_, nullptr);  // of too low an order, or too many: then only the latest stays
        under_order_ = order;
    }
    if (!under_[f]) under_[f] = std::make_shared<const Moments>(records_.below(f), f, under_order_);
    return under_[f];
}

bool ColumnData::at_hand(const std::vector<int> &set) const {
    const int size = int(set.size());
    return size <= all_order_ || (size > 1 && size - 1 <= all_order_ && size - 1 <= under_order_ && under_[set.back()]);
}

void ColumnData::cells(const std::vector<int> &set, int64_t *out) {
    if (at_hand(set)) cells_from_moments(set, out);
    else cells_from_records(set, out);
}

void ColumnData::cells_from_moments(const std::vector<int> &set, int64_t *out) {
    const int size = int(set.size());
    const bool whole = size <= all_order_;
    for (unsigned subset = 0; subset < 1u << size; ++subset) {
        const bool conditional = !whole && (subset >> (size - 1) & 1);
        int order = __builtin_popcount(subset) - int(conditional);
        const int64_t *base = (conditional ? *under_[set.back()] : all_).level(order);
        for (int t = conditional ? size - 2 : size - 1; t >= 0; --t)
            if (subset >> t & 1) base += binomial(set[t], order--);
        out[subset] = *base;
    }
    moments_to_cells(out, size);
}

void ColumnData::cells_from_records(const std::vector<int> &set, int64_t *out) const {
    std::vector<int> place(columns_, -1);
    for (size_t t = 0; t < set.size(); ++t) place[set[t]] = int(t);
    std::fill_n(out, size_t(1) << set.size(), 0);
    for (int i = 0; i < records_.count(); ++i) {
        size_t cell = 0;
        for (size_t t = records_.start[i]; t < records_.start[i + 1]; ++t)
            if (place[records_.ones[t]] >= 0) cell |= size_t(1) << place[records_.ones[t]];
        out[cell] += records_.weight[i];
    }
}

void SupportScan::run(const std::function<bool(const Row &)> &visit) {
    all_ = &data_.all(std::max(size_ - 1, 2));
    prefix_.clear();
    top_ = -1;
    if (size_ == 2) {
        rows(visit, data_.columns());
        return;
    }
    for (int f = size_ - 1; f < data_.columns(); ++f) {
        under_ = data_.under(f, size_ - 1);
        top_ = f;
        prefix_.assign(1, f);
        if (!descend(visit, f)) return;
    }
}

bool SupportScan::descend(const std::function<bool(const Row &)> &visit, int limit) {
    const int missing = size_ - int(prefix_.size());
    if (missing == 2) return rows(visit, limit);
    for (int next = missing - 1; next < limit; ++next) {
        prefix_.push_back(next);
        const bool go_on = descend(visit, next);
        prefix_.pop_back();
        if (!go_on) return false;
    }
    return true;
}

// The moments of a subset of the prefix together with `extra` lower columns, the latter in colex order.
const int64_t *SupportScan::block(unsigned subset, int extra) const {
    const bool conditional = top_ >= 0 && (subset & 1);
    int order = extra + __builtin_popcount(subset) - int(conditional);
    const int64_t *base = (conditional ? *under_ : *all_).level(order);
    for (unsigned t = conditional ? 1 : 0; t < prefix_.size(); ++t)
        if (subset >> t & 1) base += binomial(prefix_[t], order--);
    return base;
}

bool SupportScan::rows(const std::function<bool(const Row &)> &visit, int limit) {
    const int bits = int(prefix_.size()), count = 1 << bits;
    const size_t width = limit + kLanes;
    std::vector<int64_t> total(count), single(count * width), scratch(size_t(count) * kLanes), out(width);
    std::vector<PrefixCell> cells(count);
    for (int u = 0; u < count; ++u) {
        total[u] = *block(u, 0);
        std::copy_n(block(u, 1), limit, &single[u * width]);
    }
    moments_to_cells(total.data(), bits);
    for (int bit = 0; bit < bits; ++bit)
        for (int u = 0; u < count; ++u)
            if (!(u >> bit & 1))
                for (int a = 0; a < limit; ++a) single[u * width + a] -= single[(u | 1 << bit) * width + a];
    for (int u = 0; u < count; ++u) cells[u] = {total[u], &single[u * width], block(u, 2)};
    for (int b = 1; b < limit; ++b) {
        for (PrefixCell &cell : cells) cell.pair += b - 1;  // binomial(b, 2) in all
        costs_(prefix_, b, out.data(), b);
        for (int from = 0; from < b; from += kLanes)
            add_cell_bounds(cells.data(), bits, b, from, scratch.data(), out.data());
        if (!visit(Row{prefix_, b, out.data(), b})) return false;
    }
    return true;
}

}  // namespace oracledp
