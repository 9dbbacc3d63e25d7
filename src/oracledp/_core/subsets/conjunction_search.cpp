// Branch-and-bound over sets of literals. A node fixes a set I and keeps the free literals F that may
// join it; its cover is the set of rows that have all of I. Six facts prune (proofs/engine.md):
//   bound       the value of I ∪ T is at least cost(I) − negative(cover) + the least cost of T;
//   residual    positive rows that have all of F stay covered whatever T is;
//   persistence a literal whose best case does not pay is dropped, one whose worst case pays is forced;
//   pairs       persistence for two literals at once, from sums over all rows;
//   merging     rows that agree on F count with their net weight, so opposite signs cancel;
//   cells       all sets of some literals are settled at once on the net weights of their cells.
#include "subsets/conjunction_search.hpp"

#include <memory>
#include <numeric>

#include "rows/row_merger.hpp"
#include "subsets/cell_list_solver.hpp"
#include "subsets/cell_solver.hpp"
#include "subsets/first_guesses.hpp"
#include "subsets/node_bounds.hpp"

namespace oracledp {
namespace {

using namespace conjunctions;

class Search : NodeBounds {
  public:
    Search(const ConjunctionIndex &index, const SubsetCosts &costs, WorkMeter &meter, SearchLog &log, bool eager)
        : NodeBounds(costs, index.unit()), index_(index), pairs_(index, costs), meter_(meter), log_(log), eager_(eager),
          incumbent_(index.literals(), data_value(index.total(kNegative), index.total(kPositive)) + costs.size(0)),
          cells_(costs, unit_, meter, incumbent_), lists_(costs, unit_, meter, incumbent_) {}

    Incumbent run(const std::vector<int> &start) {
        guess_conjunctions(index_, costs_, start, meter_, incumbent_);
        Level &level = at(0);
        level.cover = index_.table().valid;
        level.columns.resize(index_.literals());
        std::iota(level.columns.begin(), level.columns.end(), 0);
        visit({&index_.table(), 0, 0, index_.total(kNegative), index_.total(kPositive)}, 0);
        return incumbent_;
    }

  private:
    Level &at(int depth) {
        while (int(levels_.size()) <= depth) levels_.push_back(std::make_unique<Level>());
        return *levels_[depth];
    }
    Value weigh(const RowTable &table, const std::vector<Word> &cover, Side side) {
        terms_.cut(table, cover.data(), side);
        return terms_.total();
    }
    void sum_columns(const RowTable &table, const std::vector<Word> &cover, Side side,
                     const std::vector<int> &columns) {
        terms_.cut(table, cover.data(), side);
        sums_[side].resize(columns.size());
        column_sums(table, terms_, columns.data(), int(columns.size()), sums_[side].data());
        meter_.spend(terms_.size * ((columns.size() + 7) / 8) + table.blocks + 1);
    }

    void visit(Node node, int depth) {
        Level &level = at(depth);
        forced_.clear();
        for (bool changed = true; changed;) changed = force(node, level);
        log_.add_list(forced_);
        if (narrow(node, level)) branch(node, depth);
        log_.add(SearchLog::kEnd);
    }

    // Includes every literal that pays whatever it loses. True when something changed; else negative sums are ready.
    bool force(Node &node, Level &level) {
        if (node.size >= costs_.width() || level.columns.empty()) return false;
        const RowTable &table = *node.table;
        sum_columns(table, level.cover, kNegative, level.columns);
        if (!may_force_) return false;
        const int size = node.size;
        size_t kept = 0;
        for (size_t i = 0; i < level.columns.size(); ++i) {
            const int column = level.columns[i], literal = table.literals[column];
            if (-(costs_.part(literal) + costs_.greatest_step(size)) <= (node.negative - sums_[0][i]) * unit_) {
                level.columns[kept++] = column;
                continue;
            }
            forced_.push_back(literal);
            incumbent_.included.insert(literal);
            ++node.size;
            node.cost += costs_.part(literal);
            intersect_into(level.cover.data(), table.column(column), table.words());
        }
        if (node.size == size) return false;
        level.columns.resize(kept);
        node.negative = weigh(table, level.cover, kNegative);
        node.positive = weigh(table, level.cover, kPositive);
        incumbent_.offer(data_value(node.negative, node.positive) + node.cost + costs_.size(node.size));
        return true;
    }

