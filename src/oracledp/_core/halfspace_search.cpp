// Optimal halfspaces: dense ones by a tree over weights, sparse ones over all sets of columns with the cell bound.
#include <pybind11/stl.h>

#include <memory>

#include "module.hpp"
#include "score_tree.hpp"
#include "support_search.hpp"

namespace py = pybind11;

namespace oracledp {
namespace {

using Integers = py::array_t<int64_t, py::array::c_style>;
using Bits = py::array_t<uint8_t, py::array::c_style>;

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

// ---- dense, or sparse with few columns ----------------------------------------------------------------------------

class PatternData {
public:
    PatternData(const Bits &columns, const Integers &weights) : count_(int(columns.shape(1))) {
        auto bits = columns.unchecked<2>();
        auto weight = weights.unchecked<1>();
        if (bits.shape(0) > INT32_MAX || count_ > 64) throw std::length_error("too many distinct records or columns");
        for (py::ssize_t i = 0; i < bits.shape(0); ++i) {
            patterns_.push_back({0, weight(i)});
            for (int j = 0; j < count_; ++j) patterns_.back().bits |= uint64_t(bits(i, j) != 0) << j;
        }
        patterns_ = in_merging_order(std::move(patterns_));
    }
    const std::vector<Pattern> &patterns() const { return patterns_; }
    int columns() const { return count_; }

private:
    std::vector<Pattern> patterns_;
    int count_;
};

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

// ---- sparse, by sets of columns -----------------------------------------------------------------------------------

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

// ---- Python -------------------------------------------------------------------------------------------------------

HalfspaceProblem read_problem(const std::vector<int> &weights, const std::vector<int64_t> &thresholds,
                              const std::vector<int64_t> &part_costs, const std::vector<int64_t> &threshold_costs,
                              const std::vector<int64_t> &size_costs, int budget, bool sparse) {
    return {weights, thresholds, part_costs, threshold_costs, size_costs, budget, sparse};
}

// (value, place of the threshold, parts without it, work), or None when the work limit was reached.
template <class Search> py::object answer(int64_t work_limit, Search search) {
    WorkMeter meter(work_limit);
    Halfspace found;
    try {
        py::gil_scoped_release release;
        found = search(meter);
    } catch (const OutOfWork &) {
        return py::none();
    }
    return py::make_tuple(found.value, found.threshold, found.parts, meter.spent());
}

py::object best_dense_halfspace(const PatternData &data, const HalfspaceProblem &problem, int64_t work_limit) {
    return answer(work_limit, [&](WorkMeter &meter) { return search_weights(data, problem, meter); });
}

py::object best_sparse_halfspace(ColumnData &data, const std::vector<int> &flipped, const HalfspaceProblem &problem,
                                 int64_t work_limit) {
    return answer(work_limit, [&](WorkMeter &meter) {
        const std::lock_guard<std::mutex> lock(data.mutex());
        SparseHalfspaces search(problem, flipped, meter);
        const int widest = problem.weights.empty() ? 0 : problem.budget;
        for (int size = widest; size >= 0; --size) {  // the best queries are wide: a good incumbent comes first
            search.begin(size);
            search_supports(data, size, search, meter);
        }
        return search.best();
    });
}

}  // namespace
}  // namespace oracledp

void register_halfspaces(py::module_ &m) {
    using namespace oracledp;
    py::class_<PatternData>(m, "PatternData").def(py::init<const Bits &, const Integers &>(), py::arg("columns"), py::arg("weights"));
    py::class_<HalfspaceProblem>(m, "HalfspaceProblem")
        .def(py::init(&read_problem), py::kw_only(), py::arg("weights"), py::arg("thresholds"), py::arg("part_costs"),
             py::arg("threshold_costs"), py::arg("size_costs"), py::arg("budget"), py::arg("sparse"));
    m.def("best_dense_halfspace", &best_dense_halfspace, py::arg("data"), py::arg("problem"), py::arg("work_limit"));
    m.def("best_sparse_halfspace", &best_sparse_halfspace, py::arg("data"), py::arg("flipped"), py::arg("problem"),
          py::arg("work_limit"));
}
