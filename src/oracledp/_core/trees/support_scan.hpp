// Visits every set of s columns with a lower bound on any boolean function of those columns.
//
// A query that reads s columns is constant on each of their 2^s cells, so no such query is below the sum of the
// negative cell weights. The scan computes this bound for all sets from moments, a row of sets at a time.
#pragma once
#include <functional>
#include <memory>
#include <mutex>

#include "trees/moments.hpp"

namespace oracledp {

// What is prepared from records and weights alone.
class ColumnData {
  public:
    ColumnData(SparseRecords records, int columns) : records_(std::move(records)), columns_(columns) {}

    int columns() const { return columns_; }
    std::mutex &mutex() { return mutex_; }
    const SparseRecords &records() const { return records_; }

    // Moments of all records, up to the given order.
    const Moments &all(int order);
    // Moments of the records with column f over the columns below it, up to the given order.
    std::shared_ptr<const Moments> under(int f, int order);
    // The weights of the cells of a set of columns (increasing); bit t of a cell is column t of the set.
    void cells(const std::vector<int> &set, int64_t *out);

  private:
    std::mutex mutex_;  // moments are made when first needed: one search at a time
    SparseRecords records_;
    int columns_;
    int all_order_ = -1, under_order_ = -1;
    Moments all_;
    std::vector<std::shared_ptr<const Moments>> under_;

    bool at_hand(const std::vector<int> &set) const;
    void cells_from_moments(const std::vector<int> &set, int64_t *out);
    void cells_from_records(const std::vector<int> &set, int64_t *out) const;
};

// Costs that do not depend on data: for a row of sets (prefix, b, a), a = 0..count-1, the least cost of a query.
using CostRow = std::function<void(const std::vector<int> &prefix, int b, int64_t *out, int count)>;

// One visited row: sets {a, b} + prefix for a < count; the prefix is decreasing.
struct Row {
    const std::vector<int> &prefix;
    int b;
    const int64_t *bound;
    int count;
};

class SupportScan {
  public:
    // size >= 2. Visits rows in colex order of the sets; stops when visit returns false.
    SupportScan(ColumnData &data, int size, CostRow costs) : data_(data), size_(size), costs_(std::move(costs)) {}
    void run(const std::function<bool(const Row &)> &visit);

  private:
    ColumnData &data_;
    int size_;
    CostRow costs_;
    std::vector<int> prefix_;
    const Moments *all_ = nullptr;
    std::shared_ptr<const Moments> under_;
    int top_ = -1;

    bool descend(const std::function<bool(const Row &)> &visit, int limit);
    bool rows(const std::function<bool(const Row &)> &visit, int limit);
    const int64_t *block(unsigned subset, int extra) const;
};

}  // namespace oracledp
