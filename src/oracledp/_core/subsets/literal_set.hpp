// Sets of literals as 64-bit words.
#pragma once
#include <vector>

#include "integers.hpp"

namespace oracledp {

// Ordered as the integer that its bits spell: the order that breaks ties.
class LiteralSet {
  public:
    explicit LiteralSet(int literals = 0) : words_((literals + 63) / 64, 0) {}

    void insert(int literal) { words_[literal >> 6] |= Word{1} << (literal & 63); }
    void erase(int literal) { words_[literal >> 6] &= ~(Word{1} << (literal & 63)); }
    bool contains(int literal) const { return words_[literal >> 6] >> (literal & 63) & 1; }
    void clear() { words_.assign(words_.size(), 0); }

    bool meets(const LiteralSet &other) const {
        Word common = 0;
        for (size_t i = 0; i < words_.size(); ++i) common |= words_[i] & other.words_[i];
        return common != 0;
    }
    bool within(const LiteralSet &other) const {
        Word outside = 0;
        for (size_t i = 0; i < words_.size(); ++i) outside |= words_[i] & ~other.words_[i];
        return outside == 0;
    }
    bool before(const LiteralSet &other) const {
        for (size_t i = words_.size(); i-- > 0;)
            if (words_[i] != other.words_[i]) return words_[i] < other.words_[i];
        return false;
    }
    std::vector<int> members() const {
        std::vector<int> found;
        for (size_t i = 0; i < words_.size(); ++i)
            for (Word rest = words_[i]; rest; rest &= rest - 1) found.push_back(int(64 * i) + __builtin_ctzll(rest));
        return found;
    }

  private:
    std::vector<Word> words_;
};

}  // namespace oracledp
