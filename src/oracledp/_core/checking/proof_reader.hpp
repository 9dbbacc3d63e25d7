// A proof as a row of numbers, and the lists of literals in it.
#pragma once
#include <vector>

#include "integers.hpp"

namespace oracledp::checking {

constexpr int32_t kEnd = -1, kMerged = -2, kSettled = -3;

struct Rejected {};
struct Unfinished {};

inline void require(bool holds) {
    if (!holds) throw Rejected{};
}

// The numbers of a proof, one after the other.
class Reader {
  public:
    Reader(const int32_t *proof, size_t length, int literals)
        : next_(proof), end_(proof + length), seen_(size_t(literals), false) {}

    int32_t number() {
        if (next_ == end_) throw Unfinished{};
        return *next_++;
    }
    // A list of distinct literals: its length, then its members.
    std::vector<int> list() {
        const int32_t length = number();
        require(length <= int32_t(seen_.size()));
        std::vector<int> found;
        for (int32_t i = 0; i < length; ++i) {
            const int32_t literal = number();
            require(literal >= 0 && literal < int32_t(seen_.size()) && !seen_[size_t(literal)]);
            seen_[size_t(literal)] = true;
            found.push_back(literal);
        }
        for (const int literal : found) seen_[size_t(literal)] = false;
        return found;
    }
    // For each place of a list whether it is among the members, all of which must be in the list.
    std::vector<bool> marked(const std::vector<int> &list, const std::vector<int> &members) {
        for (const int literal : members) seen_[size_t(literal)] = true;
        std::vector<bool> found;
        size_t count = 0;
        for (const int literal : list) {
            found.push_back(seen_[size_t(literal)]);
            count += found.back();
        }
        for (const int literal : members) seen_[size_t(literal)] = false;
        require(count == members.size());
        return found;
    }
    // The same if the members must also come in the order of the list.
    std::vector<bool> marked_in_order(const std::vector<int> &list, const std::vector<int> &members) {
        const std::vector<bool> found = marked(list, members);
        size_t next = 0;
        for (size_t i = 0; i < list.size(); ++i)
            if (found[i]) require(members[next++] == list[i]);
        return found;
    }
    bool finished() const { return next_ == end_; }

  private:
    const int32_t *next_, *end_;
    std::vector<bool> seen_;  // all false but for a moment
};

}  // namespace oracledp::checking
