// A record of a search from which an independent checker can verify that nothing was missed.
#pragma once
#include <vector>

#include "integers.hpp"

namespace oracledp {

// Preorder. A node is: its forced literals; its candidates, best first; how many of them are left after
// the hopeless tail is cut; the literals it keeps of these; then its children, each the literal that it
// adds and its own node; kEnd. After kMerged comes the list of the literals that are still kept; after kSettled
// how many of the first literals kept make sets that are all settled, on their cells.
class SearchLog {
  public:
    static constexpr int32_t kEnd = -1, kMerged = -2, kSettled = -3;

    explicit SearchLog(size_t limit) : limit_(limit) {}

    bool enabled() const { return limit_ > 0; }
    bool overflown() const { return entries_.size() > limit_; }
    void add(int32_t entry) {
        if (enabled() && !overflown()) entries_.push_back(entry);
    }
    template <class Literals> void add_list(const Literals &literals) {
        if (!enabled()) return;
        add(int32_t(literals.size()));
        for (const int literal : literals) add(literal);
    }
    // The literals that columns of a table stand for.
    void add_columns(const std::vector<int> &columns, const std::vector<int> &literals) {
        if (!enabled()) return;
        add(int32_t(columns.size()));
        for (const int column : columns) add(literals[column]);
    }
    std::vector<int32_t> &entries() { return entries_; }

  private:
    size_t limit_;
    std::vector<int32_t> entries_;
};

}  // namespace oracledp
