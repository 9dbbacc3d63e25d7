#include "lists/list_sampler.hpp"

namespace oracledp {

ListSampler::ListSampler(const ListProblem &problem) : problem_(problem), column_testers_(problem.columns) {
    for (int c = 0; c < int(problem_.conditions.size()); ++c) {
        const auto [column, polarity] = problem_.conditions[c].front();
        column_testers_[column][polarity].push_back(c);
    }
}

// idle[m][U]: ways to fill m positions and the default so that every column of U is tested.
std::vector<std::vector<uint64_t>> ListSampler::count_idle(const std::vector<uint64_t> &counts) const {
    const unsigned subsets = 1u << counts.size();
    std::vector<std::vector<uint64_t>> idle(problem_.length + 1, std::vector<uint64_t>(subsets, 0));
    idle[0][0] = 2;
    for (int m = 1; m <= problem_.length; ++m)
        for (unsigned set = 0; set < subsets; ++set) {
            uint64_t total = idle[m - 1][set];
            for (size_t t = 0; t < counts.size(); ++t) total += 2 * counts[t] * idle[m - 1][set & ~(1u << t)];
            idle[m][set] = total;
        }
    return idle;
}

uint64_t ListSampler::leaves(const std::vector<int> &set) const {
    std::vector<uint64_t> counts;
    for (int column : set) counts.push_back(column_testers_[column][0].size() + column_testers_[column][1].size());
    std::sort(counts.begin(), counts.end());
    const auto [place, fresh] = leaves_.try_emplace(counts, 0);
    if (fresh) place->second = count_idle(counts).back().back();
    return place->second;
}

void ListSampler::open(const std::vector<int> &set, const int64_t *cells, const Heights &heights) {
    const int size = int(set.size());
    cubes_ = &by_size_.try_emplace(size, size).first->second;
    heights_ = &heights;
    testers_.clear();
    std::vector<std::array<int64_t, 2>> missing;
    std::vector<uint64_t> counts;
    for (int column : set) {
        const Testers &testers = column_testers_[column];
        testers_.push_back(&testers);
        missing.push_back({testers[0].empty() ? kInfinite : 0, testers[1].empty() ? kInfinite : 0});
        counts.push_back(testers[0].size() + testers[1].size());
    }
    cubes_->add_up(cells);
    cubes_->relax(missing);
    idle_ = count_idle(counts);
    untested_.assign(cubes_->count(), 0);
    for (int cube = 0; cube < cubes_->count(); ++cube)
        for (int t = 0; t < size; ++t) untested_[cube] |= unsigned(cubes_->digit(cube, t) == 2) << t;
    weights_.assign(size_t(problem_.length + 1) * cubes_->count(), 0);
    for (int p = problem_.length; p >= 0; --p)
        for (int cube = 0; cube < cubes_->count(); ++cube) {
            Wide total = 0;
            each_child({p, cube, 0}, [&](const Child &child, Wide chosen) {
                total += chosen * (child.conditions ? child.conditions->size() : 1);
                return true;
            });
            weights_[size_t(p) * cubes_->count() + cube] = total;
        }
    at_ = {0, cubes_->count() - 1, 0};
    parts_.clear();
}

Wide ListSampler::weight_of(const State &state) const {
    if (state.position > problem_.length) return kOne;
    if (state.cube < 0) return Wide(kOne) * idle_[problem_.length - state.position][state.untested];
    return weights_[size_t(state.position) * cubes_->count() + state.cube];
}

// Visits the children of a state in a fixed order, with the weight of each, until visit returns false.
template <class Visit> void ListSampler::each_child(const State &state, Visit visit) const {
    if (state.cube < 0) return each_idle_child(state, visit);
    const State after{state.position + 1, state.cube, 0};
    const int64_t floor = cubes_->relaxed()[state.cube];
    bool more = true;
    auto offer = [&](const Child &child) {
        if (more && child.inside > 0) more = visit(child, scaled((*heights_)(child.exponent), child.inside));
    };
    if (state.position == problem_.length) {
        if (untested_[state.cube]) return;
        for (int label = 0; label < 2; ++label)
            offer({nullptr, label, (label ? cubes_->total()[state.cube] : 0) - floor, after, kOne});
        return;
    }
    offer({nullptr, 0, 0, after, weight_of(after)});
    for (int place = 0; place < cubes_->size(); ++place) each_rule(state, place, offer);
}

// The rules on one column, at a state that has records left.
template <class Visit> void ListSampler::each_rule(const State &state, int place, Visit offer) const {
    const int power = cubes_->power(place), digit = cubes_->digit(state.cube, place);
    const int64_t floor = cubes_->relaxed()[state.cube];
    for (int polarity = 0; polarity < 2; ++polarity) {
        const std::vector<int> &conditions = (*testers_[place])[polarity];
        if (conditions.empty()) continue;
        State next{state.position + 1, state.cube, 0};
        int64_t taken = 0, rest = floor;
        if (digit == 2) {
            next.cube = state.cube - (1 + polarity) * power;
            taken = cubes_->total()[state.cube - (2 - polarity) * power];
            rest = cubes_->relaxed()[next.cube];
        } else if (digit == polarity) {
            next = {state.position + 1, -1, untested_[state.cube]};
            taken = cubes_->total()[state.cube];
            rest = 0;
        }
        const Wide inside = weight_of(next);
        for (int label = 0; label < 2; ++label)
            offer({&conditions, label, (label ? taken : 0) + rest - floor, next, inside});
    }
}

template <class Visit> void ListSampler::each_idle_child(const State &state, Visit visit) const {
    bool more = true;
    auto offer = [&](const std::vector<int> *conditions, int label, unsigned untested) {
        const State next{state.position + 1, -1, untested};
        const Wide inside = weight_of(next);
        if (more && inside > 0) more = visit(Child{conditions, label, 0, next, inside}, inside);
    };
    offer(nullptr, 0, state.untested);
    if (state.position == problem_.length) return offer(nullptr, 1, state.untested);
    for (int place = 0; place < int(testers_.size()); ++place)
        for (int polarity = 0; polarity < 2; ++polarity) {
            const std::vector<int> &conditions = (*testers_[place])[polarity];
            for (int label = 0; label < 2 && !conditions.empty(); ++label)
                offer(&conditions, label, state.untested & ~(1u << place));
        }
}

Step ListSampler::step(Wide number) {
    Step made;
    const State from = at_;
    each_child(from, [&](const Child &child, Wide chosen) {
        const Wide count = child.conditions ? child.conditions->size() : 1;
        if (number >= chosen * count) {
            number -= chosen * count;
            return true;
        }
        made = {child.exponent, chosen, child.inside};
        at_ = child.next;
        const int position = from.position;
        if (child.conditions)
            parts_.push_back(problem_.part(position, (*child.conditions)[size_t(number / chosen)], child.label));
        else parts_.push_back(position == problem_.length ? problem_.fallback(child.label) : problem_.skip(position));
        return false;
    });
    require(made.chosen > 0);
    return made;
}

}  // namespace oracledp
