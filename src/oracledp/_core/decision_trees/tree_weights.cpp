#include "decision_trees/tree_weights.hpp"

#include <algorithm>

#include "trees/broken_tree.hpp"

namespace oracledp {

Decays::Decays(const std::vector<Number> &of_powers) {
    const Number one{uint64_t{1} << 63, -63};
    for (size_t first = 0; first < of_powers.size(); first += kBits) {
        const size_t begin = table_.size();
        table_.resize(begin + kDigit, one);
        for (size_t digit = 1; digit < kDigit; ++digit) {
            const size_t power = first + size_t(__builtin_ctzll(digit));
            if (power >= of_powers.size()) continue;
            table_[begin + digit] = product(table_[begin + (digit & (digit - 1))], of_powers[power]);
        }
    }
}

WeightedNode TreeWeights::node(Path path) const {
    std::sort(path.begin(), path.end());
    const int size = int(path.size());
    require(size <= levels_.depth());
    int set[kMostTests + 1] = {};
    unsigned pattern = 0;
    std::vector<Word> mask = rows_.all();
    for (int i = 0; i < size; ++i) {
        set[i] = path[size_t(i)].first;
        pattern |= unsigned(path[size_t(i)].second) << i;
        rows_.restrict(mask.data(), set[i], path[size_t(i)].second);
    }
    std::vector<int64_t> counts(size_t(rows_.labels()));
    rows_.count(mask.data(), counts.data());
    WeightedNode found;
    int64_t total = 0;
    for (const int64_t count : counts) total += count;
    for (const int64_t count : counts) {
        found.errors.push_back(total - count);
        found.labels.push_back(algebra_.weight(total - count));
    }
    const bool bottom = size == levels_.depth();
    found.total = bottom ? algebra_.leaf(size, 0, counts.data(), 1) : levels_.at(set, size, pattern, 0);
    if (!bottom) split(found, set, size, pattern, counts, mask);
    return found;
}

void TreeWeights::split(WeightedNode &found, const int *set, int size, unsigned pattern,
                        const std::vector<int64_t> &counts, const std::vector<Word> &mask) const {
    const int literals = rows_.literals();
    std::vector<int64_t> held(counts.size() * size_t(literals));
    rows_.count(mask.data(), 0, literals, held.data(), size_t(literals));
    for (int test = 0; test < literals; ++test) {
        if (decided_.closed(set, size, pattern, test)) continue;
        const GrownPath grown(set, size, pattern, test);
        const auto weight = [&](bool holds) {
            if (size + 1 < levels_.depth())
                return levels_.at(grown.set, size + 1, holds ? grown.with : grown.without, 0);
            return algebra_.leaf(size + 1, 0, rows_.child(counts.data(), held.data(), test, holds).data(), 1);
        };
        found.tests.push_back(test);
        found.children.push_back({weight(true), weight(false)});
    }
}

}  // namespace oracledp
