// Sorting rows by their words: keys lie beside the numbers of their rows, so that comparing follows no pointers.
#include <algorithm>
#include <numeric>
#include <utility>

#include "rows/bit_rows.hpp"

namespace oracledp {
namespace {

using Keyed = std::pair<Word, int64_t>;  // a word of a row, and its number

class RowSorter {
  public:
    RowSorter(const Word *words, size_t count, size_t row_words) : words_(words), row_words_(row_words), order_(count) {
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

    // Rows begin..end of the order agree in the words before `part`, and stand in the order given.
    void sort(size_t begin, size_t end, size_t part) {
        if (end - begin < 2 || part == row_words_) return;
        std::vector<Keyed> keyed(end - begin);
        for (size_t i = 0; i < keyed.size(); ++i) keyed[i] = {row(order_[begin + i])[part], order_[begin + i]};
        std::sort(keyed.begin(), keyed.end());
        for (size_t i = 0; i < keyed.size(); ++i) order_[begin + i] = keyed[i].second;
        for (size_t first = 0; part + 1 < row_words_ && first < keyed.size();) {
            size_t last = first + 1;
            while (last < keyed.size() && keyed[last].first == keyed[first].first) ++last;
            sort(begin + first, begin + last, part + 1);
            first = last;
        }
    }

    const Word *words_;
    size_t row_words_;
    std::vector<int64_t> order_;
};

}  // namespace

EqualRuns equal_runs(const Word *words, size_t count, size_t row_words) {
    return RowSorter(words, count, row_words).runs();
}

}  // namespace oracledp
