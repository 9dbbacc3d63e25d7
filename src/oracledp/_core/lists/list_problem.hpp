// A problem over decision lists: what each condition tests, and what each part costs.
#pragma once
#include <algorithm>
#include <map>
#include <vector>

#include "lists/list_parts.hpp"

namespace oracledp {

struct ListLiteral {
    int column, polarity;  // holds where the column has this value
};

class ListProblem : public ListParts {
  public:
    ListProblem(int length, int columns, std::vector<std::vector<ListLiteral>> conditions, const int64_t *part_costs);

    const int columns;
    const std::vector<std::vector<ListLiteral>> conditions;
    bool free = true;  // no part has a cost
    size_t width = 0;  // literals in the longest condition

    // The conditions that test only columns of this set (increasing), in order.
    std::vector<int> testers(const std::vector<int> &set) const;
    // The least cost of a rule at a position whose condition tests this column (among others).
    const int64_t *least(int position) const { return &least_[size_t(position) * columns]; }
    // The first list, in the class's order, that tests only columns of this set: no list over it comes earlier.
    std::vector<int> first_parts(const std::vector<int> &set) const;

  private:
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
