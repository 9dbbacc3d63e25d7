// A node is a prefix: the records that it leaves, and the positions still to fill. What prunes
// (proofs/engine-cells.md):
//   bound     records left cost at least the sum of their negative weights;
//   support   where all rules cost the same, one that is right about too little would better be skipped;
//   merging   records that no rule still worth its cost tells apart count with their net weight, so bounds rise;
//   look-ahead  a child's value without further rules is known from its parent's counts, and so is its bound;
//   memory    prefixes that leave the same records at the same position are gone through once.
#include "lists/prefix_search.hpp"

#include <algorithm>
#include <memory>

#include "lists/prefix_costs.hpp"
#include "lists/prefix_memory.hpp"
#include "lists/prefix_node.hpp"
#include "trees/broken_tree.hpp"

namespace oracledp {
namespace {

using namespace prefixes;

constexpr size_t kMemoryWords = size_t{1} << 27;  // a gigabyte, after which nothing new is kept
constexpr size_t kWorthMerging = 5;               // children that share what merging costs

class Search {
  public:
    Search(const ListRows &rows, const ListParts &parts, WorkMeter &meter)
        : rows_(rows), parts_(parts), costs_(parts), meter_(meter), unit_(rows.unit()),
          memory_(rows.key_words(), kMemoryWords / size_t(rows.key_words() + 4)), levels_(size_t(parts.length) + 2) {
        for (auto &level : levels_) level = std::make_unique<Level>();
    }

    BestList run() {
        const Value value = least(start(), kInfinite - 1);
        return {value, read(value)};
    }

  private:
    const ListRows &rows_;
    const ListParts &parts_;
    const PrefixCosts costs_;
    WorkMeter &meter_;
    const Value unit_;
    PrefixMemory memory_;
    std::vector<std::unique_ptr<Level>> levels_;

    Level &at(int position) { return *levels_[size_t(position)]; }

    Node start() {
        Level &level = at(0);
        level.cover = rows_.table().valid;
        level.key.assign(size_t(rows_.key_words()), 0);
        return {&rows_.table(), totals(rows_.table(), level), 0};
    }

    Sides totals(const RowTable &table, Level &level) {
        for (const Side side : {kNegative, kPositive}) level.terms[side].cut(table, level.cover.data(), side);
        return {level.terms[kNegative].total() * unit_, level.terms[kPositive].total() * unit_};
    }

    // The least value of the positions to come, if it is at most `limit`; else some lower bound on it above the limit.
    Value least(const Node &node, Value limit) {
        Value best = costs_.closed(node.position, node.left.weight());
        if (node.position == parts_.length) return best;
        const Value floor = floor_of(node.position, node.left);
        if (floor >= best || floor > limit) return std::min(best, floor);
        const std::vector<Word> &key = at(node.position).key;
        if (const KnownRest *known = memory_.find(key.data(), node.position))
            if (known->exact || known->floor > limit) return known->floor;
        best = explore(node, best, limit);
        memory_.learn(key.data(), node.position, {best, best <= limit});
        return best;
    }

    // No list that has a rule at this position is below it; where costs are not uniform, no list at all.
    Value floor_of(int position, const Sides &left) const {
        return (costs_.uniform() ? costs_.from_rule(position) : costs_.from(position)) - left.negative;
    }

    Value explore(Node node, Value best, Value limit) {
        Level &level = at(node.position);
        Value missed = kInfinite;  // the least bound among what was left out
        best = count(node, best);
        missed = prune(level, std::min(best, limit + 1), missed);
        if (level.options.size() >= kWorthMerging && merge(node)) {
            best = count(node, best);
            missed = prune(level, std::min(best, limit + 1), missed);
        }
        if (!costs_.uniform()) best = std::min(best, pass(node, std::min(best, limit + 1)));
        for (size_t i = 0; i < level.options.size(); ++i) {
            const Option option = level.options[i];
            const Value most = std::min(best, limit + 1) - 1;
            if (option.floor > most) {
                missed = std::min(missed, option.floor);
                continue;
            }
            take(node, option);
            best =
                std::min(best, option.paid + least({node.table, option.left, node.position + 1}, most - option.paid));
        }
        return best <= limit ? best : std::min(best, missed);
    }

