// Follows a proof node by node. A node is a set I of literals and those that may still join it, and stands for all
// sets between the two. Each step must follow from one of six facts (proofs/engine.md), or the proof is rejected.
#include "checking/proof_checker.hpp"

#include "checking/cells.hpp"
#include "checking/proof_reader.hpp"

namespace oracledp::checking {
namespace {

struct Node {
    const WeightedRows *rows;
    Cover cover;            // the rows that have all of I
    std::vector<int> free;  // what may join I
    int size;               // of I
    Value cost;             // of I's literals, its size apart
};

class Walk {
  public:
    Walk(const ProofChecker &known, const Costs &costs, const std::vector<int> &claimed, Reader &reader)
        : known_(known), costs_(costs), value_(known.value(costs, claimed)), claimed_(known.literals()),
          reader_(reader), included_(known.literals()) {
        for (const int literal : claimed) claimed_.add(literal);
    }

    void start() {
        Node root{&known_.rows(), known_.rows().all(), {}, 0, 0};
        for (int literal = 0; literal < known_.literals(); ++literal) root.free.push_back(literal);
        visit(std::move(root));
        require(reader_.finished());
    }

  private:
    using Sums = std::vector<Value>;

    // ---- facts ----------------------------------------------------------------------------------------------------
    Value data_value(Value negative, Value positive) const { return (positive - negative) * known_.unit(); }

    // No set that holds I, and is worth this or more, comes before the claimed one.
    bool beaten(Value value) const { return value != value_ ? value > value_ : !included_.below(claimed_); }
    // The same for sets that hold a literal as well.
    bool beaten_with(int literal, Value value) {
        if (value != value_) return value > value_;
        included_.add(literal);
        const bool late = beaten(value);
        included_.remove(literal);
        return late;
    }
    // No set of I, a literal and a choice of others that costs at least `rest` is better than its bound: of the rows
    // that have the literal, negative ones count if they are still covered, positive ones if they cannot be lost.
    bool bounded(const Node &node, int literal, Value negative, Value residual, Value rest) {
        return beaten_with(literal, data_value(negative, residual) + node.cost + costs_.part(literal) + rest);
    }
    // Leaving out the literal brings back positive rows that lack it, and no more than these.
    bool never_pays(const Node &node, int literal, Value positive, Value positive_with) const {
        return costs_.part(literal) + costs_.least_step(node.size) >= (positive - positive_with) * known_.unit();
    }
    // Adding the literal loses negative rows that lack it, and no more than these.
    bool always_pays(const Node &node, int literal) const {
        const Slices &negative = node.cover.negative;
        const Value lost = weight_of(negative) - weight_within(negative, node.rows->column(literal));
        return costs_.unlimited() && costs_.part(literal) + costs_.greatest_step(node.size) + lost * known_.unit() < 0;
    }
    // Beside the literal some member of I is not worth its cost, whatever else is chosen.
    bool makes_needless(int literal) const {
        const Value step = costs_.least_step(1);
        for (const int one : path_)
            if (known_.positive_lacking(literal, one) * known_.unit() <= costs_.part(one) + step) return true;
        return false;
    }
    // A set with the literal gains by another one, which is not among those that it can still have.
    bool demands_others(int literal, const std::vector<int> &kept, size_t place) {
        if (!costs_.unlimited()) return false;
        Members within = included_;
        for (size_t i = 0; i <= place; ++i) within.add(kept[i]);
        const Value step = costs_.greatest_step(1);
        for (int one = 0; one < known_.literals(); ++one)
            if (!within.has(one) && known_.negative_lacking(literal, one) * known_.unit() + costs_.part(one) + step < 0)
                return true;
        return false;
    }

    // ---- sums -----------------------------------------------------------------------------------------------------
    // The weight of the rows that have each literal, in the order of the list.
    Sums weights_with(const Slices &slices, const Node &node, const std::vector<int> &literals) const {
        Sums sums;
        for (const int literal : literals) sums.push_back(weight_within(slices, node.rows->column(literal)));
        return sums;
    }
    // Entry p: the positive rows that have literals 0..p of the list, and so cannot be lost by choosing among them.
    Sums residuals(const Node &node, const std::vector<int> &literals) const {
        std::vector<const Block *> columns;
        for (const int literal : literals) columns.push_back(node.rows->column(literal));
        return weights_within_all(node.cover.positive, columns);
    }

    void include(int literal) {
        included_.add(literal);
        path_.push_back(literal);
    }
    void exclude_last() {
        included_.remove(path_.back());
        path_.pop_back();
    }

    // ---- a node ---------------------------------------------------------------------------------------------------
    // Every set of the node is the claimed one or comes after it.
    void visit(Node node) {
        const std::vector<int> forced = reader_.list();
        for (const int literal : forced) force(node, literal);
        const Value negative = weight_of(node.cover.negative), positive = weight_of(node.cover.positive);
        require(beaten(data_value(negative, positive) + node.cost + costs_.size(node.size)));
        const std::vector<int> candidates = read_candidates(node);
        const std::vector<int> kept = read_kept(node, candidates, positive);
        visit_children(node, kept);
        for (size_t i = 0; i < forced.size(); ++i) exclude_last();
    }

