// Prepared data and the searches over it. None stands for a search that reached its work limit.
#pragma once
#include <pybind11/stl.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "dual/dual_search.hpp"
#include "halfspaces/halfspace_search.hpp"
#include "listed/listed_queries.hpp"
#include "lists/list_search.hpp"
#include "lists/prefix_search.hpp"
#include "parities/parity_sums.hpp"
#include "python/arrays.hpp"
#include "subsets/conjunction_search.hpp"
#include "subsets/subset_sums.hpp"
#include "subsets/subset_table.hpp"
#include "threads.hpp"

namespace oracledp {
namespace {

using Parts = std::vector<int>;

// Nothing if the work limit was reached.
template <class Search> auto limited(int64_t work_limit, Search search) {
    WorkMeter meter(work_limit);
    std::optional<decltype(search(meter))> found;
    try {
        found = search(meter);
    } catch (const OutOfWork &) {
    }
    return found;
}

// The same without the interpreter.
template <class Search> auto within(int64_t work_limit, Search search) {
    py::gil_scoped_release release;
    return limited(work_limit, search);
}

PackedRows packed(const Records &records) {
    std::vector<int> order(size_t(records.rows.columns));
    std::iota(order.begin(), order.end(), 0);
    return pack_rows(records.rows, records.weights, order);
}

// ---- conjunctions ---------------------------------------------------------------------------------------------------

using FoundSet = std::tuple<Value, Parts, int64_t>;  // value, literals, work

ConjunctionIndex make_index(const py::object &records, const Integers &weights) {
    const Records given(records, weights);
    return ConjunctionIndex(given.rows.columns, packed(given));
}

// One set of costs as Python gives it. Equal costs of all sizes are a constant, and are kept apart.
struct Request {
    Request(const ConjunctionIndex &index, const Value *parts, const Value *sizes, int width)
        : constant(flat(sizes, width) && sizes ? sizes[0] : 0),
          costs({parts, parts + index.literals()}, {sizes, sizes + (flat(sizes, width) ? 0 : width + 1)}, width) {}

