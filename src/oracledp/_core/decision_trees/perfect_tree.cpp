// A tree that is perfect on all records is perfect on some of them. So the first perfect tree on a sample comes no
// later in the order than the first on all: if it is perfect on all, it is that one, and if the sample has none, there
// is none. Records that it gets wrong join the sample, and the search is made again.
#include "decision_trees/perfect_tree.hpp"

#include <array>
#include <unordered_set>

namespace oracledp {
namespace {

constexpr size_t kFirstSample = 64;

using Rows = std::vector<uint32_t>;  // places in the sample

struct OutOfWork {};

template <size_t W> using Bits = std::array<Word, W>;  // literals

// Which literals the rows seen so far all have, and which any of them has, on each side.
template <size_t W> class Separator {
  public:
    Separator() {
        for (Bits<W> &side : all_) side.fill(~Word{0});
    }

    void add(const Bits<W> &row, int side) {
        seen_[size_t(side)] = true;
        for (size_t i = 0; i < W; ++i) all_[size_t(side)][i] &= row[i], any_[size_t(side)][i] |= row[i];
    }
    bool seen(int side) const { return seen_[size_t(side)]; }
    // Literals that one side has and the other has not.
    Word apart(size_t word) const { return splits(word, 0) | splits(word, 1); }
    // Literals that all rows of this side have and none of the other.
    Word splits(size_t word, int side) const { return all_[size_t(side)][word] & ~any_[size_t(1 - side)][word]; }
    // No single test tells the sides apart.
    bool refuted() const {
        Word any = 0;
        for (size_t i = 0; i < W; ++i) any |= apart(i);
        return !any && seen_[0] && seen_[1];
    }

  private:
    Bits<W> all_[2], any_[2] = {};
    bool seen_[2] = {};
};

template <size_t W> class PerfectSearch {
  public:
    PerfectSearch(const TwoSidedRecords &given, int depth, const Decided &decided, const std::vector<int> &groups,
                  int64_t work)
        : given_(given), depth_(depth), decided_(decided), groups_(groups), work_(work),
          options_((size_t{2} << depth) - 1, -1) {}

    std::optional<std::vector<int32_t>> run() {
        grow(spread_out(), 1, kFirstSample);
        for (;;) {
            Rows all(sides_.size());
            for (size_t i = 0; i < all.size(); ++i) all[i] = uint32_t(i);
            std::fill(options_.begin(), options_.end(), -1);
            const int none[1] = {};
            if (!found(all, none, 0, 0, 0)) return std::nullopt;
            const Rows wrong = mistaken();
            if (wrong.empty()) return std::move(options_);
            grow(wrong, std::max<size_t>(1, wrong.size() / sides_.size()), sides_.size());
        }
    }

  private:
    const TwoSidedRecords &given_;
    const int depth_;
    const Decided &decided_;
    const std::vector<int> &groups_;
    int64_t work_;
    std::vector<int32_t> options_;
    std::vector<Bits<W>> sample_;
    std::vector<uint8_t> sides_;
    std::unordered_set<uint64_t> refuted_;  // nodes without a perfect tree on a smaller sample have none on a larger

    void spend(size_t steps) {
        work_ -= int64_t(steps);
        if (work_ < 0) throw OutOfWork();
    }

    int side(size_t record) const {
        if (given_.weights[2 * record]) return 0;
        return given_.weights[2 * record + 1] ? 1 : -1;
    }

    // All records that count, far ones one after the other, since neighbours are alike, and the sides in turns.
    Rows spread_out() const {
        Rows of_side[2], order;
        const size_t step = std::max<size_t>(1, given_.rows.count / kFirstSample);
        for (size_t first = 0; first < step; ++first)
            for (size_t record = first; record < given_.rows.count; record += step)
                if (side(record) >= 0) of_side[side(record)].push_back(uint32_t(record));
        for (size_t i = 0; i < std::max(of_side[0].size(), of_side[1].size()); ++i)
            for (const Rows &rows : of_side)
                if (i < rows.size()) order.push_back(rows[i]);
        return order;
    }

    // Every so many of these records, and at most so many in all, join the sample.
    void grow(const Rows &records, size_t step, size_t most) {
        for (size_t i = 0, taken = 0; i < records.size() && taken < most; i += step, ++taken) {
            Bits<W> bits{};
            for (size_t word = 0; word < given_.rows.row_words(); ++word)
                bits[word] = reversed(given_.rows.row(records[i])[word]);
            sample_.push_back(bits);
            sides_.push_back(uint8_t(side(records[i])));
        }
    }

    // The records that the tree gets wrong.
    Rows mistaken() {
        spend(given_.rows.count);
        Rows wrong;
        for (size_t record = 0; record < given_.rows.count; ++record) {
            size_t place = 0;
            int left = depth_;
            for (; options_[place] >= int32_t(groups_.size()); --left)
                place += given_.rows.at(record, options_[place] - int32_t(groups_.size())) ? 1 : size_t{1} << left;
            const int known = side(record);
            if (known >= 0 && groups_[size_t(options_[place])] != known) wrong.push_back(uint32_t(record));
        }
        return wrong;
    }

    bool holds(uint32_t row, int test) const { return sample_[row][size_t(test) / 64] >> (test % 64) & 1; }

    // The first label that is right about this side, about any if there are no rows.
    bool label(const Separator<W> &seen, size_t place) {
        for (size_t label = 0; label < groups_.size(); ++label)
            if (!seen.seen(1 - groups_[label])) {
                options_[place] = int32_t(label);
                return true;
            }
        return false;
    }

    // Twelve bits for each test: no node with two tests to go has more than four.
    static uint64_t key(const int *set, int size, unsigned pattern) {
        uint64_t found = pattern;
        for (int i = 0; i < size; ++i) found = found << 12 | uint64_t(set[i]);
        return found << 3 | uint64_t(size);
    }

    // Whether the rows have a perfect tree below a node, which is then written down.
    bool found(const Rows &rows, const int *set, int size, unsigned pattern, size_t place) {
        Separator<W> seen;
        spend(rows.size() + 1);
        for (const uint32_t row : rows) seen.add(sample_[row], sides_[row]);
        if (label(seen, place)) return true;
        const int left = depth_ - size;
        if (left == 0) return false;
        if (left == 1) return one_test(seen, set, size, pattern, place);
        const uint64_t node = key(set, size, pattern);
        if (refuted_.count(node)) return false;
        for (int test = 0; test < given_.rows.columns; ++test) {
            if (decided_.closed(set, size, pattern, test) || (left == 2 && hopeless(rows, test))) continue;
            if (split(rows, test, GrownPath(set, size, pattern, test), size, place)) return true;
        }
        refuted_.insert(node);
        return false;
    }

    bool one_test(const Separator<W> &seen, const int *set, int size, unsigned pattern, size_t place) {
        for (size_t word = 0; word < W; ++word)
            for (Word open = seen.apart(word); open; open &= open - 1) {
                const int bit = __builtin_ctzll(open), test = int(word) * 64 + bit;
                if (test >= given_.rows.columns || decided_.closed(set, size, pattern, test)) continue;
                const int held = seen.splits(word, 0) >> bit & 1 ? 0 : 1;
                options_[place] = int32_t(groups_.size()) + test;
                options_[place + 1] = first_label(held);
                options_[place + 2] = first_label(1 - held);
                return true;
            }
        return false;
    }

    int32_t first_label(int side) const {
        size_t label = 0;
        while (groups_[label] != side) ++label;
        return int32_t(label);
    }

    // Whether a test leaves a child that no single test can settle: seen after a few rows, as a rule.
    bool hopeless(const Rows &rows, int test) {
        Separator<W> children[2];
        size_t steps = 0;
        bool found = false;
        while (!found && steps < rows.size()) {
            const uint32_t row = rows[steps++];
            Separator<W> &child = children[holds(row, test)];
            child.add(sample_[row], sides_[row]);
            found = child.refuted();
        }
        spend(steps);
        return found;
    }

    bool split(const Rows &rows, int test, const GrownPath &grown, int size, size_t place) {
        Rows held, lacked;
        for (const uint32_t row : rows) (holds(row, test) ? held : lacked).push_back(row);
        const size_t first = place + 1, second = place + (size_t{1} << (depth_ - size));
        if (!found(held, grown.set, size + 1, grown.with, first)) return false;
        if (!found(lacked, grown.set, size + 1, grown.without, second)) {
            std::fill(options_.begin() + long(first), options_.begin() + long(second), -1);
            return false;
        }
        options_[place] = int32_t(groups_.size()) + test;
        return true;
    }
};

}  // namespace

std::optional<std::vector<int32_t>> perfect_tree(const TwoSidedRecords &given, int depth, const Decided &decided,
                                                 const std::vector<int> &groups, int64_t work) {
    const auto known = [&](int side) { return std::find(groups.begin(), groups.end(), side) != groups.end(); };
    if (!known(0) || !known(1)) return std::nullopt;
    for (size_t record = 0; record < given.rows.count; ++record)
        if (given.weights[2 * record] && given.weights[2 * record + 1]) return std::nullopt;  // no label suits both
    try {
        if (given.rows.columns <= 64) return PerfectSearch<1>(given, depth, decided, groups, work).run();
        if (given.rows.columns <= 256) return PerfectSearch<4>(given, depth, decided, groups, work).run();
    } catch (const OutOfWork &) {
    }
    return std::nullopt;
}

}  // namespace oracledp
