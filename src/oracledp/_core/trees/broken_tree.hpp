// What a search or a sampler throws when its own tree contradicts itself: a bound above a value, a count that is off.
#pragma once
#include <stdexcept>

namespace oracledp {

// Becomes oracledp.errors.BrokenSearchTree. The message is fixed: it holds nothing of the data.
class BrokenTree : public std::logic_error {
  public:
    BrokenTree()
        : std::logic_error("the search tree is broken: a bound or a count contradicts what it bounds or counts") {}
};

inline void require(bool holds) {
    if (!holds) throw BrokenTree();
}

}  // namespace oracledp
