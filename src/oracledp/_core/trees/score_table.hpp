// The best halfspace over a few columns: depth-first over weights with tables of partial sums.
//
// Weights are chosen column by column, the highest first. When `left` columns are open, a table holds for every
// pattern x of the open columns and every score t that they may still contribute, the total weight of the records
// with that pattern that would be accepted: value(t, x). Choosing weight v for the highest open column is one
// addition per entry, value'(t, x) = value(t, 0x) + value(t + v, 1x), and no query below is better than
// sum_x min_t value(t, x): every pattern may choose its own score.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "trees/work_meter.hpp"

namespace oracledp {

struct Choice {
    int weight;
    int64_t cost;
    bool counted;  // takes the place of a dummy: at most `budget` of these
};

// The weights that may be chosen, in the class's order; costs of sizes (empty: none) and of the threshold.
struct ScoreProblem {
    std::vector<std::vector<Choice>> columns;
    int budget = 0;
    std::vector<int64_t> size_costs;
    int least_weight = 0, greatest_weight = 0;

    void prepare();
    int columns_count() const { return int(columns.size()); }
    int least_score(int open) const { return open * std::min(0, least_weight); }
    int greatest_score(int open) const { return open * std::max(0, greatest_weight); }
    int rows(int open) const { return greatest_score(open) - least_score(open) + 1; }
    // The scores that `ones` open columns may contribute when `left` more weights may be counted.
    std::pair<int64_t, int64_t> reach(int ones, int left) const {
        const int movable = zero_is_free_ ? std::min(ones, left) : ones;
        return {int64_t(movable) * least_weight, int64_t(movable) * greatest_weight};
    }
    int64_t size_cost(int used) const { return size_costs.empty() ? 0 : size_costs[used]; }
    // The least cost of the `open` lowest columns and of the size, when `used` counted weights are chosen already.
    int64_t least_cost(int open, int used) const { return least_cost_[open * (budget + 1) + used]; }
    bool counting = false;

  private:
    std::vector<int64_t> least_cost_;
    bool zero_is_free_ = false;  // every weight but zero is counted
};

// The incumbent: the digits (places in the choices) of its columns.
struct BestScore {
    int64_t most;  // the greatest value that would still improve
    std::vector<int> digits;
    bool found = false;
};

class ScoreTable {
  public:
    // For the lowest `open` columns of the problem.
    ScoreTable(const ScoreProblem &problem, int open, WorkMeter &meter);

    // The table to fill: rows(open) rows of 2^open patterns, row r for score least_score(open) + r.
    int64_t *table() { return tables_[open_].data(); }
    // Searches below the filled table, given the value, the number of counted weights and the digits of the columns
    // above. What improves goes to best: digits are places in the choices of each column, the highest column first.
    // No query may be below `floor`, the greatest bound on the way: every leaf reached is held against it.
    void search(int64_t value, int used, int64_t floor, std::vector<int> &path, BestScore &best);

  private:
    const ScoreProblem &problem_;
    int open_;
    WorkMeter &meter_;
    std::vector<std::vector<int64_t>> tables_;     // [open columns]
    std::vector<std::vector<int64_t>> penalties_;  // [open columns]: 0 where the pattern can reach the score
    std::vector<int64_t> scratch_;

    void descend(int open, int64_t value, int used, int64_t floor, std::vector<int> &path, BestScore &best);
    void finish(int open, int64_t value, int used, int64_t floor, std::vector<int> &path, BestScore &best);
    int64_t bound(int open);
};

}  // namespace oracledp
