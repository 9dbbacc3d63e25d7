#include "halfspaces/halfspace_sampler.hpp"

namespace oracledp {

uint64_t HalfspaceSampler::leaves(const std::vector<int> &set) const {
    uint64_t count = thresholds_.size();
    for (size_t t = 0; t < set.size(); ++t) count *= weights_.size();
    return count;
}

void HalfspaceSampler::open(const std::vector<int> &set, const int64_t *cells, const Heights &heights) {
    set_ = set;
    heights_ = &heights;
    uint64_t flips = 0;
    for (size_t t = 0; t < set.size(); ++t) flips |= uint64_t(flipped_[set[t]]) << t;
    values_.clear();
    std::vector<int64_t> scores(size_t(1) << set.size(), 0);
    add_values(int(set.size()) - 1, scores, cells, flips);
    floor_ = *std::min_element(values_.begin(), values_.end());
    total_ = 0;
    for (int64_t value : values_) total_ += heights(value - floor_);
    chosen_ = -1;
}

// The values of all queries, the highest column's weight varying slowest.
void HalfspaceSampler::add_values(int place, std::vector<int64_t> &scores, const int64_t *cells, uint64_t flips) {
    if (place < 0) {
        for (int64_t threshold : thresholds_) {
            int64_t value = 0;
            for (size_t x = 0; x < scores.size(); ++x) value += scores[x] >= threshold ? cells[x ^ flips] : 0;
            values_.push_back(value);
        }
        return;
    }
    for (int weight : weights_) {
        for (size_t x = 0; x < scores.size(); ++x) scores[x] += x >> place & 1 ? weight : 0;
        add_values(place - 1, scores, cells, flips);
        for (size_t x = 0; x < scores.size(); ++x) scores[x] -= x >> place & 1 ? weight : 0;
    }
}

Step HalfspaceSampler::step(Wide number) {
    for (size_t i = 0; i < values_.size(); ++i) {
        const uint64_t height = (*heights_)(values_[i] - floor_);
        if (number < height) {
            chosen_ = int64_t(i);
            return {values_[i] - floor_, height, kOne};
        }
        number -= height;
    }
    throw BrokenTree();
}

std::vector<int> HalfspaceSampler::parts() const {
    std::vector<int> parts;
    int64_t rest = chosen_ / int64_t(thresholds_.size());
    for (int column : set_) {  // the lowest column varies fastest
        parts.push_back(column * int(weights_.size()) + int(rest % int64_t(weights_.size())));
        rest /= int64_t(weights_.size());
    }
    if (free_intercept_)
        parts.push_back(int(flipped_.size() * weights_.size()) + int(chosen_ % int64_t(thresholds_.size())));
    return parts;
}

}  // namespace oracledp