    void take(const Node &node, const Option &option) {
        Level &from = at(node.position), &to = at(node.position + 1);
        const Word *column = node.table->column(option.column),
                   *within = rows_.within(node.table->literals[size_t(option.column)]);
        to.cover.resize(node.table->words());
        for (size_t i = 0; i < to.cover.size(); ++i) to.cover[i] = from.cover[i] & ~column[i];
        to.key.resize(from.key.size());
        for (size_t i = 0; i < to.key.size(); ++i) to.key[i] = from.key[i] | within[i];
    }

    // The options of a node in level.options, and the least value that is known with them.
    Value count(const Node &node, Value best) {
        Level &level = at(node.position);
        const RowTable &table = *node.table;
        level.options.clear();
        add_up(node);
        for (int column = 0; column < table.columns(); ++column) {
            const Sides taken = level.taken[size_t(column)];
            if (taken.negative == 0 && taken.positive == 0) continue;
            const Option option = option_of(node, column, taken);
            if (!supported(option.label, taken)) continue;
            best = std::min(best, option.closed);
            level.options.push_back(option);
        }
        return best;
    }

    // What each column takes; of two that are equal or opposite only one is counted.
    void add_up(const Node &node) {
        Level &level = at(node.position);
        const RowTable &table = *node.table;
        level.counted.clear();
        level.place.assign(size_t(table.key_words) * 64, -1);
        for (int column = 0; column < table.columns(); ++column) {
            int &place = level.place[size_t(table.sources[size_t(column)].place)];
            if (place < 0) {
                place = int(level.counted.size());
                level.counted.push_back(column);
            }
        }
        for (const Side side : {kNegative, kPositive}) {
            level.terms[side].cut(table, level.cover.data(), side);
            level.sums[side].resize(level.counted.size());
            column_sums(table, level.terms[side], level.counted.data(), int(level.counted.size()),
                        level.sums[side].data());
        }
        meter_.spend(int64_t(level.terms[0].size + level.terms[1].size + 1) * int64_t(level.counted.size() + 1));
        level.taken.resize(size_t(table.columns()));
        for (int column = 0; column < table.columns(); ++column) {
            const KeyBit bit = table.sources[size_t(column)];
            const size_t place = size_t(level.place[size_t(bit.place)]);
            const Sides taken{level.sums[kNegative][place] * unit_, level.sums[kPositive][place] * unit_};
            const bool same = bit.negated == table.sources[size_t(level.counted[place])].negated;
            level.taken[size_t(column)] = same ? taken : node.left.without(taken);
        }
    }

    Option option_of(const Node &node, int column, const Sides &taken) const {
        const int condition = node.table->literals[size_t(column)], next = node.position + 1;
        const Value zero = parts_.cost(parts_.part(node.position, condition, 0)),
                    one = parts_.cost(parts_.part(node.position, condition, 1)) + taken.weight();
        const Value paid = std::min(zero, one);
        const Sides left = node.left.without(taken);
        return {paid + costs_.closed(next, left.weight()),
                paid + floor_of(next, left),
                paid,
                left,
                column,
                one < zero ? 1 : 0};
    }

    // Where costs are uniform: without the rule, at most what it has right would be lost.
    bool supported(int label, const Sides &taken) const {
        return !costs_.uniform() || (label ? taken.negative : taken.positive) >= costs_.penalty();
    }

    // Leaves out what cannot come below `wanted`.
    Value prune(Level &level, Value wanted, Value missed) const {
        size_t kept = 0;
        for (const Option &option : level.options)
            if (option.floor < wanted) level.options[kept++] = option;
            else missed = std::min(missed, option.floor);
        level.options.resize(kept);
        std::sort(level.options.begin(), level.options.end());
        return missed;
    }

