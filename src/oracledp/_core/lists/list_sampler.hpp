// Decision lists of single literals as a family to sample: lists by the set of columns that they test.
#pragma once
#include <map>

#include "lists/list_problem.hpp"
#include "lists/subcubes.hpp"
#include "sampling/sampled_family.hpp"

namespace oracledp {

class ListSampler : public SampledFamily {
  public:
    // The problem has no costs and width one.
    ListSampler(const ListProblem &problem);
    int largest() const override { return std::min(problem_.length, problem_.columns); }
    uint64_t leaves(const std::vector<int> &set) const override;
    void open(const std::vector<int> &set, const int64_t *cells, const Heights &heights) override;
    int64_t floor() const override { return cubes_->relaxed().back(); }
    Wide weight() const override { return weights_[size_t(cubes_->count()) - 1]; }
    Step step(Wide number) override;
    bool done() const override { return at_.position > problem_.length; }
    std::vector<int> parts() const override { return parts_; }

  private:
    // The records that no rule has taken yet are a subcube; or none are left, and some columns are still untested.
    struct State {
        int position, cube;  // cube -1: no record is left
        unsigned untested;
    };
    struct Child {
        const std::vector<int> *conditions;  // any of these; null: skip, or the default
        int label;
        int64_t exponent;
        State next;
        Wide inside;
    };
    using Testers = std::array<std::vector<int>, 2>;  // [polarity]: conditions

    const ListProblem problem_;
    std::vector<Testers> column_testers_;
    std::map<int, Subcubes> by_size_;
    Subcubes *cubes_ = nullptr;
    const Heights *heights_ = nullptr;
    std::vector<const Testers *> testers_;     // of the set's columns
    std::vector<unsigned> untested_;           // of each subcube: its free columns
    std::vector<Wide> weights_;                // [position][subcube]
    std::vector<std::vector<uint64_t>> idle_;  // [positions left][untested columns]: lists when no record is left
    mutable std::map<std::vector<uint64_t>, uint64_t> leaves_;  // by the numbers of conditions on the columns
    State at_{0, 0, 0};
    std::vector<int> parts_;

    std::vector<std::vector<uint64_t>> count_idle(const std::vector<uint64_t> &counts) const;
    Wide weight_of(const State &state) const;
    template <class Visit> void each_child(const State &state, Visit visit) const;
    template <class Visit> void each_idle_child(const State &state, Visit visit) const;
    template <class Visit> void each_rule(const State &state, int place, Visit visit) const;
};

}  // namespace oracledp
