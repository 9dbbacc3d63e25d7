// The best of a list of queries for each of many draws of the noise.
#pragma once
#include <vector>

#include "integers.hpp"

namespace oracledp {

// Queries in the order that breaks ties: what each is worth on the data, its parts and its size.
class ListedQueries {
  public:
    // table: one row of `most` parts for each query, -1 for none. sizes: may be null where sizes cost nothing.
    ListedQueries(const int32_t *table, const Value *worth, const int32_t *sizes, size_t queries, int most, int parts);

    // The number of the first query of least value for each row of costs, and that value.
    void best(const Value *part_costs, const Value *size_costs, int size_count, size_t runs, int64_t *which,
              Value *values) const;
    int parts() const { return parts_; }
    int greatest_size() const { return greatest_size_; }

  private:
    size_t queries_;
    int most_, parts_, greatest_size_ = -1;
    std::vector<int32_t> columns_;  // [place][query]; no part is one that costs nothing
    std::vector<int32_t> sizes_;
    std::vector<Value> worth_;
};

}  // namespace oracledp
