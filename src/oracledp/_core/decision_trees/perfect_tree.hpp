// The first tree without an error, if there is one and it is found soon: then no other tree need be valued.
#pragma once
#include <optional>

#include "decision_trees/decided.hpp"

namespace oracledp {

// Records of 0 and 1 with two weights each, none negative: how much it counts on each side.
struct TwoSidedRecords {
    const uint8_t *records;
    const int64_t *weights;  // [record][side]
    size_t count;
    int literals;
};

// The options of the first perfect tree in preorder, labels before tests; nothing if there is none or `work` steps did
// not settle it. `groups` says which side each label is right about. Records of weight zero count for neither side.
std::optional<std::vector<int32_t>> perfect_tree(const TwoSidedRecords &given, int depth, const Decided &decided,
                                                 const std::vector<int> &groups, int64_t work);

}  // namespace oracledp
