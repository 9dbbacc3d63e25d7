// The first tree without an error, if there is one and it is found soon: then no other tree need be valued.
#pragma once
#include <optional>

#include "decision_trees/decided.hpp"
#include "rows/bit_rows.hpp"

namespace oracledp {

// Records with two weights each, none negative: how much it counts on each side.
struct TwoSidedRecords {
    BitRows rows;
    const int64_t *weights;  // [record][side]
};

// The options of the first perfect tree in preorder, labels before tests; nothing if there is none or `work` steps did
// not settle it. `groups` says which side each label is right about. Records of weight zero count for neither side.
std::optional<std::vector<int32_t>> perfect_tree(const TwoSidedRecords &given, int depth, const Decided &decided,
                                                 const std::vector<int> &groups, int64_t work);

}  // namespace oracledp
