// How fast the inner loop of the search over conjunctions reads its columns, beside a plain read of the same bits.
// bandwidth.py compiles it and keeps what it finds.
#include <time.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "rows/cover_sums.hpp"
#include "rows/row_merger.hpp"

using namespace oracledp;

constexpr int kColumns = 100;

double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// CPU seconds of the fastest of some calls.
template <class Call> double fastest(int calls, Call call) {
    double best = 1e9;
    for (int i = 0; i < calls; ++i) {
        const double start = cpu_seconds();
        call();
        best = std::min(best, cpu_seconds() - start);
    }
    return best;
}

RowTable random_table(int rows) {
    std::mt19937_64 random(1);
    KeyedRows keyed;
    keyed.key_words = 2;
    for (int i = 0; i < rows; ++i) {
        keyed.keys.push_back(random());
        keyed.keys.push_back(random() & ((Word{1} << (kColumns - 64)) - 1));
        keyed.weights.push_back(i % 2 ? 1 : -1);
    }
    RowTable table;
    std::vector<int> columns(kColumns);
    std::iota(columns.begin(), columns.end(), 0);
    std::vector<KeyBit> sources;
    for (const int column : columns) sources.push_back({column, false});
    build_table(table, columns, sources, keyed);
    return table;
}

__attribute__((target_clones("avx512f", "avx2", "default"))) Word read_all(const Word *words, size_t count) {
    Word folded = 0;
    for (size_t i = 0; i < count; ++i) folded ^= words[i];
    return folded;
}

// Megabytes of the table, GB/s of the inner loop and of a plain read, nanoseconds per row to merge on 20 columns.
extern "C" void bandwidth(int rows, double *out) {
    const RowTable table = random_table(rows);
    const int calls = rows >= 400000 ? 30 : 3000;
    const double bytes = 8.0 * double(table.bits.size());
    Terms terms;
    std::vector<int64_t> sums(kColumns);
    const double loop = fastest(calls, [&] {
        for (const Side side : {kNegative, kPositive}) {
            terms.cut(table, table.valid.data(), side);
            column_sums(table, terms, table.literals.data(), kColumns, sums.data());
        }
    });
    volatile Word kept = 0;
    const double read = fastest(calls, [&] { kept = read_all(table.bits.data(), table.bits.size()); });
    RowMerger merger;
    const std::vector<int> few(table.literals.begin(), table.literals.begin() + 20);
    const double merge = fastest(10, [&] { merger.merge(table, table.valid.data(), few); });
    out[0] = bytes / 1e6;
    out[1] = bytes / loop / 1e9;
    out[2] = bytes / read / 1e9;
    out[3] = merge / rows * 1e9;
}
