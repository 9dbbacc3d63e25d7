#include "lists/list_problem.hpp"

#include <numeric>

namespace oracledp {

namespace {

std::vector<int> columns_of(const std::vector<ListLiteral> &condition) {
    std::vector<int> columns;
    for (const ListLiteral &literal : condition) columns.push_back(literal.column);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
}

}  // namespace

ListProblem::ListProblem(int length, int columns, std::vector<std::vector<ListLiteral>> given,
                         const int64_t *part_costs)
    : ListParts(length, int(given.size()), part_costs), columns(columns), conditions(std::move(given)) {
    free = std::all_of(part_costs, part_costs + fallback(2), [](int64_t cost) { return cost == 0; });
    least_.assign(size_t(length) * columns, kInfinite);
    for (int c = 0; c < int(conditions.size()); ++c) {
        width = std::max(width, conditions[c].size());
        const std::vector<int> tested = columns_of(conditions[c]);
        by_columns_[tested].push_back(c);
        for (int p = 0; p < length; ++p)
            for (int column : tested) {
                int64_t &known = least_[size_t(p) * columns + column];
                known = std::min({known, cost(part(p, c, 0)), cost(part(p, c, 1))});
            }
    }
}

std::vector<int> ListProblem::testers(const std::vector<int> &set) const {
    std::vector<int> found, chosen;
    for (unsigned subset = 1; subset < 1u << set.size(); ++subset) {
        if (size_t(__builtin_popcount(subset)) > width) continue;
        chosen.clear();
        for (size_t t = 0; t < set.size(); ++t)
            if (subset >> t & 1) chosen.push_back(set[t]);
        const auto place = by_columns_.find(chosen);
        if (place != by_columns_.end()) found.insert(found.end(), place->second.begin(), place->second.end());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<int> ListProblem::first_parts(const std::vector<int> &set) const {
    const std::vector<int> usable = testers(set);
    std::vector<int> parts(length + 1, fallback(0));
    for (int p = 0; p < length; ++p) parts[p] = usable.empty() ? skip(p) : part(p, usable.front(), 0);
    return parts;
}

}  // namespace oracledp
