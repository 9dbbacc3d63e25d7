#include "lists/mask_solver.hpp"

namespace oracledp {

void MaskSolver::MaskSum::fill(const int64_t *cells, int count) {
    bytes_ = (count + 7) / 8;
    for (int byte = 0; byte < bytes_; ++byte) {
        table_[byte][0] = 0;
        for (int mask = 1; mask < 256; ++mask) {
            const int cell = 8 * byte + __builtin_ctz(mask);
            table_[byte][mask] = table_[byte][mask & (mask - 1)] + (cell < count ? cells[cell] : 0);
        }
    }
}

int64_t MaskSolver::MaskSum::operator()(uint64_t mask) const {
    int64_t sum = 0;
    for (int byte = 0; byte < bytes_; ++byte) sum += table_[byte][mask >> 8 * byte & 255];
    return sum;
}

MaskSolver::MaskSolver(const ListProblem &problem)
    : problem_(problem), cheapest_from_(problem.length + 1), path_(problem.length + 1) {}

int64_t MaskSolver::value(const std::vector<int> &set, const int64_t *cells, int64_t most) {
    prepare(set, cells);
    bound_ = most;
    best_.clear();
    work_ = int64_t(rules_.size()) + (int64_t(1) << set.size());
    const uint64_t everything = set.size() == 6 ? ~uint64_t(0) : (uint64_t(1) << (1 << set.size())) - 1;
    descend(0, everything, 0);
    return best_.empty() ? most + 1 : bound_ + 1;
}

void MaskSolver::prepare(const std::vector<int> &set, const int64_t *cells) {
    const int count = 1 << set.size();
    std::vector<int64_t> negative(count);
    for (int cell = 0; cell < count; ++cell) negative[cell] = std::min<int64_t>(0, cells[cell]);
    total_.fill(cells, count);
    negative_.fill(negative.data(), count);
    rules_.clear();
    for (int condition : problem_.testers(set)) {
        uint64_t mask = 0;
        for (int cell = 0; cell < count; ++cell) {
            bool holds = true;
            for (const ListLiteral &literal : problem_.conditions[condition]) {
                const auto place = std::find(set.begin(), set.end(), literal.column) - set.begin();
                holds = holds && (cell >> place & 1) == literal.polarity;
            }
            mask |= uint64_t(holds) << cell;
        }
        rules_.push_back({condition, mask});
    }
    const int length = problem_.length;
    cheapest_from_[length] = std::min(problem_.cost(problem_.fallback(0)), problem_.cost(problem_.fallback(1)));
    for (int p = length - 1; p >= 0; --p) {
        int64_t cheapest = problem_.cost(problem_.skip(p));
        for (const Rule &rule : rules_)
            for (int label = 0; label < 2; ++label)
                cheapest = std::min(cheapest, problem_.cost(problem_.part(p, rule.condition, label)));
        cheapest_from_[p] = cheapest + cheapest_from_[p + 1];
    }
}

// Parts are tried in the class's order and only improvements are kept, so the first best list wins.
// bound_ is the greatest value that still improves.
void MaskSolver::descend(int position, uint64_t left, int64_t value) {
    if (value + cheapest_from_[position] + negative_(left) > bound_) return;
    if (position == problem_.length) return finish(left, value);
    work_ += int64_t(rules_.size());
    for (const Rule &rule : rules_) {
        const uint64_t rest = left & ~rule.mask;
        const int64_t floor = value + cheapest_from_[position + 1] + negative_(rest),
                      captured = total_(left & rule.mask);
        for (int label = 0; label < 2; ++label) {
            const int part = problem_.part(position, rule.condition, label);
            const int64_t paid = problem_.cost(part) + (label ? captured : 0);
            if (floor + paid <= bound_) take(position, part, rest, value + paid);
        }
    }
    const int skip = problem_.skip(position);
    take(position, skip, left, value + problem_.cost(skip));
}

void MaskSolver::take(int position, int part, uint64_t left, int64_t value) {
    path_[position] = part;
    descend(position + 1, left, value);
}

void MaskSolver::finish(uint64_t left, int64_t value) {
    for (int label = 0; label < 2; ++label) {
        const int part = problem_.fallback(label);
        const int64_t end = value + problem_.cost(part) + (label ? total_(left) : 0);
        if (end > bound_) continue;
        path_[problem_.length] = part;
        best_ = path_;
        bound_ = end - 1;
    }
}

}  // namespace oracledp
