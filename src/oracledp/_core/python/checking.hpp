// The checker of proofs. What Python hands over is tested here, so that the checker itself may rely on it.
#pragma once
#include <pybind11/stl.h>

#include <numeric>

#include "checking/proof_checker.hpp"
#include "python/arrays.hpp"

namespace oracledp {
namespace {

using checking::ProofChecker;
using checking::Verdict;

ProofChecker make_checker(const py::object &records, const Integers &weights) {
    const Records given(records, weights);
    py::gil_scoped_release release;
    checking::RowList rows(given.rows.columns);
    Value common = 0;
    for (size_t i = 0; i < given.rows.count; ++i) common = std::gcd(common, given.weights[i]);
    const Value unit = std::max<Value>(1, common);
    rows.bits.assign(given.rows.count * rows.row_words, 0);
    for (size_t i = 0; i < given.rows.count; ++i) {
        Word *row = rows.bits.data() + i * rows.row_words;
        for (int j = 0; j < given.rows.columns; ++j) row[j / 64] |= Word(given.rows.at(i, j)) << (j % 64);
        rows.weights.push_back(given.weights[i] / unit);
    }
    return ProofChecker(rows, unit);
}

std::string spoken(Verdict verdict) {
    return verdict == Verdict::kAccepted ? "accepted" : verdict == Verdict::kRejected ? "rejected" : "unfinished";
}

// The verdict on a proof, and the value of the set that it is about.
std::pair<std::string, Value> check(const ProofChecker &checker, const Integers &part_costs, const Integers &size_costs,
                                    int width, std::vector<int> claimed, const Array<int32_t> &proof) {
    if (width < 0 || width > checker.literals() || part_costs.size() != checker.literals() ||
        (size_costs.size() != 0 && size_costs.size() != width + 1))
        throw std::invalid_argument("costs need one entry per literal and none or one per size up to the width");
    std::sort(claimed.begin(), claimed.end());
    const bool distinct = std::adjacent_find(claimed.begin(), claimed.end()) == claimed.end();
    if (!distinct || int(claimed.size()) > width ||
        (!claimed.empty() && (claimed.front() < 0 || claimed.back() >= checker.literals())))
        throw std::invalid_argument("the claimed set is not one of the class");
    std::vector<Value> parts(part_costs.data(), part_costs.data() + part_costs.size());
    std::vector<Value> sizes(size_costs.data(), size_costs.data() + size_costs.size());
    if (sizes.empty()) sizes.assign(size_t(width) + 1, 0);
    py::gil_scoped_release release;
    const checking::Costs costs(std::move(parts), std::move(sizes), width);
    return {spoken(checker.check(costs, claimed, proof.data(), size_t(proof.size()))), checker.value(costs, claimed)};
}

}  // namespace

inline void bind_checking(py::module_ &m) {
    using py::arg;
    py::class_<ProofChecker>(m, "ProofChecker")
        .def(py::init(&make_checker), arg("records"), arg("weights"))
        .def("check", &check, arg("part_costs"), arg("size_costs"), arg("width"), arg("claimed"), arg("proof"));
}

}  // namespace oracledp
