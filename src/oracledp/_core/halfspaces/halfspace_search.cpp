#include "halfspaces/halfspace_search.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "trees/support_search.hpp"

namespace oracledp {
namespace {

class SparseHalfspaces : public SupportProblem {
  public:
    SparseHalfspaces(const HalfspaceProblem &problem, const std::vector<int> &flipped, WorkMeter &meter)
        : problem_(problem), flipped_(flipped), meter_(meter), least_(flipped.size(), INT64_MAX) {
        for (size_t j = 0; j < flipped.size(); ++j)
            for (const Choice &choice : problem.choices(int(j), false)) least_[j] = std::min(least_[j], choice.cost);
        least_threshold_ = *std::min_element(problem.threshold_costs.begin(), problem.threshold_costs.end());
    }

    // Every set of this size is searched next.
    void begin(int size) {
        size_ = size;
        size_cost_ = problem_.size_costs.empty() ? 0 : problem_.size_costs[size];
        scores_ = ScoreProblem();
        for (int t = 0; t < size; ++t) scores_.columns.push_back(problem_.choices(0, false));
        scores_.budget = size;
        scores_.prepare();
        patterns_.clear();
        for (uint64_t x = 0; x < uint64_t(1) << size; ++x) patterns_.push_back({x, 0});
        patterns_ = in_merging_order(std::move(patterns_));
        tree_ = std::make_unique<ScoreTree>(scores_, patterns_, meter_);
    }

    void cost_row(const std::vector<int> &prefix, int b, int64_t *out, int count) const override {
        int64_t known = size_cost_ + least_threshold_ + least_[b];
        for (int column : prefix) known += least_[column];
        for (int a = 0; a < count; ++a) out[a] = known + least_[a];
    }

    bool may_precede(const std::vector<int> &set) const override {
        Halfspace first{best_.value, 0, {}};
        for (int column : set) first.parts.push_back(column * int(problem_.weights.size()));
        return first.before(best_);
    }

    int64_t improve(const std::vector<int> &set, const int64_t *cells) override {
        uint64_t flips = 0;
        for (int t = 0; t < size_; ++t) {
            scores_.columns[t] = problem_.choices(set[t], false);
            flips |= uint64_t(flipped_[set[t]]) << t;
        }
        scores_.prepare();
        for (Pattern &pattern : patterns_) pattern.weight = cells[pattern.bits ^ flips];
        BestScore best{best_.value == INT64_MAX ? INT64_MAX - 1 : best_.value, {}, false};
        for (size_t t = 0; t < problem_.thresholds.size(); ++t) {
            best.found = false;
            tree_->search(problem_.thresholds[t], problem_.threshold_costs[t] + size_cost_, best);
            if (best.found) keep(set, int(t), best);
        }
        return 1;
    }

    int64_t value() const override { return best_.value; }
    const Halfspace &best() const { return best_; }

  private:
    const HalfspaceProblem &problem_;
    const std::vector<int> &flipped_;
    WorkMeter &meter_;
    std::vector<int64_t> least_;
    int64_t least_threshold_ = 0, size_cost_ = 0;
    int size_ = 0;
    ScoreProblem scores_;
    std::vector<Pattern> patterns_;
    std::unique_ptr<ScoreTree> tree_;
    Halfspace best_;

    void keep(const std::vector<int> &set, int threshold, const BestScore &found) {
        Halfspace candidate{found.most + 1, threshold, {}};
        for (int t = 0; t < size_; ++t)
            candidate.parts.push_back(set[t] * int(problem_.weights.size()) + found.digits[size_ - 1 - t]);
        if (candidate.before(best_)) best_ = candidate;
    }
};

}  // namespace

PatternData::PatternData(const BitRows &rows, const int64_t *weights) : columns_(rows.columns) {
    if (rows.count > INT32_MAX || rows.columns > 64) throw std::length_error("too many distinct records or columns");
    for (size_t i = 0; i < rows.count; ++i) patterns_.push_back({reversed(*rows.row(i)), weights[i]});
    patterns_ = in_merging_order(std::move(patterns_));
}

Halfspace search_weights(const PatternData &data, const HalfspaceProblem &problem, WorkMeter &meter) {
    ScoreProblem scores;
    for (int j = 0; j < data.columns(); ++j) scores.columns.push_back(problem.choices(j, problem.sparse));
    scores.budget = problem.sparse ? problem.budget : 0;
    scores.size_costs = problem.size_costs;
    scores.prepare();
    ScoreTree tree(scores, data.patterns(), meter);
    Halfspace found;
    BestScore best{INT64_MAX - 1, {}, false};
    for (size_t t = 0; t < problem.thresholds.size(); ++t) {  // thresholds in order, so the first of equals stays
        best.found = false;
        tree.search(problem.thresholds[t], problem.threshold_costs[t], best);
        if (!best.found) continue;
        found = {best.most + 1, int(t), {}};
        for (int j = 0; j < data.columns(); ++j) {
            const int digit = best.digits[data.columns() - 1 - j] - int(problem.sparse);
            if (digit >= 0) found.parts.push_back(j * int(problem.weights.size()) + digit);
        }
    }
    return found;
}

Halfspace search_supported_weights(ColumnData &data, const std::vector<int> &flipped, const HalfspaceProblem &problem,
                                   WorkMeter &meter) {
    const std::lock_guard<std::mutex> lock(data.mutex());
    SparseHalfspaces search(problem, flipped, meter);
    const int widest = problem.weights.empty() ? 0 : problem.budget;
    for (int size = widest; size >= 0; --size) {  // the best queries are wide: a good incumbent comes first
        search.begin(size);
        search_supports(data, size, search, meter);
    }
    return search.best();
}

}  // namespace oracledp