    static bool flat(const Value *sizes, int width) {
        return !sizes || std::all_of(sizes, sizes + width + 1, [sizes](Value cost) { return cost == sizes[0]; });
    }
    Value constant;
    SubsetCosts costs;
};

FoundSet best_set(const ConjunctionIndex &index, const Request &request, const Parts &start, WorkMeter &meter,
                  SearchLog &log, bool eager) {
    const Incumbent found = search_conjunctions(index, request.costs, start, meter, log, eager);
    return {found.value() + request.constant, found.best().members(), meter.spent()};
}

void check_width(const ConjunctionIndex &index, int width) {
    if (width < 0 || width > index.literals()) throw std::invalid_argument("the width exceeds the number of literals");
}

// Distinct literals, at most as many as a set may have.
void check_start(const ConjunctionIndex &index, int width, Parts start) {
    std::sort(start.begin(), start.end());
    const bool distinct = std::adjacent_find(start.begin(), start.end()) == start.end();
    const bool known = start.empty() || (start.front() >= 0 && start.back() < index.literals());
    if (!distinct || !known || int(start.size()) > width)
        throw std::invalid_argument("a search starts from a set of the class");
}

std::vector<std::optional<FoundSet>> best_conjunctions(const ConjunctionIndex &index, const Integers &part_costs,
                                                       const Integers &size_costs, int width, int64_t work_limit,
                                                       bool eager, const Parts &start) {
    check_width(index, width);
    check_start(index, width, start);
    const Costs costs(part_costs, size_costs, index.literals(), width);
    std::vector<std::optional<FoundSet>> found(costs.runs);
    py::gil_scoped_release release;
    each_share(costs.runs, [&](size_t run) {
        const Value *sizes = costs.sizes ? costs.sizes + run * (width + 1) : nullptr;
        const Request request(index, costs.parts + run * index.literals(), sizes, width);
        SearchLog off(0);
        found[run] =
            limited(work_limit, [&](WorkMeter &meter) { return best_set(index, request, start, meter, off, eager); });
    });
    return found;
}

std::optional<std::pair<FoundSet, Array<int32_t>>> prove_conjunction(const ConjunctionIndex &index,
                                                                     const Integers &part_costs,
                                                                     const Integers &size_costs, int width,
                                                                     int64_t work_limit, size_t log_limit, bool eager,
                                                                     const Parts &start) {
    check_width(index, width);
    check_start(index, width, start);
    if (part_costs.ndim() != 1 || part_costs.shape(0) != index.literals())
        throw std::invalid_argument("costs need one entry per literal");
    if (size_costs.size() && size_costs.size() != width + 1)
        throw std::invalid_argument("costs need one entry per size up to the width");
    const Request request(index, part_costs.data(), size_costs.size() ? size_costs.data() : nullptr, width);
    SearchLog log(log_limit);
    const auto found =
        within(work_limit, [&](WorkMeter &meter) { return best_set(index, request, start, meter, log, eager); });
    if (!found || log.overflown()) return std::nullopt;
    return std::make_pair(*found, Array<int32_t>(py::ssize_t(log.entries().size()), log.entries().data()));
}

void bind_conjunctions(py::module_ &m) {
    using py::arg;
    py::class_<ConjunctionIndex>(m, "ConjunctionIndex").def(py::init(&make_index), arg("records"), arg("weights"));
    m.def("best_conjunctions", &best_conjunctions, arg("index"), arg("part_costs"), arg("size_costs"), arg("width"),
          arg("work_limit"), arg("eager") = false, arg("start") = Parts());
    m.def("prove_conjunction", &prove_conjunction, arg("index"), arg("part_costs"), arg("size_costs"), arg("width"),
          arg("work_limit"), arg("log_limit"), arg("eager") = false, arg("start") = Parts());
}

// ---- tables of all subsets, listed queries, parities of few literals -----------------------------------------------

SubsetTable make_table(const py::object &records, const Integers &weights, bool parity) {
    const Records given(records, weights);
    const BitRows &rows = given.rows;
    if (rows.columns < 1 || rows.columns > 30) throw std::invalid_argument("at least one literal, and at most 30");
    py::gil_scoped_release release;
    std::vector<uint32_t> masks(rows.count);
    for (size_t i = 0; i < rows.count; ++i) masks[i] = uint32_t(reversed(*rows.row(i)));
    return SubsetTable(masks.data(), given.weights, rows.count, rows.columns, parity);
}

std::pair<Array<uint64_t>, Integers> best_subsets(const SubsetTable &table, int width, const Integers &part_costs,
                                                  const Integers &size_costs) {
    const Costs costs(part_costs, size_costs, table.literals(), width);
    Array<uint64_t> masks(py::ssize_t(costs.runs));
    Integers values(py::ssize_t(costs.runs));
    uint64_t *mask = masks.mutable_data();
    Value *value = values.mutable_data();
    {
        py::gil_scoped_release release;
        table.best(width, costs.parts, costs.sizes, costs.runs, mask, value);
    }
    return {masks, values};
}

ListedQueries make_listed(const Array<int32_t> &table, const Integers &worth, const Array<int32_t> &sizes, int parts) {
    if (table.ndim() != 2 || worth.ndim() != 1 || worth.shape(0) != table.shape(0) || table.shape(0) < 1 ||
        (sizes.size() && sizes.size() != worth.size()))
        throw std::invalid_argument("queries need one row of parts, one worth and one size each, and there is one");
    return ListedQueries(table.data(), worth.data(), sizes.size() ? sizes.data() : nullptr, size_t(table.shape(0)),
                         int(table.shape(1)), parts);
}

std::pair<Integers, Integers> best_listed(const ListedQueries &listed, const Integers &part_costs,
                                          const Integers &size_costs) {
    const int sizes = size_costs.size() ? int(size_costs.shape(size_costs.ndim() - 1)) : 0;
    const Costs costs(part_costs, size_costs, listed.parts(), sizes - 1);
    if (sizes && (listed.greatest_size() < 0 || listed.greatest_size() >= sizes))
        throw std::invalid_argument("costs need one entry per size");
    Integers which(py::ssize_t(costs.runs)), values(py::ssize_t(costs.runs));
    int64_t *number = which.mutable_data();
    Value *value = values.mutable_data();
    {
        py::gil_scoped_release release;
        listed.best(costs.parts, costs.sizes, sizes, costs.runs, number, value);
    }
    return {which, values};
}

ParitySums make_sums(const py::object &records, const Integers &weights, int width, bool keep) {
    const Records given(records, weights);
    if (width < 0 || width > given.rows.columns)
        throw std::invalid_argument("the width exceeds the number of literals");
    py::gil_scoped_release release;
    return ParitySums(packed(given), given.rows.columns, width, keep);
}

// One value and set for each row of costs.
std::vector<std::pair<Value, Parts>> best_parities(const ParitySums &sums, const Integers &part_costs,
                                                   const Integers &size_costs) {
    const Costs costs(part_costs, size_costs, sums.literals(), sums.width());
    std::vector<std::pair<Value, Parts>> found;
    py::gil_scoped_release release;
    for (const Incumbent &best : sums.best(costs.parts, costs.sizes, costs.runs))
        found.emplace_back(best.value(), best.best().members());
    return found;
}

Integers sums_of_subsets(const py::object &records, const Integers &weights, int width) {
    const Records given(records, weights);
    if (width < 0) throw std::invalid_argument("a set has no fewer than no columns");
    std::vector<int64_t> sums;
    {
        py::gil_scoped_release release;
        sums = subset_sums(packed(given), given.rows.columns, width);
    }
    return Integers(py::ssize_t(sums.size()), sums.data());
}

void bind_subsets(py::module_ &m) {
    using py::arg;
    m.def("subset_sums", &sums_of_subsets, arg("records"), arg("weights"), arg("width"));
    py::class_<SubsetTable>(m, "SubsetTable")
        .def(py::init(&make_table), arg("records"), arg("weights"), arg("parity"))
        .def("best", &best_subsets, arg("width"), arg("part_costs"), arg("size_costs"));
    py::class_<ListedQueries>(m, "ListedQueries")
        .def(py::init(&make_listed), arg("table"), arg("worth"), arg("sizes"), arg("parts"))
        .def("best", &best_listed, arg("part_costs"), arg("size_costs"));
    py::class_<ParitySums>(m, "ParitySums")
        .def(py::init(&make_sums), arg("records"), arg("weights"), arg("width"), arg("keep"))
        .def("best", &best_parities, arg("part_costs"), arg("size_costs"));
}

// ---- decision lists and halfspaces ---------------------------------------------------------------------------------

std::unique_ptr<ColumnData> make_columns(const py::object &columns, const Integers &weights) {
    const Records given(columns, weights);
    return std::make_unique<ColumnData>(SparseRecords(given.rows, given.weights), given.rows.columns);
}

std::unique_ptr<PatternData> make_patterns(const py::object &columns, const Integers &weights) {
    const Records given(columns, weights);
    return std::make_unique<PatternData>(given.rows, given.weights);
}

using Conditions = std::vector<std::vector<std::pair<int, int>>>;

std::optional<std::tuple<int64_t, Parts, int64_t>> best_decision_list(ColumnData &data, int length,
                                                                      const Conditions &conditions,
                                                                      const Integers &part_costs, int64_t work_limit) {
    std::vector<std::vector<ListLiteral>> tests;
    for (const auto &condition : conditions) {
        tests.emplace_back();
        for (const auto &[column, polarity] : condition) tests.back().push_back({column, polarity});
    }
    const ListProblem problem(length, data.columns(), std::move(tests), part_costs.data());
    return within(work_limit, [&](WorkMeter &meter) {
        BestList found = search_lists(data, problem, meter);
        return std::make_tuple(found.value, std::move(found.parts), meter.spent());
    });
}

ListRows make_list_rows(const py::object &conditions, const Integers &weights) {
    const Records given(conditions, weights);
    py::gil_scoped_release release;
    return ListRows(given.rows.columns, packed(given));
}

std::optional<std::tuple<int64_t, Parts, int64_t>> best_long_list(const ListRows &rows, int length,
                                                                  const Integers &part_costs, int64_t work_limit) {
    const ListParts parts(length, rows.conditions(), part_costs.data());
    if (length < 0 || part_costs.size() != parts.fallback(2))
        throw std::invalid_argument("costs need one entry per part");
    return within(work_limit, [&](WorkMeter &meter) {
        BestList found = search_prefixes(rows, parts, meter);
        return std::make_tuple(found.value, std::move(found.parts), meter.spent());
    });
}

using FoundHalfspace = std::tuple<int64_t, int, Parts, int64_t>;  // value, place of the threshold, other parts, work

std::optional<FoundHalfspace> best_dense_halfspace(const PatternData &data, const HalfspaceProblem &problem,
                                                   int64_t work_limit) {
    return within(work_limit, [&](WorkMeter &meter) -> FoundHalfspace {
        const Halfspace found = search_weights(data, problem, meter);
        return {found.value, found.threshold, found.parts, meter.spent()};
    });
}

std::optional<FoundHalfspace> best_sparse_halfspace(ColumnData &data, const std::vector<int> &flipped,
                                                    const HalfspaceProblem &problem, int64_t work_limit) {
    return within(work_limit, [&](WorkMeter &meter) -> FoundHalfspace {
        const Halfspace found = search_supported_weights(data, flipped, problem, meter);
        return {found.value, found.threshold, found.parts, meter.spent()};
    });
}

HalfspaceProblem make_problem(const std::vector<int> &weights, const std::vector<int64_t> &thresholds,
                              const std::vector<int64_t> &part_costs, const std::vector<int64_t> &threshold_costs,
                              const std::vector<int64_t> &size_costs, int budget, bool sparse) {
    return {weights, thresholds, part_costs, threshold_costs, size_costs, budget, sparse};
}

void bind_supports(py::module_ &m) {
    using py::arg;
    m.attr("MOST_COLUMNS") = kMostColumns;
    py::class_<ColumnData>(m, "ColumnData").def(py::init(&make_columns), arg("columns"), arg("weights"));
    py::class_<PatternData>(m, "PatternData").def(py::init(&make_patterns), arg("columns"), arg("weights"));
    py::class_<HalfspaceProblem>(m, "HalfspaceProblem")
        .def(py::init(&make_problem), py::kw_only(), arg("weights"), arg("thresholds"), arg("part_costs"),
             arg("threshold_costs"), arg("size_costs"), arg("budget"), arg("sparse"));
    m.def("best_decision_list", &best_decision_list, arg("data"), arg("length"), arg("conditions"), arg("part_costs"),
          arg("work_limit"));
    py::class_<ListRows>(m, "ListRows").def(py::init(&make_list_rows), arg("conditions"), arg("weights"));
    m.def("best_long_list", &best_long_list, arg("rows"), arg("length"), arg("part_costs"), arg("work_limit"));
    m.def("best_dense_halfspace", &best_dense_halfspace, arg("data"), arg("problem"), arg("work_limit"));
    m.def("best_sparse_halfspace", &best_sparse_halfspace, arg("data"), arg("flipped"), arg("problem"),
          arg("work_limit"));
}

// ---- records -------------------------------------------------------------------------------------------------------

using Blocks = std::vector<std::pair<std::vector<std::vector<int>>, std::vector<int64_t>>>;
using Queries = std::vector<std::tuple<int64_t, bool, int, std::vector<int>>>;

// blocks: the columns that are one under each value, and the costs of the values, block by block.
// queries: (weight, parity, threshold, score of every value). Returns (value, record, work).
std::optional<std::tuple<int64_t, std::vector<int>, int64_t>> best_record(int columns, const Blocks &blocks,
                                                                          const Queries &queries, int64_t work_limit) {
    std::vector<DualBlock> parts;
    for (const auto &[ones, cost] : blocks) parts.push_back({ones, cost});
    std::vector<DualQuery> terms;
    for (const auto &[weight, parity, threshold, score] : queries) terms.push_back({weight, parity, threshold, score});
    return within(work_limit, [&](WorkMeter &meter) {
        DualSearch search(std::move(parts), std::move(terms), columns, meter);
        search.run();
        return std::make_tuple(search.value(), search.record(), meter.spent());
    });
}

}  // namespace

inline void bind_searches(py::module_ &m) {
    using py::arg;
    m.def("set_threads", [](int threads) { most_threads = std::max(1, threads); }, arg("threads"));
    bind_conjunctions(m);
    bind_subsets(m);
    bind_supports(m);
    m.def("best_record", &best_record, arg("columns"), arg("blocks"), arg("queries"), arg("work_limit"));
}

}  // namespace oracledp
