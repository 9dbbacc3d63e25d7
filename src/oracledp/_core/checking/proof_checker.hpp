// An independent check of a proof that a conjunction is the first minimiser (proofs/engine.md). Shares no code with the
// search: here is all that a checked answer rests on, with the files of this folder.
#pragma once
#include "checking/claim.hpp"
#include "checking/weighted_rows.hpp"

namespace oracledp::checking {

enum class Verdict { kAccepted, kRejected, kUnfinished };  // unfinished: right as far as it goes, but it ends too early

// What depends on records and weights alone: prepared once, shared by all claims about them.
class ProofChecker {
  public:
    // `rows` may be in any order and may be equal; weights are in multiples of `unit`.
    ProofChecker(const RowList &rows, Value unit);

    int literals() const { return literals_; }
    Value unit() const { return unit_; }
    const WeightedRows &rows() const { return rows_; }

    // The absolute weight of the negative, or positive, rows that have `one` and lack `other`.
    Value negative_lacking(int one, int other) const { return lacking(negative_pairs_, one, other); }
    Value positive_lacking(int one, int other) const { return lacking(positive_pairs_, one, other); }

    // The value of a set: the weights of the rows that have all of it, and its costs.
    Value value(const Costs &costs, const std::vector<int> &set) const;

    // Whether the proof shows that no set comes before this one in value and then in the order of the masks.
    Verdict check(const Costs &costs, const std::vector<int> &claimed, const int32_t *proof, size_t length) const;

  private:
    size_t pair(int one, int other) const { return size_t(one) * size_t(literals_) + size_t(other); }
    Value lacking(const std::vector<Value> &pairs, int one, int other) const {
        return pairs[pair(one, one)] - pairs[pair(one, other)];
    }

    int literals_;
    Value unit_;
    WeightedRows rows_;
    std::vector<Value> negative_pairs_, positive_pairs_;  // the weight of the rows that have both literals
};

}  // namespace oracledp::checking