    // Keeps the free literals worth branching on, best bound first, and evaluates I with each of them.
    bool narrow(const Node &node, Level &level) {
        if (node.size >= costs_.width()) level.columns.clear();
        if (!level.columns.empty()) find_candidates(node, level);
        log_.add_columns(level.columns, node.table->literals);
        if (!level.columns.empty()) cut_hopeless_tail(node, level);
        log_.add(int32_t(level.columns.size()));
        if (!level.columns.empty()) evaluate(node, level);
        log_.add_columns(level.columns, node.table->literals);
        return level.columns.size() >= 2;  // a single literal: its set has been evaluated
    }
    void find_candidates(const Node &node, Level &level) {
        const Value rest = least_rest(level.columns, node) + node.cost;
        candidates_.clear();
        for (size_t i = 0; i < level.columns.size(); ++i) {
            const int literal = literal_at(node, level, i);
            const Value bound = -sums_[0][i] * unit_ + rest + costs_.part(literal) - own_share(literal);
            if (incumbent_.hopeless(literal, bound) || pairs_.makes_needless(literal, incumbent_.included)) continue;
            candidates_.push_back({bound, sums_[0][i], level.columns[i]});
        }
        std::sort(candidates_.begin(), candidates_.end());
        level.resize(candidates_.size());
        for (size_t i = 0; i < candidates_.size(); ++i)
            level.keep(i, candidates_[i].column, candidates_[i].negative, 0);
    }

    // Gives up the literals past the last set that has a chance: a set's last literal tells what else it may have.
    void cut_hopeless_tail(const Node &node, Level &level) {
        prepare_children(node, level);
        size_t count = level.columns.size();
        const Value rest = costs_.separable() ? 0 : least_rest(level.columns, node);
        while (count > 0 &&
               incumbent_.hopeless(literal_at(node, level, count - 1), child_bound(node, level, count - 1, rest)))
            --count;
        level.resize(count);
    }

    void evaluate(const Node &node, Level &level) {
        sum_columns(*node.table, level.cover, kPositive, level.columns);
        const Value cost = node.cost + costs_.size(node.size + 1);
        for (size_t i = 0; i < level.columns.size(); ++i) {
            const int literal = literal_at(node, level, i);
            incumbent_.offer_with(literal, data_value(level.negative[i], sums_[1][i]) + cost + costs_.part(literal));
        }
        size_t kept = 0;
        if (node.size + 1 < costs_.width())
            for (size_t i = 0; i < level.columns.size(); ++i)
                if (!never_pays(node, literal_at(node, level, i), sums_[1][i]))
                    level.keep(kept++, level.columns[i], level.negative[i], sums_[1][i]);
        if (kept == level.columns.size()) return;
        level.resize(kept);
        prepare_children(node, level);
    }

    // Child i includes literal i and may use the literals before it.
    void prepare_children(const Node &node, Level &level) {
        const RowTable &table = *node.table;
        const size_t count = level.columns.size();
        level.prefix_cost.assign(count + 1, 0);
        for (size_t i = 0; i < count; ++i)
            level.prefix_cost[i + 1] =
                level.prefix_cost[i] + std::min<Value>(0, costs_.part(literal_at(node, level, i)));
        level.residual.resize(count);
        residual_sums(table, level.cover.data(), level.columns.data(), int(count), level.residual.data());
        meter_.spend((table.blocks - table.negative_blocks) * count / 8);
    }

    void branch(Node node, int depth) {
        Level &level = at(depth), &next = at(depth + 1);
        level.included = level.reachable = incumbent_.included;
        const size_t settled = settle_first(node, level);
        for (size_t i = 0; i < settled; ++i) level.reachable.insert(literal_at(node, level, i));
        Value rest = costs_.separable() ? 0 : least_rest(level.columns, node);
        const int64_t start = meter_.spent();
        bool merged = false;
        for (size_t i = settled; i < level.columns.size(); ++i) {
            if (!merged && worth_merging(node, level, meter_.spent() - start)) {
                i = std::max<size_t>(1, merge(node, level, i));
                merged = true;
                if (i >= level.columns.size()) break;
                level.reachable.insert(literal_at(node, level, 0));
                rest = costs_.separable() ? 0 : least_rest(level.columns, node);
            }
            const int column = level.columns[i], literal = node.table->literals[column];
            level.reachable.insert(literal);
            if (incumbent_.hopeless(literal, child_bound(node, level, i, rest)) ||
                pairs_.demands_beyond(literal, level.reachable))
                continue;
            log_.add(literal);
            incumbent_.included.insert(literal);
            next.cover.resize(node.table->words());
            intersect(next.cover.data(), level.cover.data(), node.table->column(column), node.table->words());
            next.columns.assign(level.columns.begin(), level.columns.begin() + i);
            visit({node.table, node.size + 1, node.cost + costs_.part(literal), level.negative[i], level.positive[i]},
                  depth + 1);
            incumbent_.included = level.included;
        }
    }

