#include "subsets/first_guesses.hpp"

#include <numeric>

namespace oracledp {
namespace {

class Guesses {
  public:
    Guesses(const ConjunctionIndex &index, const SubsetCosts &costs, WorkMeter &meter, Incumbent &incumbent)
        : index_(index), table_(index.table()), costs_(costs), meter_(meter), incumbent_(incumbent) {}

    void offer(const std::vector<int> &literals) {
        std::vector<Word> cover = table_.valid;
        Value cost = costs_.size(int(literals.size()));
        for (const int literal : literals) {
            cost += costs_.part(literal);
            join(literal, cover);
        }
        incumbent_.offer(data_value(weigh(cover, kNegative), weigh(cover, kPositive)) + cost);
        incumbent_.included.clear();
    }

    void all_paid() {
        if (!costs_.separable()) return;
        std::vector<int> paid;
        for (int literal = 0; literal < index_.literals(); ++literal)
            if (costs_.part(literal) < 0) paid.push_back(literal);
        offer(paid);
    }

    // One literal after the other, while it helps.
    void greedily() {
        std::vector<Word> cover = table_.valid;
        std::vector<int> all(index_.literals());
        std::iota(all.begin(), all.end(), 0);
        Value cost = 0, reached = incumbent_.value();
        for (int size = 0; size < costs_.width(); ++size) {
            const int best = best_step(cover, all, cost + costs_.size(size + 1), reached);
            if (best < 0) break;
            cost += costs_.part(best);
            join(best, cover);
        }
        incumbent_.included.clear();
    }

  private:
    Value data_value(Value negative, Value positive) const { return (positive - negative) * index_.unit(); }

    void join(int literal, std::vector<Word> &cover) {
        incumbent_.included.insert(literal);
        intersect_into(cover.data(), table_.column(literal), table_.words());
    }
    Value weigh(const std::vector<Word> &cover, Side side) {
        terms_.cut(table_, cover.data(), side);
        return terms_.total();
    }
    // The literal that takes the set furthest below `reached`; -1 if none does.
    int best_step(const std::vector<Word> &cover, const std::vector<int> &all, Value cost, Value &reached) {
        for (const Side side : {kNegative, kPositive}) {
            terms_.cut(table_, cover.data(), side);
            sums_[side].resize(all.size());
            column_sums(table_, terms_, all.data(), int(all.size()), sums_[side].data());
            meter_.spend(terms_.size * ((all.size() + 7) / 8) + table_.blocks + 1);
        }
        int best = -1;
        for (const int literal : all) {
            if (incumbent_.included.contains(literal)) continue;
            const Value value = data_value(sums_[0][literal], sums_[1][literal]) + cost + costs_.part(literal);
            incumbent_.offer_with(literal, value);
            if (value >= reached) continue;
            reached = value;
            best = literal;
        }
        return best;
    }

    const ConjunctionIndex &index_;
    const RowTable &table_;
    const SubsetCosts &costs_;
    WorkMeter &meter_;
    Incumbent &incumbent_;
    Terms terms_;
    std::vector<Value> sums_[2];
};

}  // namespace

void guess_conjunctions(const ConjunctionIndex &index, const SubsetCosts &costs, const std::vector<int> &start,
                        WorkMeter &meter, Incumbent &incumbent) {
    Guesses guesses(index, costs, meter, incumbent);
    guesses.offer(start);
    guesses.all_paid();
    guesses.greedily();
}

}  // namespace oracledp
