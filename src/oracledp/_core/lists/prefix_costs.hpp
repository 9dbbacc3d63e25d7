// What the costs of parts say about the rules that are still to come, whatever the records are.
#pragma once
#include <vector>

#include "lists/list_parts.hpp"

namespace oracledp {

class PrefixCosts {
  public:
    explicit PrefixCosts(const ListParts &parts);

    // All rules cost the same at all positions, and all skips the same or less: then skips may come last, and a rule
    // must pay for itself.
    bool uniform() const { return uniform_; }
    // What a rule costs more than a skip, where costs are uniform.
    Value penalty() const { return penalty_; }
    // The least cost of the parts from a position on, the default's included.
    Value from(int position) const { return from_[size_t(position)]; }
    // The same if the part at the position is a rule; infinite after the last one.
    Value from_rule(int position) const { return from_rule_[size_t(position)]; }
    // The least value if no rule is left to come: every position skipped, and the better default for records of this
    // weight.
    Value closed(int position, Value weight) const;

  private:
    const ListParts &parts_;
    bool uniform_;
    Value penalty_ = 0;
    std::vector<Value> from_, from_rule_, skips_;
};

}  // namespace oracledp
