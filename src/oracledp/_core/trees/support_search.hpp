// Exact search over queries that read few columns: every set of columns is visited, those whose bound is above the
// incumbent are skipped, the others are solved on their cells.
#pragma once
#include "trees/support_scan.hpp"
#include "trees/work_meter.hpp"

namespace oracledp {

// A family of queries, each of which reads at most some number of columns, and the best query found so far.
class SupportProblem {
  public:
    virtual ~SupportProblem() = default;
    // For sets {a, b} + prefix, a < count: the least cost that does not depend on data.
    virtual void cost_row(const std::vector<int> &prefix, int b, int64_t *out, int count) const = 0;
    // Whether a query on these columns (increasing), equal in value to the incumbent, could come before it.
    virtual bool may_precede(const std::vector<int> &set) const = 0;
    // Solves on the cells of these columns and keeps what is better, or equal and earlier. Returns the work done.
    virtual int64_t improve(const std::vector<int> &set, const int64_t *cells) = 0;
    // The incumbent's value.
    virtual int64_t value() const = 0;
};

// Searches all sets of exactly `size` columns (at most as many as there are).
void search_supports(ColumnData &data, int size, SupportProblem &problem, WorkMeter &meter);

}  // namespace oracledp
