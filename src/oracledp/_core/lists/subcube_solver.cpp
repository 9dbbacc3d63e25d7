#include "lists/subcube_solver.hpp"

#include "simd.hpp"

namespace oracledp {

namespace {

// One position's choices on one column, for a run of subcubes in which it is zero, one and free.
// cost: [polarity][label] of a rule on this column; after: least cost of the later rules when nothing is left.
struct ColumnStep {
    std::array<int64_t, 4> cost;
    int64_t after;
    const int64_t *total_zero, *total_one, *next_zero, *next_one;
    int64_t *zero, *one, *free;
};

ODP_SIMD void column_step(const ColumnStep &step, int count) {
    const int64_t idle0 = std::min(step.cost[0], step.cost[1]), idle1 = std::min(step.cost[2], step.cost[3]);
    for (int i = 0; i < count; ++i) {
        const int64_t take_zero = std::min(step.cost[0], step.cost[1] + step.total_zero[i]);
        const int64_t take_one = std::min(step.cost[2], step.cost[3] + step.total_one[i]);
        const int64_t next_zero = step.next_zero[i], next_one = step.next_one[i];
        step.free[i] = std::min(step.free[i], std::min(take_zero + next_one, take_one + next_zero));
        step.zero[i] = std::min(step.zero[i], std::min(idle1 + next_zero, take_zero + step.after));
        step.one[i] = std::min(step.one[i], std::min(idle0 + next_one, take_one + step.after));
    }
}

}  // namespace

SubcubeSolver::SubcubeSolver(const ListProblem &problem, int size) : problem_(problem), size_(size), subcubes_(size) {
    if (!exact_relaxation()) best_.resize(size_t(problem.length + 1) * cubes());
    emptied_.resize(problem.length + 1);
    missing_.assign(problem.columns, {kInfinite, kInfinite});
    costs_.assign(size_t(problem.length) * problem.columns, {kInfinite, kInfinite, kInfinite, kInfinite});
    for (int c = 0; c < int(problem.conditions.size()); ++c) {
        const auto [column, polarity] = problem.conditions[c].front();
        missing_[column][polarity] = 0;
        for (int p = 0; p < problem.length; ++p)
            for (int label = 0; label < 2; ++label) {
                int64_t &known = costs_[size_t(p) * problem.columns + column][2 * polarity + label];
                known = std::min(known, problem.cost(problem.part(p, c, label)));
            }
    }
}

int64_t SubcubeSolver::value(const std::vector<int> &set, const int64_t *cells, int64_t most) {
    std::vector<std::array<int64_t, 2>> missing;
    for (int column : set) missing.push_back(missing_[column]);
    subcubes_.add_up(cells);
    subcubes_.relax(missing);
    const int64_t relaxed = subcubes_.relaxed().back();
    work_ = int64_t(cubes()) * (size_ + 1);
    if (exact_relaxation()) return relaxed;
    exhaust(set);
    if (relaxed + emptied_[0] > most) return most + 1;
    solve_layers(set);
    work_ *= 1 + problem_.length;
    return best_[cubes() - 1];
}

// The least cost of the parts from each position on, whatever they decide.
void SubcubeSolver::exhaust(const std::vector<int> &set) {
    emptied_[problem_.length] = std::min(problem_.cost(problem_.fallback(0)), problem_.cost(problem_.fallback(1)));
    for (int p = problem_.length - 1; p >= 0; --p) {
        int64_t cheapest = problem_.cost(problem_.skip(p));
        for (int column : set) cheapest = std::min(cheapest, problem_.least(p)[column]);
        emptied_[p] = cheapest + emptied_[p + 1];
    }
}

void SubcubeSolver::solve_layers(const std::vector<int> &set) {
    const int64_t fallback0 = problem_.cost(problem_.fallback(0)), fallback1 = problem_.cost(problem_.fallback(1));
    int64_t *last = &best_[size_t(problem_.length) * cubes()];
    for (int cube = 0; cube < cubes(); ++cube) last[cube] = std::min(fallback0, fallback1 + subcubes_.total()[cube]);
    for (int p = problem_.length - 1; p >= 0; --p) layer(p, set);
}

void SubcubeSolver::layer(int p, const std::vector<int> &set) {
    const int64_t *next = &best_[size_t(p + 1) * cubes()], *total = subcubes_.total().data();
    int64_t *best = &best_[size_t(p) * cubes()];
    const int64_t skip = problem_.cost(problem_.skip(p));
    for (int cube = 0; cube < cubes(); ++cube) best[cube] = skip + next[cube];
    for (int t = 0; t < size_; ++t) {
        const RuleCosts &cost = costs_[size_t(p) * problem_.columns + set[t]];
        for (int zero = 0; zero < cubes(); zero += subcubes_.power(t + 1)) {
            const int one = zero + subcubes_.power(t), free = one + subcubes_.power(t);
            column_step({cost, emptied_[p + 1], total + zero, total + one, next + zero, next + one, best + zero,
                         best + one, best + free},
                        subcubes_.power(t));
        }
    }
}

std::pair<int, int> SubcubeSolver::cut(const Rule &rule, int cube) const {
    if (cube < 0) return {-1, -1};
    const int power = subcubes_.power(rule.place), digit = subcubes_.digit(cube, rule.place);
    if (digit == 2) return {cube - (2 - rule.polarity) * power, cube - (1 + rule.polarity) * power};
    return digit == rule.polarity ? std::pair<int, int>{cube, -1} : std::pair<int, int>{-1, cube};
}

std::vector<SubcubeSolver::Rule> SubcubeSolver::rules(const std::vector<int> &set) const {
    std::vector<Rule> found;
    for (int condition : problem_.testers(set)) {
        const auto [column, polarity] = problem_.conditions[condition].front();
        found.push_back({condition, int(std::find(set.begin(), set.end(), column) - set.begin()), polarity});
    }
    return found;
}

std::vector<int> SubcubeSolver::parts(const std::vector<int> &set) {
    return exact_relaxation() ? parts_without_costs(set) : parts_by_layers(set);
}

// A part may be chosen if the best value stays within reach of the positions that remain.
std::vector<int> SubcubeSolver::parts_without_costs(const std::vector<int> &set) const {
    const std::vector<int64_t> &total = subcubes_.total(), &relaxed = subcubes_.relaxed();
    auto least = [&](int cube) { return cube < 0 ? 0 : relaxed[cube]; };
    std::vector<int> needed(cubes(), size_ + 1);  // the least number of rules that reaches the least value
    for (int cube = 0; cube < cubes(); ++cube)
        if (relaxed[cube] == std::min<int64_t>(0, total[cube])) needed[cube] = 0;
    subcubes_.each_split([&](int cube, int t, int zero, int one) {
        if (missing_[set[t]][0] == 0 && std::min<int64_t>(0, total[zero]) + relaxed[one] == relaxed[cube])
            needed[cube] = std::min(needed[cube], needed[one] + 1);
        if (missing_[set[t]][1] == 0 && std::min<int64_t>(0, total[one]) + relaxed[zero] == relaxed[cube])
            needed[cube] = std::min(needed[cube], needed[zero] + 1);
    });
    const std::vector<Rule> usable = rules(set);
    int cube = cubes() - 1;
    auto take = [&](int p) {
        for (const Rule &rule : usable) {
            const auto [taken, left] = cut(rule, cube);
            if (left >= 0 && needed[left] > problem_.length - p - 1) continue;
            for (int label = 0; label < 2; ++label)
                if ((label && taken >= 0 ? total[taken] : 0) + least(left) == least(cube)) {
                    cube = left;
                    return problem_.part(p, rule.condition, label);
                }
        }
        return problem_.skip(p);
    };
    std::vector<int> chosen;
    for (int p = 0; p < problem_.length; ++p) chosen.push_back(take(p));
    chosen.push_back(problem_.fallback(least(cube) == 0 ? 0 : 1));
    return chosen;
}

std::vector<int> SubcubeSolver::parts_by_layers(const std::vector<int> &set) const {
    auto rest = [&](int p, int cube) { return cube < 0 ? emptied_[p] : best_[size_t(p) * cubes() + cube]; };
    const std::vector<Rule> usable = rules(set);
    int cube = cubes() - 1;
    auto take = [&](int p) {
        for (const Rule &rule : usable) {
            const auto [taken, left] = cut(rule, cube);
            for (int label = 0; label < 2; ++label) {
                const int part = problem_.part(p, rule.condition, label);
                const int64_t captured = label && taken >= 0 ? subcubes_.total()[taken] : 0;
                if (problem_.cost(part) + captured + rest(p + 1, left) == rest(p, cube)) {
                    cube = left;
                    return part;
                }
            }
        }
        return problem_.skip(p);
    };
    std::vector<int> chosen;
    for (int p = 0; p < problem_.length; ++p) chosen.push_back(take(p));
    chosen.push_back(problem_.fallback(problem_.cost(problem_.fallback(0)) == rest(problem_.length, cube) ? 0 : 1));
    return chosen;
}

}  // namespace oracledp