    // Settles all sets of the first literals on their cells, where that costs less than to visit them: all literals on
    // a list of cells, or a few on a table. Returns how many; the set of the first alone has been evaluated.
    size_t settle_first(const Node &node, const Level &level) {
        if (!costs_.separable()) return 1;
        const int64_t rows = int64_t(count_rows(level.cover.data(), node.table->words()));
        const int most = eager_ ? 2 : std::min(CellSolver::kMostLiterals, bit_length(Word(rows)) + 3);
        const int all = int(level.columns.size()), few = std::min(most, all);
        const Word *cover = level.cover.data();
        if (settles_list(node, level, rows) &&
            lists_.solve(*node.table, cover, level.columns.data(), all, node.cost, eager_ ? rows : rows - rows / 8))
            return log_settled(all);
        if (!eager_ && rows + (int64_t{1} << few) / 16 > CellSolver::kVisitCost * visits(node, level, few)) return 1;
        cells_.solve(*node.table, cover, node.negative + node.positive, level.columns.data(), few, node.cost);
        return log_settled(few);
    }
    bool settles_list(const Node &node, const Level &level, int64_t rows) {
        const int all = int(level.columns.size());
        if (!CellList::fits(all, node.negative + node.positive)) return false;
        if (eager_ || !lists_.pays(rows)) return eager_ && node.size == 2;
        return CellListSolver::kRowCost * rows <= CellSolver::kVisitCost * visits(node, level, all);
    }
    int64_t visits(const Node &node, const Level &level, int count) {
        return int64_t{promising(incumbent_, node, level, count)} * (count - 1);
    }
    size_t log_settled(int count) {
        log_.add(SearchLog::kSettled);
        log_.add(count);
        return size_t(count);
    }

    // A merged table is built once a node has cost as much without it. In a long search it is built
    // sooner: what it adds to the bounds is felt in the whole subtree.
    bool worth_merging(const Node &node, const Level &level, int64_t spent) const {
        if (eager_) return true;
        const int64_t quarters = meter_.spent() < 300'000 ? 32 : meter_.spent() < 10'000'000 ? 8 : 2;
        const int64_t words = int64_t(node.table->words());
        if (4 * spent <= quarters * words) return false;
        return 4 * spent > quarters * (words + int64_t(count_rows(level.cover.data(), node.table->words())));
    }

    // Rebuilds the node's table over its free literals, equal rows merged, and narrows again: where the next child is.
    size_t merge(Node &node, Level &level, size_t next) {
        const RowTable &table = *node.table;
        std::vector<int> kept = level.columns, literals, rank(table.columns());
        std::sort(kept.begin(), kept.end());
        for (size_t i = 0; i < kept.size(); ++i) {
            literals.push_back(table.literals[kept[i]]);
            rank[kept[i]] = int(i);
        }
        meter_.spend(8 * int64_t(count_rows(level.cover.data(), table.words())));
        const KeyedRows &rows = merger_.merge(table, level.cover.data(), kept);
        const size_t moved = lost_cause(incumbent_, node, level, rows)
            ? (level.resize(0), 0)
            : rebuild(node, level, rows, literals, rank, next);
        log_.add(SearchLog::kMerged);
        log_.add_columns(level.columns, node.table->literals);
        return moved;
    }

    size_t rebuild(Node &node, Level &level, const KeyedRows &rows, const std::vector<int> &literals,
                   const std::vector<int> &rank, size_t next) {
        for (int &column : level.columns) column = rank[column];
        build_table(level.own, literals, merger_.sources(), rows);
        node.table = &level.own;
        level.cover = level.own.valid;
        for (const Side side : {kNegative, kPositive}) sum_columns(level.own, level.cover, side, level.columns);
        node.negative = weigh(level.own, level.cover, kNegative);
        node.positive = weigh(level.own, level.cover, kPositive);
        const Value rest = least_rest(level.columns, node) + node.cost;
        size_t count = 0, moved = 0;
        for (size_t i = 0; i < level.columns.size(); ++i) {
            if (i == next) moved = count;
            const int literal = literal_at(node, level, i);
            const Value bound = -sums_[0][i] * unit_ + rest + costs_.part(literal) - own_share(literal);
            if (incumbent_.hopeless(literal, bound) || never_pays(node, literal, sums_[1][i])) continue;
            level.keep(count++, level.columns[i], sums_[0][i], sums_[1][i]);
        }
        level.resize(count);
        prepare_children(node, level);
        return moved;
    }

    const ConjunctionIndex &index_;
    const LiteralPairs pairs_;
    WorkMeter &meter_;
    SearchLog &log_;
    const bool eager_;
    Incumbent incumbent_;
    CellSolver cells_;
    CellListSolver lists_;
    std::vector<std::unique_ptr<Level>> levels_;
    RowMerger merger_;
    Terms terms_;
    std::vector<Value> sums_[2];
    std::vector<Candidate> candidates_;
    std::vector<int> forced_;
};

}  // namespace

Incumbent search_conjunctions(const ConjunctionIndex &index, const SubsetCosts &costs, const std::vector<int> &start,
                              WorkMeter &meter, SearchLog &log, bool eager) {
    return Search(index, costs, meter, log, eager).run(start);
}

}  // namespace oracledp
