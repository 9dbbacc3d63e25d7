// Frontiers of subset trees: what the exponential mechanism is sampled from without enumeration (Theorem 4).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace forest {

using Wide = unsigned __int128;
using std::size_t;

// One branch of a class of conjunctions: bit columns over records, and weights cut into bit slices so that a
// weighted sum over a cover is a few popcounts. Records with negative weight come first.
struct Branch {
    int literals = 0;
    int width = 0;
    int64_t constant = 0;
    size_t words = 0;       // 64-bit words per column
    size_t negative = 0;    // the first words, which hold the records of negative weight
    std::vector<uint64_t> columns;              // literals × words
    std::vector<std::vector<uint64_t>> slices;  // slice k: which records have bit k in |weight|
    std::vector<std::vector<uint64_t>> counts;  // counts[free][width]: subsets of `free` literals of at most `width`
};

struct Node {
    std::vector<int16_t> included;  // literals in increasing order
    int32_t branch = 0;
    bool leaf = false;
    int64_t bound = 0;       // a lower bound on every leaf below; the value itself at a leaf
    uint64_t leaves = 1;     // how many
    uint64_t height = 0;     // an upper bound on 2^63 e^{-rate (bound - origin)}, never above the parent's
    Wide weight() const { return static_cast<Wide>(leaves) * height; }
};

class Forest {
public:
    void add(Branch branch);
    // Expand the heaviest inner nodes until leaves hold at least half of the weight; then fix the origin.
    void prepare(const std::vector<uint64_t> &powers, double rate);
    Wide total() const;
    size_t size() const { return frontier.size(); }
    uint64_t work() const { return expanded; }
    int64_t origin() const { return start; }
    // The node that a number below total() falls on.
    size_t pick(Wide number) const;
    const Node &at(size_t index) const { return frontier[index]; }
    // Replace a node by its children; the child that a number below its weight falls on, or -1 to reject.
    int64_t descend(size_t index, Wide number);

private:
    std::vector<Node> children(const Node &node);
    uint64_t height(int64_t bound) const;
    std::vector<Branch> branches;
    std::vector<Node> frontier;
    std::vector<uint64_t> powers;  // 2^63 e^{-rate 2^j}, rounded up
    int64_t start = 0;
    uint64_t expanded = 0;
    bool ready = false;
};

}  // namespace forest
