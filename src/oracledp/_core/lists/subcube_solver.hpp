// The best list of single literals over a few columns: a dynamic programme over subcubes.
#pragma once
#include <array>

#include "lists/list_problem.hpp"
#include "lists/subcubes.hpp"

namespace oracledp {

class SubcubeSolver : public ListSolver {
  public:
    SubcubeSolver(const ListProblem &problem, int size);
    int64_t value(const std::vector<int> &set, const int64_t *cells, int64_t most) override;
    std::vector<int> parts(const std::vector<int> &set) override;
    int64_t work() const override { return work_; }

  private:
    struct Rule {
        int condition, place, polarity;  // place of its column in the set
    };
    using RuleCosts = std::array<int64_t, 4>;  // [polarity][label], least over the conditions that test a column
    const ListProblem &problem_;
    const int size_;
    int64_t work_ = 0;
    Subcubes subcubes_;
    std::vector<int64_t> best_;     // [position][subcube]: least value of the rules from that position on
    std::vector<int64_t> emptied_;  // [position]: least cost of those rules once every record is decided
    std::vector<RuleCosts> costs_;  // [position][column]
    std::vector<std::array<int64_t, 2>> missing_;  // [column][polarity]: 0 if a condition tests it, else infinite

    int cubes() const { return subcubes_.count(); }
    // Without costs, and with as many positions as columns, the relaxation is exact.
    bool exact_relaxation() const { return problem_.free && problem_.length >= size_; }
    void exhaust(const std::vector<int> &set);
    void solve_layers(const std::vector<int> &set);
    void layer(int position, const std::vector<int> &set);
    std::vector<Rule> rules(const std::vector<int> &set) const;  // in the class's order
    std::vector<int> parts_without_costs(const std::vector<int> &set) const;
    std::vector<int> parts_by_layers(const std::vector<int> &set) const;
    // What a rule takes from a subcube and what it leaves; -1 is nothing.
    std::pair<int, int> cut(const Rule &rule, int cube) const;
};

}  // namespace oracledp
