// The record that minimises a weighted sum of queries: depth-first over blocks of columns.
//
// A record is one value for each block (a one-hot group, a chain of thresholds, a single bit). A query adds up one
// score per block and is true where the sum reaches its threshold (conjunctions, disjunctions, halfspaces) or is odd
// (parities). Each undecided query hands its weight to one open block, to those values under which it can still be
// true (or, if positive, must be true); the blocks' least totals add up to a lower bound, and values whose total is
// too high are dropped below.
#pragma once
#include <utility>
#include <vector>

#include "trees/work_meter.hpp"

namespace oracledp {

struct DualBlock {
    std::vector<std::vector<int>> ones;  // of each value, the columns that are one; values in the order of records
    std::vector<int64_t> cost;           // of each value
};

struct DualQuery {
    int64_t weight;
    bool parity;
    int threshold;
    std::vector<int> score;  // of each value of each block, block after block
};

class DualSearch {
  public:
    DualSearch(std::vector<DualBlock> blocks, std::vector<DualQuery> queries, int columns, WorkMeter &meter);
    void run();
    int64_t value() const { return best_; }
    std::vector<int> record() const;

  private:
    using Key = std::vector<uint64_t>;  // a record's bits, the first column most significant
    struct Touch {                      // a block on which a query depends
        int block, least, greatest;
        size_t start;  // of its values in ranked_
        int count;
    };
    struct Ranked {  // a value of a block, the highest scores first
        int value, score;
    };
    struct Active {  // an undecided query: its sum so far, what open blocks add at least and at most, and their number
        int query, sum, least, greatest, open;
    };
    struct Gift {  // the first `count` values of a touched block receive a query's weight
        const Touch *touch = nullptr;
        int count = 0;
        int64_t rise = INT64_MIN, slack = 0;
    };
    struct Level {
        std::vector<Active> active;
        std::vector<int64_t> base;   // of each value: its cost, or infinite once it is dropped
        std::vector<int64_t> share;  // base and what queries handed over
        std::vector<int64_t> least;  // of each block, its least share; 0 once it is closed
        std::vector<std::pair<int64_t, int>> order;
    };

    std::vector<DualBlock> blocks_;
    std::vector<DualQuery> queries_;
    int columns_;
    WorkMeter &meter_;
    std::vector<int> first_;  // of each block, the number of its first value; then the number of all values
    std::vector<std::vector<Touch>> touches_;
    std::vector<Ranked> ranked_;
    std::vector<Level> levels_;
    std::vector<int> chosen_;  // of each block, the number of its value; -1: open
    int64_t constant_ = 0, best_ = INT64_MAX;
    Key best_key_;

    void add(int query);
    void rank(int query, int block);
    int64_t decide(const Active &active, std::vector<Active> &undecided) const;
    int64_t close(int depth, int block, int value);
    bool share_out(Level &level) const;
    void give(const Active &active, Level &level) const;
    void give_last_parity(const Active &active, Level &level) const;
    Gift offer(const Active &active, const Touch &touch, const Level &level) const;
    void visit(int depth, int64_t value);
    void branch(int depth, int64_t value, int64_t bound);
    int fewest_values(const Level &level) const;
    Key first_key(const Level &level, bool of_least_share) const;
};

}  // namespace oracledp
