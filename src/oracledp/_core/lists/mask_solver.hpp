// The best list of conjunctions over at most six columns: depth-first over 64-bit masks of cells.
#pragma once
#include "lists/list_problem.hpp"

namespace oracledp {

class MaskSolver : public ListSolver {
  public:
    static constexpr int kMostColumns = 6;
    explicit MaskSolver(const ListProblem &problem);
    int64_t value(const std::vector<int> &set, const int64_t *cells, int64_t most) override;
    std::vector<int> parts(const std::vector<int> &) override { return best_; }
    int64_t work() const override { return work_; }

  private:
    struct Rule {
        int condition;
        uint64_t mask;
    };
    // Sums of a table of cell weights over masks, a byte at a time.
    class MaskSum {
      public:
        void fill(const int64_t *cells, int count);
        int64_t operator()(uint64_t mask) const;

      private:
        int64_t table_[8][256];
        int bytes_ = 0;
    };

    const ListProblem &problem_;
    std::vector<Rule> rules_;
    std::vector<int64_t> cheapest_from_;  // [position]: least cost of the rules from there on
    std::vector<int> path_, best_;
    MaskSum total_, negative_;
    int64_t bound_ = 0, work_ = 0;

    void prepare(const std::vector<int> &set, const int64_t *cells);
    void descend(int position, uint64_t left, int64_t value);
    void finish(uint64_t left, int64_t value);
    void take(int position, int part, uint64_t left, int64_t value);
};

}  // namespace oracledp
