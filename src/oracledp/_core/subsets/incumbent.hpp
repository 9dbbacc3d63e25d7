// The best set found so far, with ties broken by the order of the bit masks.
#pragma once
#include "subsets/literal_set.hpp"

namespace oracledp {

class Incumbent {
  public:
    Incumbent(int literals, Value empty_value) : included(literals), best_(literals), value_(empty_value) {}

    LiteralSet included;  // the set that the search stands at

    const LiteralSet &best() const { return best_; }
    Value value() const { return value_; }

    void offer(Value value) {
        if (value < value_ || (value == value_ && included.before(best_))) {
            value_ = value;
            best_ = included;
        }
    }
    void offer_with(int literal, Value value) {
        if (value > value_) return;
        included.insert(literal);
        offer(value);
        included.erase(literal);
    }
    // No set that holds `included` and the literal, with a value of at least `bound`, can be better:
    // the smallest mask among them is the smallest set.
    bool hopeless(int literal, Value bound) {
        if (bound != value_) return bound > value_;
        included.insert(literal);
        const bool late = !included.before(best_);
        included.erase(literal);
        return late;
    }

  private:
    LiteralSet best_;
    Value value_;
};

}  // namespace oracledp
