// A node of the search over prefixes of lists, the rules that may come next, and the working memory of one position.
#pragma once
#include <vector>

#include "rows/cover_sums.hpp"
#include "rows/row_merger.hpp"

namespace oracledp::prefixes {

// Weight of records on either side of zero, both counted positive.
struct Sides {
    Value negative, positive;
    Value weight() const { return positive - negative; }
    Sides without(const Sides &taken) const { return {negative - taken.negative, positive - taken.positive}; }
};

struct Node {
    const RowTable *table;  // one column for each condition that may still be worth its cost
    Sides left;
    int position;
};

// One rule that may come next.
struct Option {
    Value closed;  // with nothing but skips after it
    Value floor;   // with whatever comes after it
    Value paid;    // for the rule and the records it takes
    Sides left;
    int column, label;
    bool operator<(const Option &other) const {
        if (closed != other.closed) return closed < other.closed;
        return floor != other.floor ? floor < other.floor : column < other.column;
    }
};

// The working memory of one position.
struct Level {
    RowTable own;
    RowMerger merger;
    Terms terms[2];
    std::vector<Word> cover, key;
    std::vector<int> counted, place;  // columns, and by bit of the key where it is among them
    std::vector<Value> sums[2];
    std::vector<Sides> taken;  // by column
    std::vector<Option> options;
};

}  // namespace oracledp::prefixes
