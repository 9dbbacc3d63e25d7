// Fast transforms over all 2^d subsets of d literals, and the best subset of a table under costs on its literals.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "module.hpp"

namespace py = pybind11;

namespace {

using std::size_t;
using Ints = py::array_t<int64_t, py::array::c_style | py::array::forcecast>;

// table[S] = sum of table[R] over R ⊇ S.
template <class T> ODP_SIMD void superset_sums(T *table, int literals) {
    const size_t size = static_cast<size_t>(1) << literals;
    for (int bit = 0; bit < literals; ++bit) {
        const size_t step = static_cast<size_t>(1) << bit;
        for (size_t start = 0; start < size; start += 2 * step)
            for (size_t i = start; i < start + step; ++i) table[i] += table[i + step];
    }
}

// table[S] = sum over R of (-1)^{|R ∩ S|} table[R].
template <class T> ODP_SIMD void walsh_hadamard(T *table, int literals) {
    const size_t size = static_cast<size_t>(1) << literals;
    for (int bit = 0; bit < literals; ++bit) {
        const size_t step = static_cast<size_t>(1) << bit;
        for (size_t start = 0; start < size; start += 2 * step)
            for (size_t i = start; i < start + step; ++i) {
                const T a = table[i], b = table[i + step];
                table[i] = a + b;
                table[i + step] = a - b;
            }
    }
}

// The weight of the records on which the parity of S is odd: (total - transform) / 2.
template <class T> void odd_sums(T *table, int literals) {
    walsh_hadamard(table, literals);
    const T total = table[0];
    for (size_t i = 0; i < static_cast<size_t>(1) << literals; ++i) table[i] = (total - table[i]) / 2;
}

template <class T> py::array_t<T> scatter(py::array_t<uint32_t, py::array::c_style> masks, Ints weights, int literals) {
    const size_t size = static_cast<size_t>(1) << literals;
    py::array_t<T> table(static_cast<py::ssize_t>(size));
    T *data = table.mutable_data();
    std::fill(data, data + size, T(0));
    const uint32_t *mask = masks.data();
    const int64_t *weight = weights.data();
    for (py::ssize_t i = 0; i < masks.size(); ++i) {
        if (mask[i] >= size) throw std::out_of_range("a record has more bits than there are literals");
        data[mask[i]] += static_cast<T>(weight[i]);
    }
    return table;
}

template <class T> py::array_t<T> subset_table(py::array_t<uint32_t, py::array::c_style> masks, Ints weights, int literals, bool parity) {
    py::array_t<T> table = scatter<T>(masks, weights, literals);
    T *data = table.mutable_data();
    {
        py::gil_scoped_release release;
        if (parity) odd_sums(data, literals);
        else superset_sums(data, literals);
    }
    return table;
}

struct Best {
    uint64_t mask;
    int64_t value;
};

template <class T> ODP_SIMD T least_sum(const T *table, const T *costs, size_t count) {
    T least = std::numeric_limits<T>::max();
    for (size_t i = 0; i < count; ++i) {
        const T value = table[i] + costs[i];
        least = value < least ? value : least;
    }
    return least;
}

// The first mask of least table[mask] + sum of its literals' costs + size cost. A mask is split into low literals, whose
// costs are tabled once for each number of high ones, and high literals, whose cost is one number.
template <class T> class Scan {
public:
    Scan(const T *table, int literals, int width) : table(table), literals(literals), width(width), low(std::min(literals, literals <= 18 ? 8 : 10)) {
        low_size = static_cast<size_t>(1) << low;
        high_size = static_cast<size_t>(1) << (literals - low);
        costs.resize(static_cast<size_t>(literals - low + 1) * low_size);
        low_costs.resize(low_size);
        high_costs.resize(high_size);
    }

    Best best(const int64_t *part_costs, const int64_t *size_costs, T forbidden) {
        subset_sums(low_costs, part_costs, low);
        subset_sums(high_costs, part_costs + low, literals - low);
        for (int h = 0; h <= std::min(width, literals - low); ++h)
            for (size_t i = 0; i < low_size; ++i) {
                const int size = h + __builtin_popcountll(i);
                T &cost = costs[static_cast<size_t>(h) * low_size + i];
                cost = size > width ? forbidden : low_costs[i] + (size_costs ? static_cast<T>(size_costs[size]) : T(0));
            }
        Best found{0, std::numeric_limits<int64_t>::max()};
        for (size_t high = 0; high < high_size; ++high) {
            const int h = __builtin_popcountll(high);
            if (h > width) continue;
            const T *row = table + high * low_size, *cost = &costs[static_cast<size_t>(h) * low_size];
            const int64_t least = static_cast<int64_t>(least_sum(row, cost, low_size)) + high_costs[high];
            if (least < found.value) found = locate(row, cost, high, least);
        }
        return found;
    }

private:
    void subset_sums(std::vector<T> &sums, const int64_t *costs_of, int count) {
        sums[0] = 0;
        for (int bit = 0; bit < count; ++bit) {
            const size_t step = static_cast<size_t>(1) << bit;
            for (size_t i = 0; i < step; ++i) sums[step + i] = sums[i] + static_cast<T>(costs_of[bit]);
        }
    }

    Best locate(const T *row, const T *cost, size_t high, int64_t least) {
        for (size_t i = 0; i < low_size; ++i)
            if (static_cast<int64_t>(row[i] + cost[i]) + high_costs[high] == least)
                return Best{(static_cast<uint64_t>(high) << low) | i, least};
        throw std::logic_error("the least value is not in its row");
    }

    const T *table;
    int literals, width, low;
    size_t low_size, high_size;
    std::vector<T> costs, low_costs, high_costs;
};

template <class T> std::pair<py::array_t<uint64_t>, Ints>
best_masks(py::array_t<T, py::array::c_style> table, int literals, int width, Ints part_costs, Ints size_costs) {
    const py::ssize_t runs = part_costs.shape(0);
    py::array_t<uint64_t> masks(runs);
    Ints values(runs);
    uint64_t *mask = masks.mutable_data();
    int64_t *value = values.mutable_data();
    const int64_t *parts = part_costs.data(), *sizes = size_costs.size() ? size_costs.data() : nullptr;
    const py::ssize_t stride = sizes ? size_costs.shape(1) : 0;
    const T *data = table.data();
    {
        py::gil_scoped_release release;
        Scan<T> scan(data, literals, width);
        // Half the range: a forbidden sum stays above every allowed one and cannot wrap.
        const T forbidden = std::numeric_limits<T>::max() / 2;
        for (py::ssize_t run = 0; run < runs; ++run) {
            const Best found = scan.best(parts + run * literals, sizes ? sizes + run * stride : nullptr, forbidden);
            mask[run] = found.mask;
            value[run] = found.value;
        }
    }
    return {masks, values};
}

}  // namespace

void register_transforms(py::module_ &m) {
    m.def("subset_table_32", &subset_table<int32_t>);
    m.def("subset_table_64", &subset_table<int64_t>);
    m.def("best_masks", &best_masks<int32_t>);
    m.def("best_masks", &best_masks<int64_t>);
}
