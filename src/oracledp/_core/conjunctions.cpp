// Conjunctions for Python: an index of the data, and searches over it.
#include <limits>
#include <numeric>
#include <optional>
#include <pybind11/stl.h>
#include "conjunction_search.hpp"
#include "module.hpp"

namespace py = pybind11;

namespace {

using namespace oracledp;
using Bytes = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;
using Values = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Found = std::tuple<Value, std::vector<int>, std::int64_t>; // value, literals, work

ConjunctionIndex make_index(const Bytes &records, const Values &weights) {
    if (records.ndim() != 2 || weights.ndim() != 1 || weights.shape(0) != records.shape(0))
        throw std::invalid_argument("records need two dimensions and one weight each");
    std::vector<int> order(records.shape(1));
    std::iota(order.begin(), order.end(), 0);
    const PackedRows packed = pack_rows(records.data(), weights.data(), records.shape(0), order);
    return ConjunctionIndex(int(order.size()), packed);
}

// One set of costs as Python gives it. Equal costs of all sizes are a constant, and are kept apart.
struct Request {
    SubsetCosts costs;
    Value constant;
};

Request make_request(const ConjunctionIndex &index, const Value *parts, const Value *sizes, std::size_t size_count, int width) {
    if (width < 0 || width > index.literals()) throw std::invalid_argument("the width exceeds the number of literals");
    if (size_count && int(size_count) != width + 1) throw std::invalid_argument("costs need one entry per size up to the width");
    const bool flat = std::all_of(sizes, sizes + size_count, [sizes](Value cost) { return cost == sizes[0]; });
    const Value constant = flat && size_count ? sizes[0] : 0;
    return {SubsetCosts({parts, parts + index.literals()}, {sizes, sizes + (flat ? 0 : size_count)}, width), constant};
}

void check_parts(const ConjunctionIndex &index, const Values &parts, int dimensions) {
    if (parts.ndim() != dimensions || parts.shape(dimensions - 1) != index.literals())
        throw std::invalid_argument("costs need one entry per literal");
}

std::optional<Found> search(const ConjunctionIndex &index, const Request &request, std::int64_t work_limit, SearchLog &log, bool eager) {
    WorkMeter meter(work_limit);
    try {
        const Incumbent found = search_conjunctions(index, request.costs, meter, log, eager);
        return Found{found.value() + request.constant, found.best().members(), meter.spent()};
    } catch (const OutOfWork &) {
        return std::nullopt;
    }
}

std::vector<std::optional<Found>> best_conjunctions(const ConjunctionIndex &index, const Values &parts, const Values &sizes, int width,
                                                    std::int64_t work_limit, bool eager) {
    check_parts(index, parts, 2);
    const std::size_t size_count = sizes.ndim() == 2 ? sizes.shape(1) : 0;
    if (size_count && sizes.shape(0) != parts.shape(0)) throw std::invalid_argument("costs need one row per run");
    std::vector<std::optional<Found>> found;
    const Value *part = parts.data(), *size = sizes.data();
    const py::ssize_t runs = parts.shape(0);
    py::gil_scoped_release release;
    for (py::ssize_t run = 0; run < runs; ++run, part += index.literals(), size += size_count) {
        SearchLog off(0);
        found.push_back(search(index, make_request(index, part, size, size_count, width), work_limit, off, eager));
    }
    return found;
}

std::optional<std::pair<Found, std::vector<std::int32_t>>> prove_conjunction(const ConjunctionIndex &index, const Values &parts,
                                                                            const Values &sizes, int width, std::int64_t work_limit,
                                                                            std::size_t log_limit, bool eager) {
    check_parts(index, parts, 1);
    const Request request = make_request(index, parts.data(), sizes.data(), sizes.size(), width);
    SearchLog log(log_limit);
    std::optional<Found> found;
    {
        py::gil_scoped_release release;
        found = search(index, request, work_limit, log, eager);
    }
    if (!found || log.overflown()) return std::nullopt;
    return std::make_pair(*found, std::move(log.entries()));
}

} // namespace

void register_conjunctions(py::module_ &m) {
    py::class_<ConjunctionIndex>(m, "ConjunctionIndex").def(py::init(&make_index), py::arg("records"), py::arg("weights"));
    m.def("best_conjunctions", &best_conjunctions, py::arg("index"), py::arg("part_costs"), py::arg("size_costs"), py::arg("width"),
          py::arg("work_limit"), py::arg("eager") = false);
    m.def("prove_conjunction", &prove_conjunction, py::arg("index"), py::arg("part_costs"), py::arg("size_costs"), py::arg("width"),
          py::arg("work_limit"), py::arg("log_limit"), py::arg("eager") = false);
}
