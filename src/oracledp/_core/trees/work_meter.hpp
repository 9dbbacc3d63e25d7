// A deterministic count of work, so that a limit never depends on the clock.
#pragma once
#include "integers.hpp"

namespace oracledp {

struct OutOfWork {};

class WorkMeter {
  public:
    explicit WorkMeter(int64_t limit) : limit_(limit) {}
    void spend(int64_t amount) {
        spent_ += amount;
        if (spent_ > limit_) throw OutOfWork{};
    }
    int64_t spent() const { return spent_; }

  private:
    int64_t limit_, spent_ = 0;
};

}  // namespace oracledp
