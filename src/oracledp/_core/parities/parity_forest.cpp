#include "parities/parity_forest.hpp"

#include <map>
#include <stdexcept>
#include <unordered_map>

namespace oracledp {

void ParityForest::add(const ParitySums &sums, int64_t constant) {
    std::unordered_map<Value, uint64_t> counts{{0, 1}};  // the empty set
    sums.each_block([&](const ParityBlock &block) {
        for (int j = 0; j < block.below; ++j) ++counts[block.sums[j]];
        return true;
    });
    const int tree = int(trees_.size());
    trees_.push_back({&sums, constant});
    for (const auto &[value, count] : std::map<Value, uint64_t>(counts.begin(), counts.end()))
        kinds_.push_back({tree, value, count});
}

void ParityForest::prepare(std::vector<uint64_t> powers) {
    heights_ = std::make_unique<Heights>(std::move(powers));
    origin_ = trees_[kinds_.front().tree].constant + kinds_.front().value;
    for (const Kind &kind : kinds_) origin_ = std::min(origin_, trees_[kind.tree].constant + kind.value);
    total_ = 0;
    for (const Kind &kind : kinds_) total_ += Wide(kind.count) * height(kind);
}

ParityForest::Entry ParityForest::enter(Wide number) {
    for (const Kind &kind : kinds_) {
        const Wide weight = Wide(kind.count) * height(kind);
        if (number < weight) {
            entered_ = kind;
            index_ = uint64_t(number / height(kind));
            return {kind.tree, trees_[kind.tree].constant + kind.value - origin_, height(kind)};
        }
        number -= weight;
    }
    throw std::out_of_range("a number beyond the total weight");
}

std::vector<int> ParityForest::parts() const {
    uint64_t left = index_;
    if (entered_.value == 0 && left-- == 0) return {};
    std::vector<int> found;
    const bool missing = trees_[entered_.tree].sums->each_block([&](const ParityBlock &block) {
        for (int j = 0; j < block.below; ++j)
            if (block.sums[j] == entered_.value && left-- == 0) {
                found.assign(1, j);
                found.insert(found.end(), block.larger.rbegin(), block.larger.rend());
                return false;
            }
        return true;
    });
    require(!missing);
    return found;
}

}  // namespace oracledp
