#include "lists/list_search.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "lists/mask_solver.hpp"
#include "lists/pair_screen.hpp"
#include "lists/subcube_solver.hpp"
#include "trees/support_search.hpp"

namespace oracledp {
namespace {

constexpr int64_t kScreenWork = 64;

class ListSearch : public SupportProblem {
  public:
    ListSearch(const ListProblem &problem, std::unique_ptr<ListSolver> solver)
        : problem_(problem), solver_(std::move(solver)) {}

    // From now on sets of six columns are solved only where some list may be better that tests all of them.
    void screen() { screened_ = true; }

    // Each position takes a rule that tests some column of the set, or skips; the default has a cost too.
    void cost_row(const std::vector<int> &prefix, int b, int64_t *out, int count) const override {
        std::fill_n(out, count, std::min(problem_.cost(problem_.fallback(0)), problem_.cost(problem_.fallback(1))));
        if (problem_.free) return;
        for (int p = 0; p < problem_.length; ++p) {
            const int64_t *least = problem_.least(p);
            int64_t known = std::min(problem_.cost(problem_.skip(p)), least[b]);
            for (int column : prefix) known = std::min(known, least[column]);
            for (int a = 0; a < count; ++a) out[a] += std::min(known, least[a]);
        }
    }

    bool may_precede(const std::vector<int> &set) const override { return problem_.first_parts(set) < parts_; }

    int64_t improve(const std::vector<int> &set, const int64_t *cells) override {
        if (screened_ && !screen_.passes(cells, value_ - least_cost(set))) return kScreenWork;
        const int64_t value = solver_->value(set, cells, value_);
        if (value <= value_) {
            std::vector<int> parts = solver_->parts(set);
            if (value < value_ || parts < parts_) parts_ = std::move(parts);
            value_ = value;
        }
        return solver_->work();
    }

    int64_t value() const override { return value_; }
    const std::vector<int> &parts() const { return parts_; }

  private:
    const ListProblem &problem_;
    std::unique_ptr<ListSolver> solver_;
    const PairScreen screen_;
    bool screened_ = false;
    int64_t value_ = kInfinite;
    std::vector<int> parts_;

    int64_t least_cost(const std::vector<int> &set) const {
        int64_t cost = std::min(problem_.cost(problem_.fallback(0)), problem_.cost(problem_.fallback(1)));
        for (int p = 0; p < problem_.length; ++p) {
            int64_t least = problem_.cost(problem_.skip(p));
            for (const int column : set) least = std::min(least, problem_.least(p)[column]);
            cost += least;
        }
        return cost;
    }
};

std::unique_ptr<ListSolver> solver_for(const ListProblem &problem, int size) {
    if (problem.width == 1) return std::make_unique<SubcubeSolver>(problem, size);
    return std::make_unique<MaskSolver>(problem);
}

}  // namespace

BestList search_lists(ColumnData &data, const ListProblem &problem, WorkMeter &meter) {
    const int size = int(std::min<int64_t>(data.columns(), int64_t(problem.length) * int64_t(problem.width)));
    ListSearch search(problem, solver_for(problem, size));
    const std::lock_guard<std::mutex> lock(data.mutex());
    if (problem.length == 3 && problem.width == 2 && size == PairScreen::kColumns) {
        search_supports(data, size - 1, search, meter);  // all lists but those that the screen looks for
        search.screen();
    }
    search_supports(data, size, search, meter);
    return {search.value(), search.parts()};
}

}  // namespace oracledp
