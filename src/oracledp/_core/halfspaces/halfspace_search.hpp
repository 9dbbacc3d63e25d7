// Optimal halfspaces: dense ones by a tree over weights, sparse ones over all sets of columns with the cell bound.
#pragma once
#include <vector>

#include "trees/score_tree.hpp"
#include "trees/support_scan.hpp"

namespace oracledp {

// Halfspaces as the class numbers them: part = column * weights + place of the weight.
struct HalfspaceProblem {
    std::vector<int> weights;         // those that have parts, increasing
    std::vector<int64_t> thresholds;  // increasing
    std::vector<int64_t> part_costs, threshold_costs, size_costs;
    int budget;   // how many columns may carry a counted weight
    bool sparse;  // weight zero has no part and is not counted

    std::vector<Choice> choices(int column, bool with_zero) const {
        std::vector<Choice> made;
        if (with_zero) made.push_back({0, 0, false});
        for (size_t v = 0; v < weights.size(); ++v)
            made.push_back({weights[v], part_costs[column * weights.size() + v], sparse});
        return made;
    }
};

// A query: its value, the place of its threshold and its parts without it.
struct Halfspace {
    int64_t value = INT64_MAX;
    int threshold = 0;
    std::vector<int> parts;

    bool before(const Halfspace &other) const {
        if (value != other.value) return value < other.value;
        if (threshold != other.threshold) return threshold < other.threshold;
        return std::lexicographical_compare(parts.rbegin(), parts.rend(), other.parts.rbegin(), other.parts.rend());
    }
};

// Distinct records of at most 64 columns, in merging order.
class PatternData {
  public:
    PatternData(const BitRows &rows, const int64_t *weights);
    const std::vector<Pattern> &patterns() const { return patterns_; }
    int columns() const { return columns_; }

  private:
    std::vector<Pattern> patterns_;
    int columns_;
};

// The first best query in the class's order; both throw OutOfWork when the meter runs out.
// Dense ones, or sparse ones of few columns, by a tree over weights:
Halfspace search_weights(const PatternData &data, const HalfspaceProblem &problem, WorkMeter &meter);
// Sparse ones, by sets of columns; `flipped` tells which columns are stored by their zeros.
Halfspace search_supported_weights(ColumnData &data, const std::vector<int> &flipped, const HalfspaceProblem &problem,
                                   WorkMeter &meter);

}  // namespace oracledp
