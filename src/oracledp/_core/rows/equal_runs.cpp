// Sorting rows by their words: digit by digit where they are many, by comparison where few are left to tell apart.
#include <algorithm>
#include <numeric>
#include <utility>

#include "rows/bit_rows.hpp"

namespace oracledp {
namespace {

constexpr int kDigit = 11;  // bits: the counters of a pass stay in the nearest cache
constexpr size_t kFew = 512;

struct Keyed {
    Word key;
    int64_t row;
};

class RowSorter {
  public:
    RowSorter(const Word *words, size_t count, size_t row_words)
        : words_(words), row_words_(row_words), order_(count), scratch_(count > kFew ? 2 * count : 0) {
        std::iota(order_.begin(), order_.end(), int64_t{0});
        if (!in_order()) sort(0, count, 0);
    }

    EqualRuns runs() && {
        EqualRuns found;
        for (size_t i = 0; i < order_.size(); ++i)
            if (!i || !equal(order_[i - 1], order_[i])) found.starts.push_back(int64_t(i));
        found.order = std::move(order_);
        return found;
    }

  private:
    const Word *row(int64_t i) const { return words_ + size_t(i) * row_words_; }
    bool equal(int64_t a, int64_t b) const { return std::equal(row(a), row(a) + row_words_, row(b)); }

    bool in_order() const {
        for (size_t i = 1; i < order_.size(); ++i) {
            const Word *before = row(int64_t(i) - 1), *here = row(int64_t(i));
            if (std::lexicographical_compare(here, here + row_words_, before, before + row_words_)) return false;
        }
        return true;
    }

    // Rows begin..end of the order agree in the words before `part`.
    void sort(size_t begin, size_t end, size_t part) {
        if (end - begin < 2 || part == row_words_) return;
        if (end - begin <= kFew) return compare(begin, end, part);
        by_digits(begin, end, part);
        if (part + 1 == row_words_) return;
        for (size_t first = begin; first < end;) {
            size_t last = first + 1;
            while (last < end && row(order_[last])[part] == row(order_[first])[part]) ++last;
            sort(first, last, part + 1);
            first = last;
        }
    }

    void compare(size_t begin, size_t end, size_t part) {
        std::sort(order_.begin() + int64_t(begin), order_.begin() + int64_t(end), [&](int64_t a, int64_t b) {
            for (size_t i = part; i < row_words_; ++i)
                if (row(a)[i] != row(b)[i]) return row(a)[i] < row(b)[i];
            return a < b;
        });
    }

    // Least digit first, and only digits in which some rows differ.
    void by_digits(size_t begin, size_t end, size_t part) {
        Keyed *from = scratch_.data(), *to = from + order_.size();
        const size_t count = end - begin;
        Word differ = 0;
        for (size_t i = 0; i < count; ++i) {
            from[i] = {row(order_[begin + i])[part], order_[begin + i]};
            differ |= from[i].key ^ from[0].key;
        }
        for (int shift = 0; shift < 64; shift += kDigit) {
            if (!(differ >> shift & ((Word{1} << kDigit) - 1))) continue;
            size_t place[1 << kDigit] = {};
            const auto digit = [shift](Word key) { return key >> shift & ((Word{1} << kDigit) - 1); };
            for (size_t i = 0; i < count; ++i) ++place[digit(from[i].key)];
            size_t next = 0;
            for (size_t &here : place) next += std::exchange(here, next);
            for (size_t i = 0; i < count; ++i) to[place[digit(from[i].key)]++] = from[i];
            std::swap(from, to);
        }
        for (size_t i = 0; i < count; ++i) order_[begin + i] = from[i].row;
    }

    const Word *words_;
    size_t row_words_;
    std::vector<int64_t> order_;
    std::vector<Keyed> scratch_;
};

}  // namespace

EqualRuns equal_runs(const Word *words, size_t count, size_t row_words) {
    return RowSorter(words, count, row_words).runs();
}

}  // namespace oracledp
