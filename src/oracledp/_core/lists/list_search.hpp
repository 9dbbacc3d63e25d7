// Optimal decision lists: every set of columns that a list may test, pruned by the cell bound.
#pragma once
#include "lists/list_problem.hpp"
#include "trees/support_scan.hpp"
#include "trees/work_meter.hpp"

namespace oracledp {

struct BestList {
    int64_t value;
    std::vector<int> parts;
};

// The first best list in the class's order; throws OutOfWork when the meter runs out.
BestList search_lists(ColumnData &data, const ListProblem &problem, WorkMeter &meter);

}  // namespace oracledp
