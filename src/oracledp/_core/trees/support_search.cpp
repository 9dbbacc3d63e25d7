#include "trees/support_search.hpp"

#include <map>
#include <numeric>

namespace oracledp {

namespace {

constexpr size_t kFirstTried = 32;  // sets with the least bounds are solved first: a good incumbent prunes the rest

std::vector<int> members(const Row &row, int a) {
    std::vector<int> set{a, row.b};
    set.insert(set.end(), row.prefix.rbegin(), row.prefix.rend());
    return set;
}

class Search {
  public:
    Search(ColumnData &data, int size, SupportProblem &problem, WorkMeter &meter)
        : data_(data), problem_(problem), meter_(meter), cells_(size_t(1) << size),
          scan_(data, size, [&](const std::vector<int> &prefix, int b, int64_t *out, int count) {
              problem.cost_row(prefix, b, out, count);
          }) {}

    void run() {
        for (const auto &[bound, set] : promising()) solve(set);
        scan_.run([&](const Row &row) {
            meter_.spend(row.count);
            for (int a = 0; a < row.count; ++a)
                if (row.bound[a] <= problem_.value()) consider(row, a);
            return true;
        });
    }

    void solve(const std::vector<int> &set) {
        data_.cells(set, cells_.data());
        meter_.spend(int64_t(cells_.size()) + problem_.improve(set, cells_.data()));
    }

  private:
    ColumnData &data_;
    SupportProblem &problem_;
    WorkMeter &meter_;
    std::vector<int64_t> cells_;
    SupportScan scan_;

    std::multimap<int64_t, std::vector<int>> promising() {
        std::multimap<int64_t, std::vector<int>> kept;
        scan_.run([&](const Row &row) {
            meter_.spend(row.count);
            for (int a = 0; a < row.count; ++a)
                if (kept.size() < kFirstTried || row.bound[a] < kept.rbegin()->first) {
                    kept.emplace(row.bound[a], members(row, a));
                    if (kept.size() > kFirstTried) kept.erase(std::prev(kept.end()));
                }
            return true;
        });
        return kept;
    }

    void consider(const Row &row, int a) {
        const std::vector<int> set = members(row, a);
        if (row.bound[a] == problem_.value() && !problem_.may_precede(set)) return;
        solve(set);
    }
};

}  // namespace

void search_supports(ColumnData &data, int size, SupportProblem &problem, WorkMeter &meter) {
    Search search(data, size, problem, meter);
    if (size >= 2 && size < data.columns()) return search.run();
    std::vector<int> set(size);
    std::iota(set.begin(), set.end(), 0);
    if (size != 1) return search.solve(set);
    data.all(1);
    for (set[0] = 0; set[0] < data.columns(); ++set[0]) search.solve(set);
}

}  // namespace oracledp
