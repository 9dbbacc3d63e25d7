// Optimal decision lists: every set of columns that a list may test, pruned by the cell bound.
#include <pybind11/stl.h>

#include <memory>

#include "list_cubes.hpp"
#include "list_masks.hpp"
#include "module.hpp"
#include "support_search.hpp"

namespace py = pybind11;

namespace oracledp {
namespace {

using Integers = py::array_t<int64_t, py::array::c_style>;
using Bits = py::array_t<uint8_t, py::array::c_style>;

class ListSearch : public SupportProblem {
public:
    ListSearch(const ListProblem &problem, std::unique_ptr<ListSolver> solver)
        : problem_(problem), solver_(std::move(solver)) {}

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
    int64_t value_ = kInfinite;
    std::vector<int> parts_;
};

std::unique_ptr<ColumnData> column_data(const Bits &columns, const Integers &weights) {
    auto bits = columns.unchecked<2>();
    auto weight = weights.unchecked<1>();
    if (bits.shape(0) > INT32_MAX) throw std::length_error("too many distinct records");
    SparseRecords records;
    std::vector<int> ones;
    for (py::ssize_t i = 0; i < bits.shape(0); ++i) {
        ones.clear();
        for (py::ssize_t j = 0; j < bits.shape(1); ++j)
            if (bits(i, j)) ones.push_back(int(j));
        records.add(ones.data(), ones.data() + ones.size(), weight(i));
    }
    return std::make_unique<ColumnData>(std::move(records), int(bits.shape(1)));
}

// (value, parts, work), or None when the work limit was reached.
py::object best_decision_list(ColumnData &data, int length,
                              const std::vector<std::vector<std::pair<int, int>>> &conditions, const Integers &part_costs,
                              int64_t work_limit) {
    std::vector<std::vector<ListLiteral>> tests;
    for (const auto &condition : conditions) {
        tests.emplace_back();
        for (auto [column, polarity] : condition) tests.back().push_back({column, polarity});
    }
    const ListProblem problem(length, data.columns(), std::move(tests), part_costs.data());
    const int size = int(std::min<int64_t>(data.columns(), int64_t(length) * int64_t(problem.width)));
    std::unique_ptr<ListSolver> solver;
    if (problem.width == 1) solver = std::make_unique<CubeLists>(problem, size);
    else solver = std::make_unique<MaskLists>(problem);
    ListSearch search(problem, std::move(solver));
    WorkMeter meter(work_limit);
    try {
        py::gil_scoped_release release;
        const std::lock_guard<std::mutex> lock(data.mutex());
        search_supports(data, size, search, meter);
    } catch (const OutOfWork &) {
        return py::none();
    }
    return py::make_tuple(search.value(), search.parts(), meter.spent());
}

}  // namespace
}  // namespace oracledp

void register_decision_lists(py::module_ &m) {
    using namespace oracledp;
    py::class_<ColumnData>(m, "ColumnData").def(py::init(&column_data), py::arg("columns"), py::arg("weights"));
    m.attr("MOST_COLUMNS") = kMostColumns;
    m.def("best_decision_list", &best_decision_list, py::arg("data"), py::arg("length"), py::arg("conditions"),
          py::arg("part_costs"), py::arg("work_limit"));
}
