#include "trees/score_table.hpp"

#include "simd.hpp"
#include "trees/broken_tree.hpp"

namespace oracledp {

namespace {

// child(t, x) = parent(t, 0x) + parent(t + shift, 1x); first is parent's row for the child's first score.
ODP_SIMD void make_child(const int64_t *parent, int first, int shift, int rows, int half, int64_t *child) {
    for (int r = 0; r < rows; ++r) {
        const int64_t *zero = parent + size_t(first + r) * 2 * half,
                      *one = parent + size_t(first + r + shift) * 2 * half + half;
        int64_t *out = child + size_t(r) * half;
        for (int x = 0; x < half; ++x) out[x] = zero[x] + one[x];
    }
}

ODP_SIMD int64_t sum_of_minima(const int64_t *table, const int64_t *penalty, int rows, int width, int64_t *least) {
    for (int x = 0; x < width; ++x) least[x] = table[x] + penalty[x];
    for (int r = 1; r < rows; ++r)
        for (int x = 0; x < width; ++x)
            least[x] = std::min(least[x], table[size_t(r) * width + x] + penalty[size_t(r) * width + x]);
    int64_t sum = 0;
    for (int x = 0; x < width; ++x) sum += least[x];
    return sum;
}

}  // namespace

void ScoreProblem::prepare() {
    const int count = columns_count();
    least_weight = greatest_weight = columns.empty() || columns[0].empty() ? 0 : columns[0][0].weight;
    counting = !size_costs.empty();
    zero_is_free_ = true;
    for (const auto &choices : columns)
        for (const Choice &choice : choices) {
            least_weight = std::min(least_weight, choice.weight);
            greatest_weight = std::max(greatest_weight, choice.weight);
            counting = counting || (choice.counted && budget < count);
            zero_is_free_ = zero_is_free_ && choice.counted == (choice.weight != 0);
        }
    const int width = budget + 1;
    least_cost_.assign(size_t(count + 1) * width, kInfinite);
    for (int used = 0; used <= budget; ++used) least_cost_[used] = size_cost(used);
    for (int open = 1; open <= count; ++open)
        for (int used = 0; used <= budget; ++used)
            for (const Choice &choice : columns[open - 1]) {
                if (used + choice.counted > budget) continue;
                int64_t &least = least_cost_[open * width + used];
                least = std::min(least, choice.cost + least_cost_[(open - 1) * width + used + choice.counted]);
            }
}

ScoreTable::ScoreTable(const ScoreProblem &problem, int open, WorkMeter &meter)
    : problem_(problem), open_(open), meter_(meter), tables_(open + 1), penalties_(open + 1),
      scratch_(size_t(1) << open) {
    for (int level = 0; level <= open; ++level) {
        const size_t width = size_t(1) << level;
        tables_[level].resize(problem.rows(level) * width);
        penalties_[level].assign(problem.rows(level) * width, kInfinite);
        for (size_t x = 0; x < width; ++x) {
            const int ones = __builtin_popcountll(x);
            for (int t = problem.least_weight * ones; t <= problem.greatest_weight * ones; ++t)
                penalties_[level][size_t(t - problem.least_score(level)) * width + x] = 0;
        }
    }
}

int64_t ScoreTable::bound(int open) {
    const int width = 1 << open;
    return sum_of_minima(tables_[open].data(), penalties_[open].data(), problem_.rows(open), width, scratch_.data());
}

void ScoreTable::search(int64_t value, int used, int64_t floor, std::vector<int> &path, BestScore &best) {
    descend(open_, value, used, floor, path, best);
}

void ScoreTable::descend(int open, int64_t value, int used, int64_t floor, std::vector<int> &path, BestScore &best) {
    if (open <= 2) return finish(open, value, used, floor, path, best);
    const int64_t least = value + problem_.least_cost(open, used) + bound(open);
    if (least > best.most) return;
    floor = std::max(floor, least);
    meter_.spend(int64_t(problem_.rows(open)) << open);
    const auto &choices = problem_.columns[open - 1];
    const int first = problem_.least_score(open - 1) - problem_.least_score(open);
    for (size_t digit = 0; digit < choices.size(); ++digit) {
        const Choice &choice = choices[digit];
        if (used + choice.counted > problem_.budget) continue;
        make_child(tables_[open].data(), first, choice.weight, problem_.rows(open - 1), 1 << (open - 1),
                   tables_[open - 1].data());
        path.push_back(int(digit));
        descend(open - 1, value + choice.cost, used + choice.counted, floor, path, best);
        path.pop_back();
    }
}

// The last two columns at once: value(v1, v0) = table(0, 00) + table(v0, 01) + table(v1, 10) + table(v1 + v0, 11).
void ScoreTable::finish(int open, int64_t value, int used, int64_t floor, std::vector<int> &path, BestScore &best) {
    const int width = 1 << open;
    const int64_t *table = tables_[open].data();
    const int64_t origin = -problem_.least_score(open);
    auto at = [&](int score, int x) { return table[(origin + score) * width + x]; };
    static const std::vector<Choice> none{{0, 0, false}};
    const auto &high = open == 2 ? problem_.columns[1] : none;
    const auto &low = open >= 1 ? problem_.columns[0] : none;
    value += at(0, 0);
    for (size_t h = 0; h < high.size(); ++h) {
        const int64_t above = value + high[h].cost + (open == 2 ? at(high[h].weight, 2) : 0);
        for (size_t l = 0; l < low.size(); ++l) {
            const int total_used = used + high[h].counted + low[l].counted;
            if (problem_.counting && total_used > problem_.budget) continue;
            int64_t end = above + low[l].cost + (open >= 1 ? at(low[l].weight, 1) : 0) +
                (open == 2 ? at(high[h].weight + low[l].weight, 3) : 0);
            if (problem_.counting) end += problem_.size_cost(total_used);
            require(end >= floor);
            if (end > best.most) continue;
            best.most = end - 1;
            best.found = true;
            best.digits = path;
            if (open == 2) best.digits.push_back(int(h));
            if (open >= 1) best.digits.push_back(int(l));
        }
    }
}

}  // namespace oracledp
