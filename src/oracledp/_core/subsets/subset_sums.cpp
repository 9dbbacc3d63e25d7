// Depth first: the rows of a set are cut along their planes once, and serve all columns that come after its last one.
#include "subsets/subset_sums.hpp"

#include <numeric>

#include "rows/cover_sums.hpp"

namespace oracledp {
namespace {

class Walk {
  public:
    Walk(const PackedRows &packed, int columns, int width) : unit_(packed.unit), found_(width + 1), covers_(width) {
        std::vector<int> all(columns);
        std::iota(all.begin(), all.end(), 0);
        build_table(table_, all, packed.sources, packed.rows);
        for (const int64_t weight : packed.rows.weights) total_ += weight;
    }
    std::vector<int64_t> run() {
        found_[0].push_back(total_ * unit_);
        if (!covers_.empty()) extend(table_.valid.data(), 0, 0);
        std::vector<int64_t> joined;
        for (const auto &sums : found_) joined.insert(joined.end(), sums.begin(), sums.end());
        return joined;
    }

  private:
    // Adds the sums of a set of `size` columns, all before `first`, with one more column.
    void extend(const Word *cover, int size, int first) {
        const int count = table_.columns() - first;
        if (count <= 0) return;
        add_sums(cover, first, count, found_[size + 1]);
        if (size + 1 == int(covers_.size())) return;
        auto &deeper = covers_[size];
        deeper.resize(table_.words());
        for (int column = first; column + 1 < table_.columns(); ++column) {
            intersect(deeper.data(), cover, table_.column(column), table_.words());
            extend(deeper.data(), size + 1, column + 1);
        }
    }
    void add_sums(const Word *cover, int first, int count, std::vector<int64_t> &out) {
        const size_t place = out.size();
        out.resize(place + count, 0);
        one_side_.resize(count);
        for (const Side side : {kNegative, kPositive}) {
            terms_.cut(table_, cover, side);
            column_sums(table_, terms_, &table_.literals[first], count, one_side_.data());
            const int64_t sign = side == kPositive ? unit_ : -unit_;
            for (int j = 0; j < count; ++j) out[place + j] += sign * one_side_[j];
        }
    }

    RowTable table_;
    int64_t unit_, total_ = 0;
    std::vector<std::vector<int64_t>> found_;  // by size
    std::vector<std::vector<Word>> covers_;    // by size
    std::vector<int64_t> one_side_;
    Terms terms_;
};

}  // namespace

std::vector<int64_t> subset_sums(const PackedRows &packed, int columns, int width) {
    return Walk(packed, columns, width).run();
}

}  // namespace oracledp
