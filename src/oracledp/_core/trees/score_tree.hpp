// The best halfspace over many columns: depth-first over weights on lists of distinct records.
//
// A node keeps, for every pattern of the open columns that occurs, the sorted scores its records still need, with
// their total weights; records that are decided are gone. Choosing a weight merges neighbouring patterns. The bound
// is that of ScoreTable, which takes over as soon as a full table is small.
#pragma once
#include "trees/score_table.hpp"

namespace oracledp {

struct Pattern {
    uint64_t bits;  // bit j is column j
    int64_t weight;
};

// Distinct patterns, with the lowest column most significant: those that agree on the open columns are neighbours.
std::vector<Pattern> in_merging_order(std::vector<Pattern> patterns);

class ScoreTree {
  public:
    // Patterns are in merging order and outlive the tree.
    ScoreTree(const ScoreProblem &problem, const std::vector<Pattern> &patterns, WorkMeter &meter);
    // Searches all queries with this threshold; value is what is paid already.
    void search(int64_t threshold, int64_t value, BestScore &best);

  private:
    struct Entry {
        int64_t need, weight;  // records of this weight are accepted if the open columns contribute `need` or more
    };
    struct Group {
        uint64_t bits;  // pattern of the open columns
        int end;        // past its last entry
    };
    struct Level {
        std::vector<Group> groups;
        std::vector<Entry> entries;
    };
    const ScoreProblem &problem_;
    const std::vector<Pattern> &patterns_;
    WorkMeter &meter_;
    int table_open_;
    ScoreTable table_;
    std::vector<Level> levels_;
    std::vector<int> path_;

    static int table_size(const ScoreProblem &problem);
    void descend(int open, int64_t value, int used, int64_t floor, BestScore &best);
    // Makes level `open - 1` for one weight of column `open - 1`; returns what is decided, then the bound on the rest.
    std::pair<int64_t, int64_t> merge(int open, int weight, int left);
    void fill_table();
};

}  // namespace oracledp
