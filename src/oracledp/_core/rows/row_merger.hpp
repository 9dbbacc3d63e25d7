// Merging the rows of a cover that agree on the columns still in play.
#pragma once
#include "rows/row_table.hpp"

namespace oracledp {

// The rows of a cover seen through some columns only: equal ones are merged, so that opposite weights cancel.
class RowMerger {
  public:
    const KeyedRows &merge(const RowTable &table, const Word *cover, const std::vector<int> &columns);
    // Where those columns are found in the merged keys.
    const std::vector<KeyBit> &sources() const { return sources_; }

  private:
    KeyedRows merged_;
    std::vector<KeyBit> sources_;
    std::vector<int32_t> slots_;
};

}  // namespace oracledp
