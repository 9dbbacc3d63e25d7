// A problem over decision lists: what each condition tests, and what each part costs.
#pragma once
#include <algorithm>
#include <map>
#include <vector>

#include "integers.hpp"

namespace oracledp {

struct ListLiteral {
    int column, polarity;  // holds where the column has this value
};

class ListProblem {
  public:
    ListProblem(int length, int columns, std::vector<std::vector<ListLiteral>> conditions, const int64_t *part_costs);

    const int length, columns;
    const std::vector<std::vector<ListLiteral>> conditions;
    bool free = true;  // no part has a cost
    size_t width = 0;  // literals in the longest condition

    int stride() const { return 2 * int(conditions.size()) + 1; }
    int part(int position, int condition, int label) const { return position * stride() + 2 * condition + label; }
    int skip(int position) const { return (position + 1) * stride() - 1; }
    int fallback(int label) const { return length * stride() + label; }
    int64_t cost(int part) const { return part_costs_[part]; }

    // The conditions that test only columns of this set (increasing), in order.
    std::vector<int> testers(const std::vector<int> &set) const;
    // The least cost of a rule at a position whose condition tests this column (among others).
    const int64_t *least(int position) const { return &least_[size_t(position) * columns]; }
    // The first list, in the class's order, that tests only columns of this set: no list over it comes earlier.
    std::vector<int> first_parts(const std::vector<int> &set) const;

  private:
    const int64_t *part_costs_;
    std::map<std::vector<int>, std::vector<int>> by_columns_;
    std::vector<int64_t> least_;
};

// Finds the best list over a few columns, given the weights of their cells.
class ListSolver {
  public:
    virtual ~ListSolver() = default;
    // The least value over lists on the columns of `set` (increasing); anything above `most` if it is above `most`.
    virtual int64_t value(const std::vector<int> &set, const int64_t *cells, int64_t most) = 0;
    // The first list of that value in the class's order, right after value() returned at most `most`.
    virtual std::vector<int> parts(const std::vector<int> &set) = 0;
    // Steps that the last value() took.
    virtual int64_t work() const = 0;
};

}  // namespace oracledp
