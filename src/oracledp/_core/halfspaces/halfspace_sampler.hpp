// Sparse halfspaces as a family to sample: queries by the set of columns with a weight.
#pragma once
#include "sampling/sampled_family.hpp"

namespace oracledp {

class HalfspaceSampler : public SampledFamily {
  public:
    // weights: those that have parts; flipped: columns stored by their zeros.
    HalfspaceSampler(std::vector<int> weights, std::vector<int64_t> thresholds, int budget, bool free_intercept,
                     std::vector<int> flipped)
        : weights_(std::move(weights)), thresholds_(std::move(thresholds)), budget_(budget),
          free_intercept_(free_intercept), flipped_(std::move(flipped)) {}
    int largest() const override { return weights_.empty() ? 0 : budget_; }
    uint64_t leaves(const std::vector<int> &set) const override;
    void open(const std::vector<int> &set, const int64_t *cells, const Heights &heights) override;
    int64_t floor() const override { return floor_; }
    Wide weight() const override { return total_; }
    Step step(Wide number) override;
    bool done() const override { return chosen_ >= 0; }
    std::vector<int> parts() const override;

  private:
    std::vector<int> weights_;
    std::vector<int64_t> thresholds_;
    int budget_;
    bool free_intercept_;
    std::vector<int> flipped_;
    std::vector<int> set_;
    std::vector<int64_t> values_;  // of every query on the set: weight vector after weight vector, then threshold
    int64_t floor_ = 0, chosen_ = -1;
    Wide total_ = 0;
    const Heights *heights_ = nullptr;

    void add_values(int place, std::vector<int64_t> &scores, const int64_t *cells, uint64_t flips);
};

}  // namespace oracledp