    void force(Node &node, int literal) {
        const auto place = std::find(node.free.begin(), node.free.end(), literal);
        require(place != node.free.end() && always_pays(node, literal));
        node.free.erase(place);
        node.cover = node.cover.within(node.rows->column(literal));
        node.cost += costs_.part(literal);
        ++node.size;
        include(literal);
    }

    // The free literals that are worth a look: sets with any other are beaten, or improved by leaving something out.
    std::vector<int> read_candidates(const Node &node) {
        const std::vector<int> candidates = reader_.list();
        const std::vector<bool> looked_at = reader_.marked(node.free, candidates);
        require(node.size < costs_.width() || candidates.empty());
        if (node.size == costs_.width()) return candidates;
        const Value rest = costs_.least_rests(node.free, node.size + 1).back();
        for (size_t i = 0; i < node.free.size(); ++i) {
            const int literal = node.free[i];
            if (looked_at[i] || makes_needless(literal)) continue;
            const Value negative = weight_within(node.cover.negative, node.rows->column(literal));
            require(bounded(node, literal, negative, 0, costs_.without(literal, rest)));
        }
        return candidates;
    }

    // Of the candidates, those that sets of two more literals may have. A set belongs to the last of its candidates:
    // past some place in their order all are beaten. The rest are evaluated alone, and dropped if they never pay.
    std::vector<int> read_kept(const Node &node, std::vector<int> candidates, Value positive) {
        const int32_t count = reader_.number();
        require(0 <= count && count <= int32_t(candidates.size()));
        if (count < int32_t(candidates.size())) {
            const Sums cannot_be_lost = residuals(node, candidates);
            const Sums rests = costs_.least_rests(candidates, node.size + 1);
            for (size_t i = size_t(count); i < candidates.size(); ++i) {
                const Value negative = weight_within(node.cover.negative, node.rows->column(candidates[i]));
                require(bounded(node, candidates[i], negative, cannot_be_lost[i], rests[i]));
            }
            candidates.resize(size_t(count));
        }
        const Sums negatives = weights_with(node.cover.negative, node, candidates);
        const Sums positives = weights_with(node.cover.positive, node, candidates);
        for (size_t i = 0; i < candidates.size(); ++i)
            require(bounded(node, candidates[i], negatives[i], positives[i], costs_.size(node.size + 1)));
        const std::vector<int> kept = reader_.list();
        const std::vector<bool> stays = reader_.marked_in_order(candidates, kept);
        if (node.size + 1 < costs_.width())
            for (size_t i = 0; i < candidates.size(); ++i)
                require(stays[i] || never_pays(node, candidates[i], positive, positives[i]));
        return kept;
    }

    // ---- its children ---------------------------------------------------------------------------------------------
    // Child p holds kept[p] and may hold what comes before it; each is followed, or shown to be beaten. The first can
    // have nothing more, and has been evaluated. Merging the rows of the node may show that fewer need be kept.
    void visit_children(Node &node, std::vector<int> kept) {
        std::vector<WeightedRows> merged;  // one at most: where the rows of this node are, once they are merged
        size_t done = std::min<size_t>(1, kept.size());
        while (true) {
            const Bounds bounds = bounds_of(node, kept);
            const int32_t entry = follow(node, kept, bounds, done);
            if (entry == kEnd) return;
            WeightedRows rows(node.rows->merged(node.cover, kept));
            merged.clear();
            merged.push_back(std::move(rows));
            node.rows = &merged.back();
            node.cover = node.rows->all();
            narrow(node, kept, done);
        }
    }

    struct Bounds {
        Sums cannot_be_lost, rests;
    };
    Bounds bounds_of(const Node &node, const std::vector<int> &kept) const {
        return {residuals(node, kept), costs_.least_rests(kept, node.size + 1)};
    }

    // Reads children up to the end, or up to where rows are merged; `done` is how many of the kept literals are
    // settled.
    int32_t follow(const Node &node, const std::vector<int> &kept, const Bounds &bounds, size_t &done) {
        while (true) {
            const int32_t entry = reader_.number();
            if (entry == kMerged) return entry;
            if (entry == kSettled) {
                done = std::max(done, settle_first(node, kept));
                continue;
            }
            const bool end = entry == kEnd;
            const auto found = end ? kept.end() : std::find(kept.begin() + ptrdiff_t(done), kept.end(), entry);
            require(end || found != kept.end());
            const size_t place = size_t(found - kept.begin());
            for (; done < place; ++done) require(skipped(node, kept, bounds, done));
            if (end) return entry;
            visit_child(node, kept, place);
            done = place + 1;
        }
    }

