// Frontiers of subset trees, refined by need. Every number that decides a draw is an integer; floating point only
// chooses which nodes to look at first, which the law does not depend on.
#include "subset_forest.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <stdexcept>

#include <pybind11/stl.h>

#include "module.hpp"

namespace forest {
namespace {

struct Sums {
    int64_t negative;
    int64_t positive;
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("arch=icelake-server", "avx2", "default")))  // the first has a vector popcount
#endif
uint64_t common_bits(const uint64_t *a, const uint64_t *b, const uint64_t *c, size_t from, size_t to) {
    uint64_t total = 0;
    for (size_t i = from; i < to; ++i) total += static_cast<uint64_t>(__builtin_popcountll(a[i] & b[i] & c[i]));
    return total;
}

Sums weigh(const Branch &branch, const uint64_t *cover, const uint64_t *column) {
    Sums sums{0, 0};
    for (size_t k = 0; k < branch.slices.size(); ++k) {
        const uint64_t *slice = branch.slices[k].data();
        sums.negative -= static_cast<int64_t>(common_bits(cover, column, slice, 0, branch.negative) << k);
        sums.positive += static_cast<int64_t>(common_bits(cover, column, slice, branch.negative, branch.words) << k);
    }
    return sums;
}

std::vector<uint64_t> cover_of(const Branch &branch, const std::vector<int16_t> &included) {
    std::vector<uint64_t> cover(branch.words, ~0ULL);
    for (int16_t literal : included) {
        const uint64_t *column = &branch.columns[static_cast<size_t>(literal) * branch.words];
        for (size_t i = 0; i < branch.words; ++i) cover[i] &= column[i];
    }
    return cover;
}

}  // namespace

void Forest::add(Branch branch) {
    Node root;
    root.branch = static_cast<int32_t>(branches.size());
    root.leaves = branch.counts[static_cast<size_t>(branch.literals)][static_cast<size_t>(branch.width)];
    std::vector<uint64_t> all(branch.words, ~0ULL);
    root.bound = branch.constant + weigh(branch, all.data(), all.data()).negative;
    branches.push_back(std::move(branch));
    frontier.push_back(std::move(root));
}

uint64_t Forest::height(int64_t bound) const {
    // Rounded up at every step, so never below 2^63 e^{-rate (bound - origin)}, and at least 1.
    uint64_t distance = static_cast<uint64_t>(bound - start);
    Wide value = static_cast<Wide>(1) << 63;
    for (size_t j = 0; distance != 0; ++j, distance >>= 1)
        if (distance & 1) value = (value * powers[j] + ((static_cast<Wide>(1) << 63) - 1)) >> 63;
    return static_cast<uint64_t>(std::max<Wide>(value, 1));
}

std::vector<Node> Forest::children(const Node &node) {
    const Branch &branch = branches[static_cast<size_t>(node.branch)];
    ++expanded;
    std::vector<Node> found;
    const std::vector<uint64_t> cover = cover_of(branch, node.included);
    const Sums own = weigh(branch, cover.data(), cover.data());
    Node leaf = node;
    leaf.leaf = true;
    leaf.leaves = 1;
    leaf.bound = branch.constant + own.negative + own.positive;
    found.push_back(std::move(leaf));
    const int first = node.included.empty() ? 0 : node.included.back() + 1;
    const int left = branch.width - static_cast<int>(node.included.size()) - 1;
    for (int literal = first; left >= 0 && literal < branch.literals; ++literal) {
        const Sums sums = weigh(branch, cover.data(), &branch.columns[static_cast<size_t>(literal) * branch.words]);
        Node child;
        child.included = node.included;
        child.included.push_back(static_cast<int16_t>(literal));
        child.branch = node.branch;
        child.leaves = branch.counts[static_cast<size_t>(branch.literals - literal - 1)][static_cast<size_t>(left)];
        child.leaf = child.leaves == 1;
        child.bound = branch.constant + sums.negative + (child.leaf ? sums.positive : 0);
        found.push_back(std::move(child));
    }
    for (Node &child : found) {
        child.bound = std::max(child.bound, node.bound);  // equal or larger already; stated for the proof
        if (ready) child.height = std::min(node.height, height(child.bound));
    }
    return found;
}

void Forest::prepare(const std::vector<uint64_t> &given, double rate) {
    powers = given;
    // Weights as logarithms in floating point: they only decide what is refined before the first draw.
    auto log_weight = [&](const Node &node) {
        return std::log(static_cast<double>(node.leaves)) - rate * static_cast<double>(node.bound);
    };
    auto lighter = [&](const std::pair<double, size_t> &a, const std::pair<double, size_t> &b) { return a.first < b.first; };
    std::priority_queue<std::pair<double, size_t>, std::vector<std::pair<double, size_t>>, decltype(lighter)> open(lighter);
    std::vector<Node> nodes;
    nodes.swap(frontier);
    std::vector<char> replaced(nodes.size(), 0);
    // Sums relative to e^reference; taken anew whenever the heaviest open node has become much lighter, so that
    // what is left after subtractions is never mostly rounding.
    double reference = -INFINITY, inner = 0, leaves = -INFINITY;
    auto enter = [&](size_t index) {
        const double log_w = log_weight(nodes[index]);
        if (nodes[index].leaf) {
            const double high = std::max(leaves, log_w), low = std::min(leaves, log_w);
            leaves = high + std::log1p(std::exp(low - high));
        } else {
            inner += std::exp(log_w - reference);
            open.emplace(log_w, index);
        }
    };
    for (const Node &node : nodes) reference = std::max(reference, log_weight(node));
    for (size_t i = 0; i < nodes.size(); ++i) enter(i);
    while (!open.empty() && leaves < reference + std::log(inner)) {
        const auto [log_w, index] = open.top();
        open.pop();
        replaced[index] = 1;
        inner -= std::exp(log_w - reference);
        std::vector<Node> found = children(nodes[index]);
        for (Node &child : found) {
            nodes.push_back(std::move(child));
            replaced.push_back(0);
            enter(nodes.size() - 1);
        }
        if (!open.empty() && open.top().first < reference - 8) {
            reference = open.top().first;
            inner = 0;
            for (size_t i = 0; i < nodes.size(); ++i)
                if (!replaced[i] && !nodes[i].leaf) inner += std::exp(log_weight(nodes[i]) - reference);
        }
    }
    for (size_t i = 0; i < nodes.size(); ++i)
        if (!replaced[i]) frontier.push_back(std::move(nodes[i]));
    start = std::min_element(frontier.begin(), frontier.end(), [](const Node &a, const Node &b) {
                return a.bound < b.bound;
            })->bound;
    ready = true;
    for (Node &node : frontier) node.height = height(node.bound);
}

