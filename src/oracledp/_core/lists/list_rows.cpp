// Which conditions lie within which: prepared once, for every search over prefixes.
#include <algorithm>
#include <numeric>

#include "lists/prefix_search.hpp"

namespace oracledp {
namespace {

constexpr int kComparedConditions = 1024;  // beyond, a condition is taken to be within itself alone

bool subset(const Word *inner, const Word *outer, size_t words) {
    for (size_t i = 0; i < words; ++i)
        if (inner[i] & ~outer[i]) return false;
    return true;
}

}  // namespace

ListRows::ListRows(int conditions, const PackedRows &packed)
    : unit_(packed.unit), key_words_(std::max(1, (conditions + 63) / 64)) {
    std::vector<int> columns(static_cast<size_t>(conditions));
    std::iota(columns.begin(), columns.end(), 0);
    build_table(table_, columns, packed.sources, packed.rows);
    within_.assign(size_t(conditions) * size_t(key_words_), 0);
    for (int outer = 0; outer < conditions; ++outer)
        for (int inner = 0; inner < conditions; ++inner)
            if (inner == outer ||
                (conditions <= kComparedConditions &&
                 subset(table_.column(inner), table_.column(outer), table_.words())))
                within_[size_t(outer) * size_t(key_words_) + size_t(inner) / 64] |= Word{1} << (inner % 64);
}

}  // namespace oracledp
