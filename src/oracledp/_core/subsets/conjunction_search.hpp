// Branch-and-bound for the conjunction of least weight plus cost.
#pragma once
#include "subsets/conjunction_index.hpp"
#include "subsets/incumbent.hpp"
#include "subsets/search_log.hpp"
#include "trees/work_meter.hpp"

namespace oracledp {

// The first minimiser in the order of bit masks. `start` is any set of the class, as good a guess as the caller has: it
// changes the time, not the answer. Throws OutOfWork when the meter runs out. `eager` merges rows at every node, which
// small problems never need: it lets tests reach that code.
Incumbent search_conjunctions(const ConjunctionIndex &index, const SubsetCosts &costs, const std::vector<int> &start,
                              WorkMeter &meter, SearchLog &log, bool eager);

}  // namespace oracledp
