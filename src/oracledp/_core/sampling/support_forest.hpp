// The exponential mechanism over queries that read few columns, without enumeration (Theorem 4).
//
// The frontier is all sets of columns: most are only counted, by their cell bound and their number of queries; the
// heaviest are opened, which gives their weight up to rounding. Floating point decides which sets to open first, and
// the law does not depend on that.
#pragma once
#include <functional>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>

#include "sampling/sampled_family.hpp"
#include "trees/support_scan.hpp"

namespace oracledp {

// A trial's first step: into which problem, and as for any step.
struct Entry {
    int tree;
    Step step;
};

class SupportForest {
  public:
    void add(ColumnData &data, std::unique_ptr<SampledFamily> family, int64_t constant);
    // Opens sets, `first` of them and then more, until they hold at least half of the weight; fixes the origin of
    // values. With first = 0 all sets are only counted.
    void prepare(std::vector<uint64_t> powers, double rate, size_t first);
    Wide total() const;
    // The bound on 2^63 e^{-rate distance} that weights are made from.
    uint64_t height(int64_t distance) const { return (*heights_)(distance); }
    // Enters the set that a number below total() falls on.
    Entry enter(Wide number);
    SampledFamily &family() { return *trees_[entered_].family; }
    // Opens more sets, after a rejected trial.
    void refine();
    size_t opened() const { return opened_.size(); }
    // (problem, bound, queries in each, sets) for each kind of sets that are only counted.
    std::vector<std::tuple<int, int64_t, uint64_t, uint64_t>> unopened() const;
    int64_t origin() const { return origin_; }

  private:
    static constexpr size_t kMostOpened = size_t(1) << 21;
    struct Tree {
        ColumnData *data;
        std::unique_ptr<SampledFamily> family;
        int64_t constant;
    };
    struct Opened {
        int tree;
        std::vector<int> set;
        int64_t floor;
        Wide inside;
    };
    struct Kind {  // sets that have not been opened
        int tree;
        int64_t bound;
        uint64_t leaves;
        bool operator==(const Kind &other) const {
            return tree == other.tree && bound == other.bound && leaves == other.leaves;
        }
    };
    struct KindHash {
        size_t operator()(const Kind &kind) const {
            return std::hash<uint64_t>()(uint64_t(kind.bound) * 31 + uint64_t(kind.tree)) ^
                std::hash<uint64_t>()(kind.leaves) * 0x9E3779B97F4A7C15ull;
        }
    };
    std::vector<Tree> trees_;
    std::vector<Opened> opened_;
    std::unordered_map<Kind, uint64_t, KindHash> kinds_;
    std::set<std::pair<int, std::vector<int>>> entered_sets_;  // opened one by one, below the cutoff
    std::unique_ptr<Heights> heights_;
    double rate_ = 0, cutoff_ = 0;
    size_t chunk_ = 0;  // how many sets to open next
    int64_t origin_ = 0;
    int entered_ = 0;

    using Visit = std::function<bool(int tree, const std::vector<int> &set, const Kind &kind)>;
    void each_set(const Visit &visit);
    bool each_set_of(int tree, const Visit &visit);
    double log_weight(const Kind &kind) const;
    double log_unopened() const;
    double log_opened() const;
    void open_chunk();
    void open(int tree, const std::vector<int> &set);
    void keep(int tree, const std::vector<int> &set, const Kind &kind);
    Wide weight(const Opened &opened) const;
    Wide weight(const Kind &kind) const;
    Entry enter_unopened(const Kind &kind, uint64_t index);
};

}  // namespace oracledp
