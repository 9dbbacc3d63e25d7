// A node of the search over conjunctions, and the working memory of one depth.
#pragma once
#include <algorithm>
#include <vector>

#include "rows/row_table.hpp"
#include "subsets/literal_set.hpp"

namespace oracledp::conjunctions {

// A set I and the rows that have all of it.
struct Node {
    const RowTable *table;
    int size;                  // |I|
    Value cost;                // of I's literals
    Value negative, positive;  // weight of the cover on each side
};

// The working memory of one depth.
struct Level {
    RowTable own;  // the merged table, once it has paid to build it
    std::vector<Word> cover;
    std::vector<int> columns;  // the free literals as columns of the node's table, best bound first
    std::vector<Value> negative, positive, residual, prefix_cost;
    LiteralSet included, reachable;

    void keep(size_t place, int column, Value negative_sum, Value positive_sum) {
        columns[place] = column;
        negative[place] = negative_sum;
        positive[place] = positive_sum;
    }
    void resize(size_t count) {
        columns.resize(count);
        negative.resize(count);
        positive.resize(count);
    }
};

struct Candidate {
    Value bound, negative;
    int column;
    bool operator<(const Candidate &other) const {
        return bound != other.bound ? bound < other.bound : column < other.column;
    }
};

}  // namespace oracledp::conjunctions