Wide Forest::total() const {
    Wide sum = 0;
    for (const Node &node : frontier) sum += node.weight();
    return sum;
}

size_t Forest::pick(Wide number) const {
    for (size_t i = 0; i < frontier.size(); ++i) {
        const Wide weight = frontier[i].weight();
        if (number < weight) return i;
        number -= weight;
    }
    throw std::out_of_range("a number beyond the total weight");
}

int64_t Forest::descend(size_t index, Wide number) {
    std::vector<Node> found = children(frontier[index]);
    int64_t chosen = -1;
    for (size_t i = 0; i < found.size(); ++i) {
        const Wide weight = found[i].weight();
        const size_t place = i == 0 ? index : frontier.size();
        if (i == 0) frontier[index] = std::move(found[0]);
        else frontier.push_back(std::move(found[i]));
        if (chosen < 0 && number < weight) chosen = static_cast<int64_t>(place);
        else if (chosen < 0) number -= weight;
    }
    return chosen;
}

}  // namespace forest

namespace py = pybind11;
using forest::Wide;

namespace {

Wide to_wide(uint64_t high, uint64_t low) { return (static_cast<Wide>(high) << 64) | low; }

forest::Branch make_branch(py::array_t<uint8_t, py::array::c_style> records, py::array_t<int64_t, py::array::c_style> weights,
                           int width, int64_t constant, const std::vector<std::vector<uint64_t>> &counts) {
    const size_t rows = static_cast<size_t>(records.shape(0)), literals = static_cast<size_t>(records.shape(1));
    const uint8_t *bits = records.data();
    const int64_t *w = weights.data();
    std::vector<size_t> order;
    for (size_t i = 0; i < rows; ++i) if (w[i] < 0) order.push_back(i);
    const size_t below = order.size();
    const size_t padded = (below + 63) / 64 * 64;
    forest::Branch branch;
    branch.literals = static_cast<int>(literals);
    branch.width = width;
    branch.constant = constant;
    branch.counts = counts;
    branch.negative = padded / 64;
    branch.words = branch.negative + (rows - below + 63) / 64;
    branch.columns.assign(literals * branch.words, 0);
    uint64_t largest = 0;
    for (size_t i = 0; i < rows; ++i) largest = std::max(largest, static_cast<uint64_t>(w[i] < 0 ? -w[i] : w[i]));
    for (uint64_t k = 0; largest >> k; ++k) branch.slices.emplace_back(branch.words, 0);
    size_t next_negative = 0, next_positive = padded;
    for (size_t i = 0; i < rows; ++i) {
        const size_t place = w[i] < 0 ? next_negative++ : next_positive++;
        const uint64_t size = static_cast<uint64_t>(w[i] < 0 ? -w[i] : w[i]);
        for (size_t k = 0; k < branch.slices.size(); ++k)
            if (size >> k & 1) branch.slices[k][place / 64] |= 1ULL << (place % 64);
        for (size_t j = 0; j < literals; ++j)
            if (bits[i * literals + j]) branch.columns[j * branch.words + place / 64] |= 1ULL << (place % 64);
    }
    return branch;
}

}  // namespace

void register_subset_forest(py::module_ &m) {
    using forest::Forest;
    py::class_<Forest>(m, "SubsetForest")
        .def(py::init<>())
        .def("add", [](Forest &f, py::array_t<uint8_t, py::array::c_style> records,
                       py::array_t<int64_t, py::array::c_style> weights, int width, int64_t constant,
                       const std::vector<std::vector<uint64_t>> &counts) {
            f.add(make_branch(records, weights, width, constant, counts));
        })
        .def("prepare", [](Forest &f, const std::vector<uint64_t> &powers, double rate) {
            py::gil_scoped_release release;
            f.prepare(powers, rate);
        })
        .def("total", [](const Forest &f) {
            const Wide total = f.total();
            return std::make_pair(static_cast<uint64_t>(total >> 64), static_cast<uint64_t>(total));
        })
        .def("pick", [](const Forest &f, uint64_t high, uint64_t low) { return f.pick(to_wide(high, low)); })
        .def("descend", [](Forest &f, size_t index, uint64_t high, uint64_t low) {
            return f.descend(index, to_wide(high, low));
        })
        .def("node", [](const Forest &f, size_t index) {
            const forest::Node &node = f.at(index);
            return py::make_tuple(node.leaf, node.branch, node.included, node.bound - f.origin(), node.leaves, node.height);
        })
        .def_property_readonly("work", &Forest::work)
        .def_property_readonly("size", &Forest::size);
}
