// Walks through every tree that prunes or samples, to the end. test_broken_trees.py compiles it beside the sources of
// the core as they are, where it must end in silence, and beside sources with one bound or count made wrong, where it
// must throw.
#include <iostream>
#include <random>
#include <string>

#include "halfspaces/halfspace_sampler.hpp"
#include "lists/list_sampler.hpp"
#include "parities/parity_forest.hpp"
#include "sampling/support_forest.hpp"
#include "subsets/subset_forest.hpp"
#include "trees/score_tree.hpp"

using namespace oracledp;

namespace {

constexpr int kColumns = 5;
std::mt19937_64 generator(7);

Wide below(Wide total) { return (Wide(generator()) << 64 | generator()) % total; }

std::vector<Word> random_records(std::vector<int64_t> &weights) {
    std::vector<Word> records;
    for (int record = 0; record < 1 << kColumns; ++record) {
        records.push_back(reversed(Word(record)));
        weights.push_back(int64_t(generator() % 19) - 9);
    }
    return records;
}

PackedRows random_rows() {
    std::vector<int64_t> weights;
    const std::vector<Word> records = random_records(weights);
    return pack_rows({records.data(), records.size(), kColumns}, weights.data(), {0, 1, 2, 3, 4});
}

ColumnData *random_columns() {
    std::vector<int64_t> weights;
    const std::vector<Word> records = random_records(weights);
    return new ColumnData(SparseRecords({records.data(), records.size(), kColumns}, weights.data()), kColumns);
}

// A rate next to nothing: all is reached.
std::vector<uint64_t> powers() { return std::vector<uint64_t>(63, kOne); }

void subsets() {
    std::vector<int64_t> weights;
    const std::vector<Word> records = random_records(weights);
    Branch branch({records.data(), records.size(), kColumns}, weights.data());
    branch.width = 3;
    branch.counts = {{1, 1, 1, 1}, {1, 2, 2, 2}, {1, 3, 4, 4}, {1, 4, 7, 8}, {1, 5, 11, 15}, {1, 6, 16, 26}};
    SubsetForest forest;
    forest.add(std::move(branch));
    forest.prepare(powers(), 1e-9);
    for (size_t i = 0; i < forest.size(); ++i)
        if (!forest.at(i).leaf) forest.descend(i, 0);
}

void supports(SupportForest &forest, bool counted) {
    forest.prepare(powers(), 1e-9, counted ? 0 : 8);
    for (int trial = 0; trial < 300; ++trial) {
        Wide inside = forest.enter(below(forest.total())).step.inside;
        while (!forest.family().done()) inside = forest.family().step(below(inside)).inside;
        if (!counted) forest.refine();
    }
}

void lists() {
    for (const bool counted : {false, true}) {
        std::vector<std::vector<ListLiteral>> tests;
        for (int test = 0; test < 2 * kColumns; ++test) tests.push_back({{test / 2, test % 2}});
        const std::vector<int64_t> free(3 * (2 * tests.size() + 1) + 2, 0);
        SupportForest forest;
        forest.add(*random_columns(), std::make_unique<ListSampler>(ListProblem(3, kColumns, tests, free.data())), 4);
        supports(forest, counted);
    }
}

void halfspaces() {
    for (const bool counted : {false, true}) {
        SupportForest forest;
        const std::vector<int> weights{-1, 1}, flipped(kColumns, 0);
        const std::vector<int64_t> thresholds{0, 1};
        auto family = std::make_unique<HalfspaceSampler>(weights, thresholds, 2, true, flipped);
        forest.add(*random_columns(), std::move(family), 4);
        supports(forest, counted);
    }
}

void parities() {
    const ParitySums sums(random_rows(), kColumns, 2, true);
    ParityForest forest;
    forest.add(sums, 4);
    forest.prepare(powers());
    for (int trial = 0; trial < 300; ++trial) {
        forest.enter(below(forest.total()));
        forest.parts();
    }
}

// Weights that one halfspace tells apart without an error: on the way to it every bound is the value itself.
void scores() {
    for (int round = 0; round < 10; ++round) {
        constexpr int count = 10;
        ScoreProblem problem;
        problem.columns.assign(count, {{-1, 0, true}, {0, 0, false}, {1, 0, true}});
        problem.budget = count;
        problem.prepare();
        const uint64_t plus = generator() % (1 << count), minus = generator() % (1 << count) & ~plus;
        std::vector<Pattern> patterns;
        for (uint64_t bits = 0; bits < 1 << count; ++bits) {
            const bool holds = __builtin_popcountll(bits & plus) > __builtin_popcountll(bits & minus);
            patterns.push_back({bits, holds ? -2 : 3});
        }
        patterns = in_merging_order(std::move(patterns));
        WorkMeter meter(INT64_MAX);
        BestScore best{INT64_MAX - 1, {}, false};
        ScoreTree(problem, patterns, meter).search(1, 0, best);
    }
}

}  // namespace

int main(int, char **arguments) {
    const std::string tree = arguments[1];
    try {
        if (tree == "subsets") subsets();
        else if (tree == "lists") lists();
        else if (tree == "halfspaces") halfspaces();
        else if (tree == "parities") parities();
        else if (tree == "scores") scores();
        else return 2;
    } catch (const BrokenTree &error) {
        std::cout << error.what() << "\n";
        return 1;
    }
    return 0;
}
