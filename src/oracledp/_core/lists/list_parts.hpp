// How the parts of a decision list are numbered, and what each costs.
#pragma once
#include "integers.hpp"

namespace oracledp {

class ListParts {
  public:
    ListParts(int length, int conditions, const Value *costs)
        : length(length), condition_count_(conditions), costs_(costs) {}

    const int length;

    int condition_count() const { return condition_count_; }
    int stride() const { return 2 * condition_count_ + 1; }
    int part(int position, int condition, int label) const { return position * stride() + 2 * condition + label; }
    int skip(int position) const { return (position + 1) * stride() - 1; }
    int fallback(int label) const { return length * stride() + label; }
    Value cost(int part) const { return costs_[part]; }

  private:
    int condition_count_;
    const Value *costs_;
};

}  // namespace oracledp
