#include "dual/dual_search.hpp"

#include <algorithm>
#include <numeric>

namespace oracledp {

namespace {

constexpr int64_t kDropped = int64_t(1) << 62;

}  // namespace

DualSearch::DualSearch(std::vector<DualBlock> blocks, std::vector<DualQuery> queries, int columns, WorkMeter &meter)
    : blocks_(std::move(blocks)), queries_(std::move(queries)), columns_(columns), meter_(meter), first_{0},
      touches_(queries_.size()), levels_(blocks_.size() + 1), chosen_(blocks_.size(), -1) {
    for (const DualBlock &block : blocks_) first_.push_back(first_.back() + int(block.cost.size()));
    for (Level &level : levels_) {
        level.base.resize(first_.back());
        level.least.resize(blocks_.size());
    }
    for (size_t b = 0; b < blocks_.size(); ++b)
        std::copy(blocks_[b].cost.begin(), blocks_[b].cost.end(), levels_[0].base.begin() + first_[b]);
    std::stable_sort(queries_.begin(), queries_.end(),
                     [](const DualQuery &a, const DualQuery &b) { return std::abs(a.weight) > std::abs(b.weight); });
    for (size_t q = 0; q < queries_.size(); ++q) add(int(q));
}

void DualSearch::run() { visit(0, constant_); }

void DualSearch::add(int query) {
    Active whole{query, 0, 0, 0, 0};
    for (size_t b = 0; b < blocks_.size(); ++b) rank(query, int(b));
    for (size_t b = 0, t = 0; b < blocks_.size(); ++b)
        if (t < touches_[query].size() && touches_[query][t].block == int(b)) {
            whole.least += touches_[query][t].least;
            whole.greatest += touches_[query][t++].greatest;
            ++whole.open;
        } else {
            whole.sum += queries_[query].score[first_[b]];
        }
    constant_ += decide(whole, levels_[0].active);
}

// Remembers the block if the query depends on it.
void DualSearch::rank(int query, int block) {
    const auto score = [&](int value) { return queries_[query].score[value]; };
    const size_t start = ranked_.size();
    for (int v = first_[block]; v < first_[block + 1]; ++v) ranked_.push_back({v, score(v)});
    std::stable_sort(ranked_.begin() + start, ranked_.end(),
                     [](const Ranked &a, const Ranked &b) { return a.score > b.score; });
    const int greatest = ranked_[start].score, least = ranked_.back().score;
    if (least < greatest) touches_[query].push_back({block, least, greatest, start, int(ranked_.size() - start)});
    else ranked_.resize(start);
}

// What a query adds once it is decided; otherwise it joins the undecided.
int64_t DualSearch::decide(const Active &active, std::vector<Active> &undecided) const {
    const DualQuery &query = queries_[active.query];
    if (query.parity) {
        if (active.open == 0) return active.sum & 1 ? query.weight : 0;
    } else {
        if (active.sum + active.least >= query.threshold) return query.weight;
        if (active.sum + active.greatest < query.threshold) return 0;
    }
    undecided.push_back(active);
    return 0;
}

// Gives the block this value: returns what that decides; the next level holds the rest.
int64_t DualSearch::close(int depth, int block, int value) {
    const Level &level = levels_[depth];
    Level &next = levels_[depth + 1];
    next.active.clear();
    next.base = level.base;
    int64_t decided = level.base[value];
    for (Active active : level.active) {
        for (const Touch &touch : touches_[active.query])
            if (touch.block == block) {
                active.sum += queries_[active.query].score[value];
                active.least -= touch.least;
                active.greatest -= touch.greatest;
                --active.open;
                break;
            }
        decided += decide(active, next.active);
    }
    return decided;
}

// What becomes of the bound if this block receives the query's weight.
DualSearch::Gift DualSearch::offer(const Active &active, const Touch &touch, const Level &level) const {
    const DualQuery &query = queries_[active.query];
    const bool negative = query.weight < 0;
    const Ranked *values = &ranked_[touch.start];
    const int rest = negative ? active.greatest - touch.greatest : active.least - touch.least;
    const int needed = query.parity ? (negative ? INT32_MIN : INT32_MAX) : query.threshold - active.sum - rest;
    Gift gift{&touch, 0, 0, touch.count};
    int64_t lowest = INT64_MAX;
    while (gift.count < touch.count && values[gift.count].score >= needed)
        lowest = std::min(lowest, level.share[values[gift.count++].value] + query.weight);
    if (gift.count == 0) return gift;
    if (!negative)  // the bound rises only if no value of least share is left out
        for (int i = gift.count; i < touch.count; ++i) lowest = std::min(lowest, level.share[values[i].value]);
    const int64_t least = level.least[touch.block];
    gift.rise = negative ? std::min<int64_t>(0, lowest - least) : lowest - least;
    if (negative && gift.rise == 0) gift.slack = lowest - least;
    return gift;
}

// Gives the weight of a query to the open block where the bound falls least (rises most), and has most room left.
void DualSearch::give(const Active &active, Level &level) const {
    Gift best;
    for (const Touch &touch : touches_[active.query]) {
        if (chosen_[touch.block] >= 0) continue;
        const Gift gift = offer(active, touch, level);
        if (gift.rise > best.rise || (gift.rise == best.rise && gift.slack > best.slack)) best = gift;
    }
    for (int i = 0; i < best.count; ++i)
        level.share[ranked_[best.touch->start + i].value] += queries_[active.query].weight;
    level.least[best.touch->block] += best.rise;
}

// A parity with one open block is a function of its value.
void DualSearch::give_last_parity(const Active &active, Level &level) const {
    for (const Touch &touch : touches_[active.query]) {
        if (chosen_[touch.block] >= 0) continue;
        const int from = first_[touch.block], to = first_[touch.block + 1];
        for (int v = from; v < to; ++v)
            if ((active.sum + queries_[active.query].score[v]) & 1) level.share[v] += queries_[active.query].weight;
        level.least[touch.block] = *std::min_element(&level.share[from], &level.share[from] + (to - from));
    }
}

// Makes shares that add up to a lower bound; returns whether they add up to the least value itself.
bool DualSearch::share_out(Level &level) const {
    level.share = level.base;
    for (size_t b = 0; b < blocks_.size(); ++b)
        level.least[b] = chosen_[b] >= 0
            ? 0
            : *std::min_element(&level.base[first_[b]], &level.base[first_[b]] + blocks_[b].cost.size());
    bool exact = true;
    for (int open = 1; open <= 3; ++open)  // queries with few choices first
        for (const Active &active : level.active) {
            if (std::min(active.open, 3) != open) continue;
            exact = exact && open == 1;
            if (open == 1 && queries_[active.query].parity) give_last_parity(active, level);
            else give(active, level);
        }
    return exact;
}

// The first record below a node; or the first of those with least share in every block.
DualSearch::Key DualSearch::first_key(const Level &level, bool of_least_share) const {
    Key key((columns_ + 63) / 64, 0);
    for (size_t b = 0; b < blocks_.size(); ++b) {
        int value = chosen_[b];
        for (int v = first_[b]; value < 0; ++v)
            if (of_least_share ? level.share[v] == level.least[b] : level.base[v] < kDropped) value = v;
        for (int column : blocks_[b].ones[value - first_[b]]) key[column / 64] |= uint64_t(1) << (63 - column % 64);
    }
    return key;
}

void DualSearch::visit(int depth, int64_t value) {
    Level &level = levels_[depth];
    meter_.spend(1 + int64_t(level.active.size()));
    const bool exact = share_out(level);
    const int64_t bound = std::accumulate(level.least.begin(), level.least.end(), value);
    if (bound > best_ || (bound == best_ && first_key(level, false) >= best_key_)) return;
    if (!exact) return branch(depth, value, bound);
    Key key = first_key(level, true);
    if (bound == best_ && key >= best_key_) return;
    best_ = bound;
    best_key_ = std::move(key);
}

int DualSearch::fewest_values(const Level &level) const {
    int chosen = -1, fewest = 0;
    for (int b = 0; b < int(blocks_.size()); ++b) {
        if (chosen_[b] >= 0) continue;
        const auto from = level.base.begin() + first_[b], to = level.base.begin() + first_[b + 1];
        const int left = int(std::count_if(from, to, [](int64_t base) { return base < kDropped; }));
        if (chosen < 0 || left < fewest) chosen = b, fewest = left;
    }
    return chosen;
}

void DualSearch::branch(int depth, int64_t value, int64_t bound) {
    Level &level = levels_[depth];
    for (size_t b = 0; b < blocks_.size(); ++b)
        for (int v = first_[b]; v < first_[b + 1] && chosen_[b] < 0; ++v)
            if (level.base[v] < kDropped && bound - level.least[b] + level.share[v] > best_) level.base[v] = kDropped;
    const int block = fewest_values(level);
    level.order.clear();
    for (int v = first_[block]; v < first_[block + 1]; ++v)
        if (level.base[v] < kDropped) level.order.push_back({bound - level.least[block] + level.share[v], v});
    std::sort(level.order.begin(), level.order.end());
    for (const auto &[least, v] : level.order) {
        if (least > best_) break;
        chosen_[block] = v;
        visit(depth + 1, value + close(depth, block, v));
        chosen_[block] = -1;
    }
}

std::vector<int> DualSearch::record() const {
    std::vector<int> bits(columns_);
    for (int column = 0; column < columns_; ++column)
        bits[column] = int(best_key_[column / 64] >> (63 - column % 64) & 1);
    return bits;
}

}  // namespace oracledp
