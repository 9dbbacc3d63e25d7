// A uniformly random partition of the rows of a histogram into parts of given sizes (proofs/noise.md).
//
// Every row first gets an independent label, then random rows move from parts that are too large to parts
// that are too small. Nothing looks at which row is which, so all partitions are equally likely.
#include <pybind11/stl.h>

#include <algorithm>

#include "samplers.hpp"

namespace py = pybind11;
using Vector = py::array_t<std::int64_t, py::array::c_style>;

namespace {

struct Part {
    std::vector<std::int64_t> record, count;  // records strictly increasing
    std::uint64_t rows = 0, size = 0;

    void add(std::int64_t which, std::int64_t how_many) {
        rows += static_cast<std::uint64_t>(how_many);
        if (!record.empty() && record.back() == which) {
            count.back() += how_many;
        } else {
            record.push_back(which);
            count.push_back(how_many);
        }
    }
};

class Partition {
  public:
    Partition(const std::vector<std::uint64_t> &sizes, Bits &bits) : parts_(sizes.size()), bits_(bits) {
        std::uint64_t total = 0, before = 0;
        for (const auto size : sizes) total += size;
        for (std::size_t j = 0; j < sizes.size(); ++j) {
            parts_[j].size = sizes[j];
            const std::uint64_t upto = before + sizes[j];
            const auto cell = [=](std::uint64_t rank) { return total ? Wide128{rank} * kCells / total : 0; };
            label_.insert(label_.end(), cell(upto) - cell(before), static_cast<std::uint32_t>(j));
            before = upto;
        }
        tally_.resize(sizes.size());
    }

    // Each of the record's rows draws a part, about in proportion to the sizes.
    void deal(std::int64_t record, std::int64_t rows) {
        if (static_cast<std::size_t>(rows) < tally_.size()) {
            while (rows-- > 0) parts_[label_[bits_.digit<16>()]].add(record, 1);
            return;
        }
        std::fill(tally_.begin(), tally_.end(), 0);
        while (rows-- > 0) ++tally_[label_[bits_.digit<16>()]];
        for (std::size_t j = 0; j < tally_.size(); ++j)
            if (tally_[j] > 0) parts_[j].add(record, tally_[j]);
    }

    // Makes every part its size.
    void settle() {
        std::vector<std::int64_t> pool;
        for (auto &part : parts_)
            if (part.rows > part.size) evict(part, pool);
        for (std::size_t i = pool.size(); i > 1; --i) std::swap(pool[i - 1], pool[floor_of(i, bits_)]);
        auto next = pool.begin();
        for (auto &part : parts_)
            if (part.rows < part.size) {
                const auto end = next + static_cast<std::ptrdiff_t>(part.size - part.rows);
                std::sort(next, end);
                merge(part, next, end);
                next = end;
            }
    }

    std::vector<Part> &parts() { return parts_; }

  private:
    static constexpr std::uint64_t kCells = 1 << 16;
    using Row = std::vector<std::int64_t>::const_iterator;

    // A uniform `some`-subset of {0, ..., n-1}, increasing: uniform draws until enough are distinct.
    std::vector<std::uint64_t> subset(std::uint64_t n, std::uint64_t some) {
        std::vector<std::uint64_t> chosen;
        const std::uint64_t fewer = std::min(some, n - some);
        while (chosen.size() < fewer) {
            for (std::size_t missing = fewer - chosen.size(); missing > 0; --missing)
                chosen.push_back(floor_of(n, bits_));
            std::sort(chosen.begin(), chosen.end());
            chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
        }
        return fewer == some ? chosen : complement(n, chosen);
    }

    static std::vector<std::uint64_t> complement(std::uint64_t n, const std::vector<std::uint64_t> &left_out) {
        std::vector<std::uint64_t> kept;
        auto skip = left_out.begin();
        for (std::uint64_t i = 0; i < n; ++i) {
            if (skip != left_out.end() && *skip == i) {
                ++skip;
            } else {
                kept.push_back(i);
            }
        }
        return kept;
    }

    // Moves random rows from the part to the pool until the part has its size.
    void evict(Part &part, std::vector<std::int64_t> &pool) {
        const auto ranks = subset(part.rows, part.rows - part.size);
        auto rank = ranks.begin();
        std::uint64_t passed = 0;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < part.record.size(); ++i) {
            passed += static_cast<std::uint64_t>(part.count[i]);
            for (; rank != ranks.end() && *rank < passed; ++rank) {
                pool.push_back(part.record[i]);
                --part.count[i];
            }
            if (part.count[i] == 0) continue;
            part.record[kept] = part.record[i];
            part.count[kept++] = part.count[i];
        }
        part.record.resize(kept);
        part.count.resize(kept);
        part.rows = part.size;
    }

    static void merge(Part &part, Row row, Row end) {
        Part merged;
        merged.size = part.size;
        for (std::size_t i = 0; i < part.record.size(); ++i) {
            for (; row != end && *row < part.record[i]; ++row) merged.add(*row, 1);
            merged.add(part.record[i], part.count[i]);
        }
        for (; row != end; ++row) merged.add(*row, 1);
        part = std::move(merged);
    }

    std::vector<Part> parts_;
    Bits &bits_;
    std::vector<std::uint32_t> label_;
    std::vector<std::int64_t> tally_;
};

// The sizes must sum to the counts; the caller has checked that.
py::list split(Vector counts, const std::vector<std::uint64_t> &sizes, py::object reader) {
    std::uint64_t rows = 0;
    for (const auto size : sizes) rows += size;
    Bits bits(std::move(reader), 64 + 3 * rows);
    Partition partition(sizes, bits);
    const std::int64_t *count = counts.data();
    const py::ssize_t records = counts.size();
    {
        py::gil_scoped_release release;
        for (py::ssize_t i = 0; i < records; ++i) partition.deal(i, count[i]);
        partition.settle();
    }
    py::list out;
    for (const auto &part : partition.parts()) {
        const auto length = static_cast<py::ssize_t>(part.record.size());
        out.append(py::make_tuple(Vector(length, part.record.data()), Vector(length, part.count.data())));
    }
    return out;
}

}  // namespace

void register_partition(py::module_ &m) {
    m.def("split", &split, py::arg("counts"), py::arg("sizes"), py::arg("reader"));
}
