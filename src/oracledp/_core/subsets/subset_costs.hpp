// The part of a subset problem that does not look at rows: costs on literals and sizes, and the width.
#pragma once
#include <algorithm>
#include <vector>

#include "integers.hpp"

namespace oracledp {

class SubsetCosts {
  public:
    // `sizes` is empty, or has one entry for each size 0..width.
    SubsetCosts(std::vector<Value> parts, std::vector<Value> sizes, int width)
        : parts_(std::move(parts)), sizes_(std::move(sizes)), width_(width), least_step_(width + 1, 0),
          greatest_step_(width + 1, 0) {
        for (int size = width - 1; size >= 0 && !sizes_.empty(); --size) {
            const Value step = sizes_[size + 1] - sizes_[size];
            const bool last = size == width - 1;
            least_step_[size] = last ? step : std::min(step, least_step_[size + 1]);
            greatest_step_[size] = last ? step : std::max(step, greatest_step_[size + 1]);
        }
    }

    int width() const { return width_; }
    int literals() const { return int(parts_.size()); }
    Value part(int literal) const { return parts_[literal]; }
    Value size(int size) const { return sizes_.empty() ? 0 : sizes_[size]; }

    // Bounds on what one more literal adds to the size cost of any set of at least `size` literals.
    Value least_step(int size) const { return least_step_[size]; }
    Value greatest_step(int size) const { return greatest_step_[size]; }

    // Any subset of the literals may be added to any query.
    bool unlimited() const { return width_ == literals(); }
    // Costs of literals add up independently.
    bool separable() const { return unlimited() && sizes_.empty(); }

    // The least that further literals (at most `room` of these costs) and the final size can cost.
    Value least_rest(std::vector<Value> &costs, int size) const {
        const int room = std::min<int>(width_ - size, int(costs.size()));
        if (room < int(costs.size())) std::nth_element(costs.begin(), costs.begin() + room, costs.end());
        std::sort(costs.begin(), costs.begin() + room);
        Value sum = 0, least = this->size(size);
        for (int more = 1; more <= room; ++more) {
            sum += costs[more - 1];
            least = std::min(least, sum + this->size(size + more));
        }
        return least;
    }

  private:
    std::vector<Value> parts_, sizes_;
    int width_;
    std::vector<Value> least_step_, greatest_step_;
};

}  // namespace oracledp
