#include "lists/prefix_costs.hpp"

#include <algorithm>

namespace oracledp {
namespace {

bool all_alike(const ListParts &parts) {
    if (parts.length == 0) return true;
    const Value rule = parts.cost(parts.part(0, 0, 0)), skip = parts.cost(parts.skip(0));
    for (int position = 0; position < parts.length; ++position) {
        for (int part = parts.part(position, 0, 0); part < parts.skip(position); ++part)
            if (parts.cost(part) != rule) return false;
        if (parts.cost(parts.skip(position)) != skip) return false;
    }
    return skip <= rule;
}

}  // namespace

PrefixCosts::PrefixCosts(const ListParts &parts)
    : parts_(parts), uniform_(all_alike(parts)), from_(size_t(parts.length) + 1),
      from_rule_(size_t(parts.length) + 1, kInfinite), skips_(size_t(parts.length) + 1) {
    if (uniform_ && parts.length) penalty_ = parts.cost(parts.part(0, 0, 0)) - parts.cost(parts.skip(0));
    from_.back() = std::min(parts.cost(parts.fallback(0)), parts.cost(parts.fallback(1)));
    for (int position = parts.length - 1; position >= 0; --position) {
        const size_t at = size_t(position);
        Value rule = kInfinite;
        for (int part = parts.part(position, 0, 0); part < parts.skip(position); ++part)
            rule = std::min(rule, parts.cost(part));
        const Value skip = parts.cost(parts.skip(position));
        from_rule_[at] = rule + from_[at + 1];
        from_[at] = std::min(rule, skip) + from_[at + 1];
        skips_[at] = skip + skips_[at + 1];
    }
}

Value PrefixCosts::closed(int position, Value weight) const {
    return skips_[size_t(position)] +
        std::min(parts_.cost(parts_.fallback(0)), parts_.cost(parts_.fallback(1)) + weight);
}

}  // namespace oracledp
