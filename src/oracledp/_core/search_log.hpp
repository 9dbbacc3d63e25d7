// A record of a search from which an independent checker can verify that nothing was missed.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace oracledp {

// Preorder. A node is: its forced literals; its candidates, best first; how many of them are left after
// the hopeless tail is cut; the literals it keeps of these; then its children, each the literal that it
// adds and its own node; END. After MERGED comes the list of the literals that are still kept.
class SearchLog {
  public:
    static constexpr std::int32_t END = -1, MERGED = -2;

    explicit SearchLog(std::size_t limit) : limit_(limit) {}

    bool enabled() const { return limit_ > 0; }
    bool overflown() const { return entries_.size() > limit_; }
    void add(std::int32_t entry) {
        if (enabled() && !overflown()) entries_.push_back(entry);
    }
    template <class Literals> void add_list(const Literals &literals) {
        if (!enabled()) return;
        add(std::int32_t(literals.size()));
        for (const int literal : literals) add(literal);
    }
    std::vector<std::int32_t> &entries() { return entries_; }

  private:
    std::size_t limit_;
    std::vector<std::int32_t> entries_;
};

} // namespace oracledp
