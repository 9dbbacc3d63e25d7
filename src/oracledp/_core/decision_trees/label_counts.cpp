#include "decision_trees/label_counts.hpp"

#include <algorithm>
#include <stdexcept>

#include "simd.hpp"
#include "threads.hpp"

namespace oracledp {
namespace {

constexpr size_t kWorthSharing = 1 << 12;  // sets

// Words of a mask that are not empty, and where they are: deep in a tree most of them are.
struct Kept {
    const Word *words;
    const uint32_t *places;
    size_t count;
};

ODP_POPCOUNT int64_t ones(Kept kept, const Word *column) {
    int64_t found = 0;
    for (size_t i = 0; i < kept.count; ++i) found += __builtin_popcountll(kept.words[i] & column[kept.places[i]]);
    return found;
}

ODP_POPCOUNT int64_t ones_of(const Word *words, size_t count) {
    int64_t found = 0;
    for (size_t i = 0; i < count; ++i) found += __builtin_popcountll(words[i]);
    return found;
}

}  // namespace

LabelledRows::LabelledRows(const BitRows &records, const int64_t *weights, int labels)
    : literals_(records.columns), labels_(labels) {
    const size_t rows = records.count;
    std::vector<std::vector<uint32_t>> members;
    if (rows > UINT32_MAX) throw std::length_error("too many rows");
    for (int label = 0; label < labels; ++label)
        for (int shift = 0; shift < 63; ++shift) {
            std::vector<uint32_t> inside;
            for (size_t row = 0; row < rows; ++row)
                if (weights[row * size_t(labels) + size_t(label)] >> shift & 1) inside.push_back(uint32_t(row));
            if (inside.empty()) continue;
            const size_t length = (inside.size() + 63) / 64;
            planes_.push_back({label, shift, words_, words_ + length});
            words_ += length;
            members.push_back(std::move(inside));
        }
    columns_.assign(words_ * size_t(literals_), 0);
    all_.assign(words_, 0);
    for (size_t p = 0; p < planes_.size(); ++p)
        for (size_t i = 0; i < members[p].size(); ++i) {
            const size_t word = planes_[p].begin + i / 64;
            const Word bit = Word{1} << (i % 64);
            all_[word] |= bit;
            records.each_one(members[p][i], [&](int l) { columns_[size_t(l) * words_ + word] |= bit; });
        }
}

void LabelledRows::count(const Word *mask, int from, int to, int64_t *counts, size_t stride) const {
    const Word *rows = mask ? mask : all_.data();
    std::vector<Word> words;
    std::vector<uint32_t> places;
    std::vector<size_t> ends;
    words.reserve(words_), places.reserve(words_);
    for (const Plane &plane : planes_) {
        for (size_t i = plane.begin; i < plane.end; ++i)
            if (rows[i]) words.push_back(rows[i]), places.push_back(uint32_t(i));
        ends.push_back(words.size());
    }
    for (int label = 0; label < labels_; ++label) std::fill_n(counts + size_t(label) * stride, to - from, 0);
    size_t begin = 0;
    for (size_t p = 0; p < planes_.size(); begin = ends[p++]) {
        if (ends[p] == begin) continue;
        const Kept kept{words.data() + begin, places.data() + begin, ends[p] - begin};
        int64_t *row = counts + size_t(planes_[p].label) * stride;
        for (int l = from; l < to; ++l)
            row[l - from] += ones(kept, columns_.data() + size_t(l) * words_) << planes_[p].shift;
    }
}

void LabelledRows::count(const Word *mask, int64_t *counts) const {
    const Word *rows = mask ? mask : all_.data();
    std::fill_n(counts, labels_, 0);
    for (const Plane &plane : planes_)
        counts[plane.label] += ones_of(rows + plane.begin, plane.end - plane.begin) << plane.shift;
}

void LabelledRows::restrict(Word *mask, int literal, bool held) const {
    const Word *column = columns_.data() + size_t(literal) * words_;
    for (size_t i = 0; i < words_; ++i) mask[i] = held ? mask[i] & column[i] : mask[i] & ~column[i];
}

void LabelledRows::both(const Word *mask, int literal, Word *out) const {
    const Word *column = columns_.data() + size_t(literal) * words_, *rows = mask ? mask : all_.data();
    for (size_t i = 0; i < words_; ++i) out[i] = rows[i] & column[i];
}

const Word *PrefixMasks::of(const int *set, int size) {
    int same = 0;
    while (same < std::min(size, depth_) && known_[same] == set[same]) ++same;
    for (int k = same; k < size; ++k) {
        const Word *below = k ? masks_.data() + size_t(k - 1) * rows_.words() : nullptr;
        rows_.both(below, set[k], masks_.data() + size_t(k) * rows_.words());
        known_[k] = set[k];
    }
    depth_ = size;
    return size ? masks_.data() + size_t(size - 1) * rows_.words() : nullptr;
}

LabelCounts::LabelCounts(const LabelledRows &rows, int most)
    : rows_(rows), most_(most), sets_(rows.literals(), most + 1), counts_(size_t(most) + 1) {
    counts_[0].resize(size_t(rows.labels()));
    rows.count(nullptr, counts_[0].data());
    for (int size = 1; size <= most; ++size) {
        counts_[size].resize(size_t(rows.labels()) * sets_.total(size));
        const size_t shares = sets_.total(size) >= kWorthSharing ? 8 : 1;
        each_share(shares, [&](size_t share) {
            PrefixMasks masks(rows, std::max(most, 1));
            size_t number = 0;
            sets_.each(size - 1, [&](const int *prefix, int last) {
                if (number++ % shares == share && last + 1 < rows.literals())
                    rows.count(masks.of(prefix, size - 1), last + 1, rows.literals(),
                               counts_[size].data() + sets_.first(prefix, size - 1), sets_.total(size));
            });
        });
    }
}

void LabelCounts::cells(int label, const int *set, int size, int64_t *cells) const {
    for (int chosen = 0; chosen < 1 << size; ++chosen) {
        int subset[kMostTests], count = 0;
        for (int i = 0; i < size; ++i)
            if (chosen >> i & 1) subset[count++] = set[i];
        cells[chosen] = at(label, subset, count);
    }
    for (int bit = 0; bit < size; ++bit)
        for (int chosen = 0; chosen < 1 << size; ++chosen)
            if (!(chosen >> bit & 1)) cells[chosen] -= cells[chosen | 1 << bit];
}

}  // namespace oracledp
