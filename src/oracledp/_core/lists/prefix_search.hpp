// Optimal decision lists of many rules: depth first over prefixes, for lists too long to go through their columns.
#pragma once
#include "lists/list_search.hpp"
#include "rows/row_table.hpp"

namespace oracledp {

// Depends on records and weights alone: one column for each condition that a rule may have.
class ListRows {
  public:
    ListRows(int conditions, const PackedRows &packed);

    int conditions() const { return table_.columns(); }
    Value unit() const { return unit_; }  // the weights of the table are in multiples of this
    const RowTable &table() const { return table_; }
    int key_words() const { return key_words_; }
    // The conditions that hold only where this one does, itself included.
    const Word *within(int condition) const { return &within_[size_t(condition) * size_t(key_words_)]; }

  private:
    RowTable table_;
    Value unit_;
    int key_words_;
    std::vector<Word> within_;
};

// The first best list in the class's order; throws OutOfWork when the meter runs out.
BestList search_prefixes(const ListRows &rows, const ListParts &parts, WorkMeter &meter);

}  // namespace oracledp