    // Every set of I and some of the first literals kept is beaten; reads how many these are.
    size_t settle_first(const Node &node, const std::vector<int> &kept) {
        const int32_t count = reader_.number();
        require(costs_.independent() && count > 0 && size_t(count) <= std::min(kept.size(), kMostCellLiterals));
        const std::vector<int> first(kept.begin(), kept.begin() + count);
        settle(cells_of(node.rows->merged(node.cover, first), first), first, first.size(),
               costs_.least_rests(first, node.size), node.cost);
        return size_t(count);
    }
    // The cells tell the first `left` literals apart; I has what it has of those past them. At best all negative cells
    // stay, and of the positive ones only that which has every literal.
    void settle(const Cells &cells, const std::vector<int> &literals, size_t left, const Sums &rests, Value cost) {
        Value negative = 0;
        for (const Cell &cell : cells) negative -= std::min<Value>(0, cell.weight);
        if (beaten(data_value(negative, std::max<Value>(0, having_all(cells, left))) + cost + rests[left])) return;
        require(left-- > 0);  // without literals that bound is the value
        include(literals[left]);
        settle(having_last(cells), literals, left, rests, cost + costs_.part(literals[left]));
        exclude_last();
        settle(forgetting_last(cells), literals, left, rests, cost);
    }

    bool skipped(const Node &node, const std::vector<int> &kept, const Bounds &bounds, size_t place) {
        const int literal = kept[place];
        const Value negative = weight_within(node.cover.negative, node.rows->column(literal));
        return bounded(node, literal, negative, bounds.cannot_be_lost[place], bounds.rests[place]) ||
            demands_others(literal, kept, place);
    }

    void visit_child(const Node &node, const std::vector<int> &kept, size_t place) {
        const int literal = kept[place];
        include(literal);
        visit({node.rows,
               node.cover.within(node.rows->column(literal)),
               {kept.begin(), kept.begin() + ptrdiff_t(place)},
               node.size + 1,
               node.cost + costs_.part(literal)});
        exclude_last();
    }

    // Reads which literals are still kept after merging: the others are beaten by net weights, or never pay.
    void narrow(const Node &node, std::vector<int> &kept, size_t &done) {
        std::vector<int> left = reader_.list();
        const std::vector<bool> stays = reader_.marked_in_order(kept, left);
        const bool all_beaten = beaten_whole(node, kept);
        const Value rest = costs_.least_rests(kept, node.size + 1).back(), positive = weight_of(node.cover.positive);
        size_t settled = 0;
        for (size_t i = 0; i < kept.size(); ++i) {
            if (stays[i]) settled += i < done;
            if (stays[i] || all_beaten) continue;
            const Block *column = node.rows->column(kept[i]);
            const Value negative = weight_within(node.cover.negative, column);
            require(bounded(node, kept[i], negative, 0, costs_.without(kept[i], rest)) ||
                    never_pays(node, kept[i], positive, weight_within(node.cover.positive, column)));
        }
        done = std::max(settled, std::min<size_t>(1, left.size()));
        kept = std::move(left);
    }
    // All of I with any choice from the list: at best the negative rows stay, and no positive one.
    bool beaten_whole(const Node &node, const std::vector<int> &list) const {
        const Value rest = costs_.least_rests(list, node.size).back();
        return data_value(weight_of(node.cover.negative), 0) + node.cost + rest > value_;
    }

    const ProofChecker &known_;
    const Costs &costs_;
    const Value value_;
    Members claimed_;
    Reader &reader_;
    Members included_;       // I
    std::vector<int> path_;  // the same in the order in which they joined
};

}  // namespace

ProofChecker::ProofChecker(const RowList &rows, Value unit) : literals_(rows.literals), unit_(unit), rows_(rows) {
    const size_t pairs = size_t(literals_) * size_t(literals_);
    negative_pairs_.resize(pairs);
    positive_pairs_.resize(pairs);
    for (int one = 0; one < literals_; ++one) {
        const Cover having = rows_.all().within(rows_.column(one));
        for (int other = 0; other <= one; ++other) {
            const size_t place = pair(one, other), mirrored = pair(other, one);
            negative_pairs_[place] = negative_pairs_[mirrored] = weight_within(having.negative, rows_.column(other));
            positive_pairs_[place] = positive_pairs_[mirrored] = weight_within(having.positive, rows_.column(other));
        }
    }
}

Value ProofChecker::value(const Costs &costs, const std::vector<int> &set) const {
    Cover cover = rows_.all();
    Value cost = costs.size(int(set.size()));
    for (const int literal : set) {
        cover = cover.within(rows_.column(literal));
        cost += costs.part(literal);
    }
    return (weight_of(cover.positive) - weight_of(cover.negative)) * unit_ + cost;
}

Verdict ProofChecker::check(const Costs &costs, const std::vector<int> &claimed, const int32_t *proof,
                            size_t length) const {
    Reader reader(proof, length, literals_);
    try {
        Walk(*this, costs, claimed, reader).start();
    } catch (const Rejected &) {
        return Verdict::kRejected;
    } catch (const Unfinished &) {
        return Verdict::kUnfinished;
    }
    return Verdict::kAccepted;
}

}  // namespace oracledp::checking
