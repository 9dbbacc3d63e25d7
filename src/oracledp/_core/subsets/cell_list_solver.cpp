#include "subsets/cell_list_solver.hpp"

namespace oracledp {

bool CellListSolver::hopeless(const int64_t *cells, CellList::Part part, int place, Value cost) const {
    const Value kept = std::max<Value>(0, list_.weight_of_all(cells, part.size, place));
    const Value bound = (kept - part.negative) * unit_ + cost + rests_[place].least;
    if (bound != incumbent_.value()) return bound > incumbent_.value();
    return !incumbent_.included.before(incumbent_.best());
}

// Every set that takes some of the literals from `place` on.
void CellListSolver::decide(const int64_t *cells, size_t size, int place, Value cost, int64_t *memory) {
    if (place == count_) return incumbent_.offer((size ? list_.weight(*cells) : 0) * unit_ + cost);
    meter_.spend(int64_t(size) / 4 + 1);
    const Rest &rest = rests_[place];
    const CellList::Part taken = list_.take(cells, size, place, memory);
    incumbent_.included.insert(rest.literal);
    if (!hopeless(memory, taken, place + 1, cost + rest.part))
        decide(memory, taken.size, place + 1, cost + rest.part, memory + taken.size + CellList::kSlack);
    incumbent_.included.erase(rest.literal);
    const CellList::Part left = list_.leave(cells, size, place, memory);
    if (!hopeless(memory, left, place + 1, cost))
        decide(memory, left.size, place + 1, cost, memory + left.size + CellList::kSlack);
}

bool CellListSolver::solve(const RowTable &table, const Word *cover, const int *columns, int count, Value cost,
                           int64_t most) {
    count_ = count;
    rests_[count] = {0, 0, 0};
    for (int place = count; place-- > 0;) {
        const int literal = table.literals[columns[count - 1 - place]];
        const Value part = costs_.part(literal);
        rests_[place] = {part, rests_[place + 1].least + std::min<Value>(0, part), literal};
    }
    const CellList::Part all = list_.fill(table, cover, columns, count);
    meter_.spend(3 * int64_t(all.size) + 1);
    const bool shared = int64_t(all.size) <= most;
    credit_ += shared ? most : -most;
    if (!shared) return false;
    if (!hopeless(list_.cells(), all, 0, cost)) decide(list_.cells(), all.size, 0, cost, list_.free_memory(all.size));
    return true;
}

}  // namespace oracledp
