// Tables over all 2^d subsets of d literals by fast transforms, and their best subsets under costs.
#include <numeric>
#include <optional>
#include <stdexcept>

#include "fast_transforms.hpp"
#include "module.hpp"
#include "subset_scan.hpp"
#include "subset_screen.hpp"

namespace py = pybind11;

namespace {

using namespace oracledp;
using Ints = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Masks = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;

constexpr Value SMALL = 1 << 30; // sums of absolute weights below this fit 32 bits, and so do differences of two

// The sum of weights that each subset's query covers: of the records that hold all of it, or an odd number.
template <class T> std::vector<T> covered_sums(const Masks &masks, const Ints &weights, Value unit, int literals, bool parity) {
    std::vector<T> table(std::size_t{1} << literals, 0);
    for (py::ssize_t i = 0; i < masks.size(); ++i) {
        if (masks.data()[i] >= table.size()) throw std::out_of_range("a record has more bits than there are literals");
        table[masks.data()[i]] += T(weights.data()[i] / unit);
    }
    py::gil_scoped_release release;
    if (!parity) {
        transform<SupersetSum>(table.data(), table.size());
        return table;
    }
    transform<WalshHadamard>(table.data(), table.size());
    const T total = table[0];
    for (T &sum : table) sum = (total - sum) / 2;
    return table;
}

// The table in 32 bits, in multiples of the greatest common divisor of the weights, or in 64 bits as it is.
class SubsetTable {
  public:
    SubsetTable(const Masks &masks, const Ints &weights, int literals, bool parity) : literals_(literals) {
        if (literals < 1 || literals > 30 || masks.size() != weights.size()) throw std::invalid_argument("one weight per record, at most 30 literals");
        Value common = 0;
        for (py::ssize_t i = 0; i < weights.size(); ++i) common = std::gcd(common, weights.data()[i]);
        const Value unit = std::max<Value>(1, common);
        Value total = 0;
        for (py::ssize_t i = 0; i < weights.size(); ++i) total += std::abs(weights.data()[i]) / unit;
        if (total < SMALL) screen_.emplace(covered_sums<std::int32_t>(masks, weights, unit, literals, parity), literals, unit);
        else table_ = covered_sums<Value>(masks, weights, 1, literals, parity);
    }

    std::pair<py::array_t<std::uint64_t>, Ints> best(int width, const Ints &parts, const Ints &sizes) const {
        const py::ssize_t runs = parts.shape(0), stride = sizes.size() ? sizes.shape(1) : 0;
        if (parts.ndim() != 2 || parts.shape(1) != literals_ || (stride && (stride != width + 1 || sizes.shape(0) != runs)))
            throw std::invalid_argument("costs need one row per run, one entry per literal and one per size");
        py::array_t<std::uint64_t> masks(runs);
        Ints values(runs);
        std::uint64_t *mask = masks.mutable_data();
        Value *value = values.mutable_data();
        const Value *part = parts.data(), *size = stride ? sizes.data() : nullptr;
        const auto scan_all = [&](auto scan) {
            py::gil_scoped_release release;
            for (py::ssize_t run = 0; run < runs; ++run) {
                const BestMask found = scan.best(part + run * literals_, size ? size + run * stride : nullptr);
                mask[run] = found.mask;
                value[run] = found.value;
            }
        };
        if (screen_) scan_all(ScreenScan(*screen_, width));
        else scan_all(SubsetScan(table_, literals_, width));
        return {masks, values};
    }

  private:
    int literals_;
    std::optional<SubsetScreen> screen_;
    std::vector<Value> table_;
};

} // namespace

void register_transforms(py::module_ &m) {
    py::class_<SubsetTable>(m, "SubsetTable")
        .def(py::init<const Masks &, const Ints &, int, bool>(), py::arg("masks"), py::arg("weights"), py::arg("literals"), py::arg("parity"))
        .def("best", &SubsetTable::best, py::arg("width"), py::arg("part_costs"), py::arg("size_costs"));
}