    // The node's records seen through the conditions that may still be worth their cost, where that makes them fewer.
    bool merge(Node &node) {
        Level &level = at(node.position);
        std::vector<int> columns;
        for (int column = 0; column < node.table->columns(); ++column) {
            const Sides taken = level.taken[size_t(column)];
            if (!costs_.uniform() || std::max(taken.negative, taken.positive) >= std::max<Value>(1, costs_.penalty()))
                columns.push_back(column);
        }
        const size_t rows = count_rows(level.cover.data(), node.table->words());
        if (2 * rows > size_t(node.table->rows) && 4 * columns.size() > 3 * size_t(node.table->columns())) return false;
        const KeyedRows &merged = level.merger.merge(*node.table, level.cover.data(), columns);
        std::vector<int> literals;
        for (const int column : columns) literals.push_back(node.table->literals[size_t(column)]);
        build_table(level.own, literals, level.merger.sources(), merged);
        meter_.spend(int64_t(rows));
        level.cover = level.own.valid;
        node.table = &level.own;
        node.left = totals(level.own, level);
        return true;
    }

    // The position is skipped, or its rule takes nothing.
    Value pass(const Node &node, Value wanted) {
        Level &level = at(node.position), &next = at(node.position + 1);
        Value cheapest = parts_.cost(parts_.skip(node.position));
        for (int column = 0; column < node.table->columns(); ++column) {
            const Sides taken = level.taken[size_t(column)];
            if (taken.negative || taken.positive) continue;
            const int condition = node.table->literals[size_t(column)];
            for (int label = 0; label < 2; ++label)
                cheapest = std::min(cheapest, parts_.cost(parts_.part(node.position, condition, label)));
        }
        next.cover = level.cover;
        next.key = level.key;
        return cheapest + least({node.table, node.left, node.position + 1}, wanted - 1 - cheapest);
    }

    // From the front: at each position the first part with which the least value is still reached.
    std::vector<int> read(Value value) {
        std::vector<int> chosen;
        Node node = start();
        for (; node.position < parts_.length; ++node.position) {
            const int part = first_part(node, value);
            value -= parts_.cost(part);
            chosen.push_back(part);
        }
        const int label = parts_.cost(parts_.fallback(0)) == value ? 0 : 1;
        require(parts_.cost(parts_.fallback(label)) + label * node.left.weight() == value);
        chosen.push_back(parts_.fallback(label));
        return chosen;
    }

    // Takes off the value what the rule's records weigh, and leaves the part's cost to the caller.
    int first_part(Node &node, Value &value) {
        Level &level = at(node.position), &next = at(node.position + 1);
        const std::vector<Word> cover = level.cover, key = level.key;
        const RowTable &table = *node.table;
        for (int column = 0; column < table.columns(); ++column) {
            level.cover = cover;
            level.key = key;
            const Sides taken = taken_from(node, column);
            const Option option = option_of(node, column, taken);
            if (!supported(option.label, taken) ||
                option.paid + costs_.from(node.position + 1) - option.left.negative > value)
                continue;
            take(node, option);
            const std::vector<Word> cover_after = next.cover, key_after = next.key;
            if (option.paid + least({&table, option.left, node.position + 1}, value - option.paid) != value) continue;
            next.cover = cover_after;
            next.key = key_after;
            node.left = option.left;
            value -= option.label ? taken.weight() : 0;
            return parts_.part(node.position, table.literals[size_t(column)], option.label);
        }
        next.cover = cover;
        next.key = key;
        return parts_.skip(node.position);
    }

    Sides taken_from(const Node &node, int column) {
        Level &level = at(node.position);
        std::vector<Word> taken(level.cover.size());
        intersect(taken.data(), level.cover.data(), node.table->column(column), taken.size());
        Sides found{};
        level.terms[0].cut(*node.table, taken.data(), kNegative);
        found.negative = level.terms[0].total() * unit_;
        level.terms[0].cut(*node.table, taken.data(), kPositive);
        found.positive = level.terms[0].total() * unit_;
        return found;
    }
};

}  // namespace

BestList search_prefixes(const ListRows &rows, const ListParts &parts, WorkMeter &meter) {
    return Search(rows, parts, meter).run();
}

}  // namespace oracledp
