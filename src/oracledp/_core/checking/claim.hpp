// What a proof is about: costs of literals and sizes, and the set that is claimed to be the first minimiser.
#pragma once
#include <algorithm>
#include <vector>

#include "integers.hpp"

namespace oracledp::checking {

// A set of literals; its mask is the number whose bits are its members.
class Members {
  public:
    explicit Members(int literals) : words_(size_t(literals) / 64 + 1, 0) {}

    bool has(int literal) const { return word(literal) >> (literal % 64) & 1; }
    void add(int literal) { words_[size_t(literal) / 64] |= Word{1} << (literal % 64); }
    void remove(int literal) { words_[size_t(literal) / 64] &= ~(Word{1} << (literal % 64)); }
    // Whether this mask is below the other.
    bool below(const Members &other) const {
        return std::lexicographical_compare(words_.rbegin(), words_.rend(), other.words_.rbegin(), other.words_.rend());
    }

  private:
    Word word(int literal) const { return words_[size_t(literal) / 64]; }

    std::vector<Word> words_;
};

// A set of s literals costs parts[j] for each member j, and sizes[s]; s is at most the width.
class Costs {
  public:
    Costs(std::vector<Value> parts, std::vector<Value> sizes, int width)
        : parts_(std::move(parts)), sizes_(std::move(sizes)), width_(width),
          independent_(unlimited() && std::equal(sizes_.begin() + 1, sizes_.end(), sizes_.begin())),
          least_step_(size_t(width) + 2, 0), greatest_step_(size_t(width) + 2, 0) {
        for (size_t size = size_t(width); size-- > 0;) {
            const Value step = sizes_[size + 1] - sizes_[size];
            const bool last = size + 1 == size_t(width);
            least_step_[size] = last ? step : std::min(step, least_step_[size + 1]);
            greatest_step_[size] = last ? step : std::max(step, greatest_step_[size + 1]);
        }
    }

    int literals() const { return int(parts_.size()); }
    int width() const { return width_; }
    // Each literal may join or not, whatever the others do, at its own cost alone.
    bool independent() const { return independent_; }
    bool unlimited() const { return width_ == literals(); }
    Value part(int literal) const { return parts_[size_t(literal)]; }
    Value size(int size) const { return sizes_[size_t(size)]; }

    // The least and the greatest that one more literal adds to the cost of a size, for sets of at least `size`
    // literals.
    Value least_step(int size) const { return least_step_[size_t(size)]; }
    Value greatest_step(int size) const { return greatest_step_[size_t(size)]; }

    // Lower bounds on the cost, size included, that literals from a list add to a set that has `size` others already:
    // entry p if they are among the first p of the list, the last if they are anywhere in it.
    std::vector<Value> least_rests(const std::vector<int> &list, int size) const {
        if (!independent_) return std::vector<Value>(list.size() + 1, least_rest(list, size));
        std::vector<Value> rests{sizes_[0]};
        for (const int literal : list) rests.push_back(rests.back() + gain(literal));
        return rests;
    }
    // The same for the literals of a list but one, from the bound for all of them.
    Value without(int literal, Value rest) const { return independent_ ? rest - gain(literal) : rest; }

  private:
    Value gain(int literal) const { return std::min<Value>(0, part(literal)); }

    // The cheapest literals of the list, as many as is best.
    Value least_rest(const std::vector<int> &list, int size) const {
        if (size > width_) return 0;  // there are no such sets
        std::vector<Value> costs;
        for (const int literal : list) costs.push_back(part(literal));
        std::sort(costs.begin(), costs.end());
        Value least = this->size(size), sum = 0;
        for (size_t more = 1; more <= costs.size() && size + int(more) <= width_; ++more) {
            sum += costs[more - 1];
            least = std::min(least, sum + this->size(size + int(more)));
        }
        return least;
    }

    std::vector<Value> parts_, sizes_;
    int width_;
    bool independent_;
    std::vector<Value> least_step_, greatest_step_;
};

}  // namespace oracledp::checking
