// The inner loops: weighted sums over a set of rows, for many columns at once.
#pragma once
#include "rows/row_table.hpp"

namespace oracledp {

// One side of a cover cut along the planes of its table: only blocks that hold a row, grouped by plane.
struct Terms {
    struct Run {
        int shift, begin, end;  // blocks begin..end count 2^shift each
    };
    std::vector<int> blocks;
    std::vector<Word> bits;
    std::vector<Run> runs;
    int size = 0;

    void cut(const RowTable &table, const Word *cover, Side side);
    int64_t total() const;
};

// out[i] = the absolute weight of the terms' rows that have columns[i].
void column_sums(const RowTable &table, const Terms &terms, const int *columns, int count, int64_t *out);

size_t count_rows(const Word *cover, size_t words);
void intersect(Word *out, const Word *left, const Word *right, size_t words);

// Intersects in place and says whether anything is left.
bool intersect_into(Word *cover, const Word *column, size_t words);

// out[i] = the weight of the positive rows of the cover that have all of columns[0..i].
void residual_sums(const RowTable &table, const Word *cover, const int *columns, int count, int64_t *out);

}  // namespace oracledp
