#include "trees/score_tree.hpp"

namespace oracledp {

namespace {

constexpr int64_t kSmallTable = 8192;

uint64_t reversed(uint64_t bits) {
    uint64_t out = 0;
    for (int j = 0; j < 64; ++j) out |= (bits >> j & 1) << (63 - j);
    return out;
}

}  // namespace

std::vector<Pattern> in_merging_order(std::vector<Pattern> patterns) {
    for (Pattern &pattern : patterns) pattern.bits = reversed(pattern.bits);
    std::sort(patterns.begin(), patterns.end(), [](const Pattern &a, const Pattern &b) { return a.bits < b.bits; });
    for (Pattern &pattern : patterns) pattern.bits = reversed(pattern.bits);
    return patterns;
}

int ScoreTree::table_size(const ScoreProblem &problem) {
    int open = 0;
    while (open < problem.columns_count() && int64_t(problem.rows(open + 1)) << (open + 1) <= kSmallTable) ++open;
    return open;
}

ScoreTree::ScoreTree(const ScoreProblem &problem, const std::vector<Pattern> &patterns, WorkMeter &meter)
    : problem_(problem), patterns_(patterns), meter_(meter), table_open_(table_size(problem)),
      table_(problem, table_open_, meter), levels_(problem.columns_count() + 1) {}

void ScoreTree::search(int64_t threshold, int64_t value, BestScore &best) {
    Level &top = levels_.back();
    top.groups.clear();
    top.entries.clear();
    for (const Pattern &pattern : patterns_) {
        top.entries.push_back({threshold, pattern.weight});
        top.groups.push_back({pattern.bits, int(top.entries.size())});
    }
    path_.clear();
    descend(problem_.columns_count(), value, 0, INT64_MIN, best);
}

void ScoreTree::descend(int open, int64_t value, int used, int64_t floor, BestScore &best) {
    if (open == table_open_) {
        fill_table();
        return table_.search(value, used, floor, path_, best);
    }
    const auto &choices = problem_.columns[open - 1];
    for (size_t digit = 0; digit < choices.size(); ++digit) {
        const Choice &choice = choices[digit];
        const int now_used = used + choice.counted;
        if (now_used > problem_.budget) continue;
        const auto [decided, rest] = merge(open, choice.weight, problem_.budget - now_used);
        const int64_t paid = value + choice.cost + decided;
        const int64_t least = paid + problem_.least_cost(open - 1, now_used) + rest;
        if (least > best.most) continue;
        path_.push_back(int(digit));
        descend(open - 1, paid, now_used, std::max(floor, least), best);
        path_.pop_back();
    }
}

std::pair<int64_t, int64_t> ScoreTree::merge(int open, int weight, int left) {
    const Level &from = levels_[open];
    Level &to = levels_[open - 1];
    to.groups.clear();
    to.entries.clear();
    meter_.spend(int64_t(from.entries.size()) + 1);
    const uint64_t mask = (uint64_t(1) << (open - 1)) - 1;
    int64_t decided = 0, bound = 0;
    size_t group = 0;
    int zero = 0;
    while (group < from.groups.size()) {
        const uint64_t bits = from.groups[group].bits & mask;
        // Entries [zero, middle) have the column zero, [middle, end) have it one; either may be empty.
        int middle = zero, end = zero;
        if (from.groups[group].bits == bits) middle = end = from.groups[group++].end;
        if (group < from.groups.size() && (from.groups[group].bits & mask) == bits && from.groups[group].bits != bits)
            end = from.groups[group++].end;
        const auto [least, greatest] = problem_.reach(__builtin_popcountll(bits), left);
        int64_t sum = 0, minimum = 0;
        int one = middle;
        while (zero < middle || one < end) {
            const int64_t need0 = zero < middle ? from.entries[zero].need : INT64_MAX;
            const int64_t need1 = one < end ? from.entries[one].need - weight : INT64_MAX;
            const int64_t need = std::min(need0, need1);
            if (need > greatest) break;
            int64_t total = 0;
            if (need0 == need) total += from.entries[zero++].weight;
            if (need1 == need) total += from.entries[one++].weight;
            if (need <= least) {
                decided += total;
                continue;
            }
            if (total == 0) continue;
            sum += total;
            minimum = std::min(minimum, sum);
            to.entries.push_back({need, total});
        }
        zero = end;
        bound += minimum;
        if (to.groups.empty() ? !to.entries.empty() : to.groups.back().end < int(to.entries.size()))
            to.groups.push_back({bits, int(to.entries.size())});
    }
    return {decided, bound};
}

void ScoreTree::fill_table() {
    const Level &level = levels_[table_open_];
    const int least = problem_.least_score(table_open_), rows = problem_.rows(table_open_);
    const size_t width = size_t(1) << table_open_;
    int64_t *table = table_.table();
    std::fill_n(table, rows * width, 0);
    int entry = 0;
    for (const Group &group : level.groups)
        for (; entry < group.end; ++entry) {
            const int64_t row = std::max<int64_t>(level.entries[entry].need - least, 0);
            if (row < rows) table[row * width + group.bits] += level.entries[entry].weight;
        }
    for (size_t i = width; i < rows * width; ++i) table[i] += table[i - width];
}

}  // namespace oracledp
