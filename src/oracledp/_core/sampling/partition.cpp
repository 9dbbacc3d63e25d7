#include "sampling/partition.hpp"

#include <algorithm>

#include "sampling/exact_draws.hpp"

namespace oracledp {
namespace {

class Partition {
  public:
    Partition(const std::vector<uint64_t> &sizes, Bits &bits) : parts_(sizes.size()), bits_(bits) {
        uint64_t total = 0, before = 0;
        for (const auto size : sizes) total += size;
        for (size_t j = 0; j < sizes.size(); ++j) {
            parts_[j].size = sizes[j];
            const uint64_t upto = before + sizes[j];
            const auto cell = [=](uint64_t rank) { return total ? Wide{rank} * kCells / total : 0; };
            label_.insert(label_.end(), cell(upto) - cell(before), static_cast<uint32_t>(j));
            before = upto;
        }
        tally_.resize(sizes.size());
    }

    // Each of the record's rows draws a part, about in proportion to the sizes.
    void deal(int64_t record, int64_t rows) {
        if (static_cast<size_t>(rows) < tally_.size()) {
            while (rows-- > 0) parts_[label_[bits_.digit<16>()]].add(record, 1);
            return;
        }
        std::fill(tally_.begin(), tally_.end(), 0);
        while (rows-- > 0) ++tally_[label_[bits_.digit<16>()]];
        for (size_t j = 0; j < tally_.size(); ++j)
            if (tally_[j] > 0) parts_[j].add(record, tally_[j]);
    }

    // Makes every part its size.
    void settle() {
        std::vector<int64_t> pool;
        for (auto &part : parts_)
            if (part.rows > part.size) evict(part, pool);
        for (size_t i = pool.size(); i > 1; --i) std::swap(pool[i - 1], pool[floor_of(i, bits_)]);
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
    static constexpr uint64_t kCells = 1 << 16;
    using Row = std::vector<int64_t>::const_iterator;

    // A uniform `some`-subset of {0, ..., n-1}, increasing: uniform draws until enough are distinct.
    std::vector<uint64_t> subset(uint64_t n, uint64_t some) {
        std::vector<uint64_t> chosen;
        const uint64_t fewer = std::min(some, n - some);
        while (chosen.size() < fewer) {
            for (size_t missing = fewer - chosen.size(); missing > 0; --missing) chosen.push_back(floor_of(n, bits_));
            std::sort(chosen.begin(), chosen.end());
            chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
        }
        return fewer == some ? chosen : complement(n, chosen);
    }

    static std::vector<uint64_t> complement(uint64_t n, const std::vector<uint64_t> &left_out) {
        std::vector<uint64_t> kept;
        auto skip = left_out.begin();
        for (uint64_t i = 0; i < n; ++i) {
            if (skip != left_out.end() && *skip == i) {
                ++skip;
            } else {
                kept.push_back(i);
            }
        }
        return kept;
    }

    // Moves random rows from the part to the pool until the part has its size.
    void evict(Part &part, std::vector<int64_t> &pool) {
        const auto ranks = subset(part.rows, part.rows - part.size);
        auto rank = ranks.begin();
        uint64_t passed = 0;
        size_t kept = 0;
        for (size_t i = 0; i < part.record.size(); ++i) {
            passed += static_cast<uint64_t>(part.count[i]);
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
        for (size_t i = 0; i < part.record.size(); ++i) {
            for (; row != end && *row < part.record[i]; ++row) merged.add(*row, 1);
            merged.add(part.record[i], part.count[i]);
        }
        for (; row != end; ++row) merged.add(*row, 1);
        part = std::move(merged);
    }

    std::vector<Part> parts_;
    Bits &bits_;
    std::vector<uint32_t> label_;
    std::vector<int64_t> tally_;
};

}  // namespace

std::vector<Part> draw_partition(const int64_t *counts, size_t records, const std::vector<uint64_t> &sizes,
                                 Bits &bits) {
    Partition partition(sizes, bits);
    for (size_t i = 0; i < records; ++i) partition.deal(static_cast<int64_t>(i), counts[i]);
    partition.settle();
    return std::move(partition.parts());
}

}  // namespace oracledp
