// One pass over the cover with a hash table of the keys seen.
#include "rows/row_merger.hpp"

#include <algorithm>

#include "rows/cover_sums.hpp"
#include "rows/extract_bits.hpp"

namespace oracledp {
namespace {

// Which bits of a key are kept, and where they go.
struct KeyMap {
    int from_words, to_words;
    std::vector<Word> masks;
    std::vector<int> offsets, lengths;

    KeyMap(const RowTable &table, const std::vector<int> &columns)
        : from_words(table.key_words), masks(from_words, 0), offsets(from_words, 0), lengths(from_words, 0) {
        for (const int column : columns)
            masks[table.sources[column].place >> 6] |= Word{1} << (table.sources[column].place & 63);
        int kept = 0;
        for (int part = 0; part < from_words; ++part) {
            offsets[part] = kept;
            kept += lengths[part] = __builtin_popcountll(masks[part]);
        }
        to_words = std::max(1, (kept + 63) / 64);
    }
    KeyBit moved(KeyBit bit) const {
        const int part = bit.place >> 6;
        const Word before = masks[part] & ((Word{1} << (bit.place & 63)) - 1);
        return {offsets[part] + __builtin_popcountll(before), bit.negated};
    }
};

// From and To are the words of a key when they are known at compile time, else 0.
template <class Extract, int From>
ODP_INLINE void map_key(const KeyMap &map, const Word *from, Word *to, int to_words) {
    if (From == 1) {
        *to = Extract::run(*from, map.masks[0]);
        return;
    }
    const int from_words = From ? From : map.from_words;
    std::fill_n(to, to_words, 0);
    for (int part = 0; part < from_words; ++part) {
        if (!map.lengths[part]) continue;
        const Word piece = Extract::run(from[part], map.masks[part]);
        const int word = map.offsets[part] >> 6, place = map.offsets[part] & 63;
        to[word] |= piece << place;
        if (place + map.lengths[part] > 64) to[word + 1] |= piece >> (64 - place);
    }
}

inline Word mix(Word value) {
    value *= 0x9E3779B97F4A7C15ull;
    return value ^ (value >> 32);
}

ODP_INLINE bool same_key(const Word *left, const Word *right, int words) {
    Word difference = left[0] ^ right[0];
    for (int part = 1; part < words; ++part) difference |= left[part] ^ right[part];
    return !difference;
}

// Open addressing without a branch on "seen before?", which no predictor can guess.
template <class Extract, int From, int To>
ODP_INLINE size_t merge_keys(const RowTable &table, const Word *cover, const KeyMap &map, int32_t *slots, size_t last,
                             KeyedRows &merged) {
    const int from_words = From ? From : map.from_words, to_words = To ? To : map.to_words;
    const size_t words = table.words();
    const Word *rows = table.keys.data();
    const int64_t *weights = table.weights.data();
    Word *keys = merged.keys.data();
    int64_t *sums = merged.weights.data();
    size_t count = 0;
    for (size_t word = 0; word < words; ++word)
        for (Word rest = cover[word]; rest; rest &= rest - 1) {
            const size_t row = 64 * word + __builtin_ctzll(rest);
            Word *key = keys + count * to_words;
            map_key<Extract, From>(map, rows + row * from_words, key, to_words);
            Word hash = mix(key[0]);
            for (int part = 1; part < to_words; ++part) hash = mix(hash ^ key[part]);
            size_t slot = hash & last, found;
            for (;; slot = (slot + 1) & last) {
                const int32_t entry = slots[slot];
                found = entry < 0 ? count : size_t(entry);
                if (same_key(key, keys + found * to_words, to_words)) break;
            }
            slots[slot] = int32_t(found);
            sums[found] += weights[row];
            count += found == count;
        }
    return count;
}

template <class Extract>
ODP_INLINE size_t merge_rows(const RowTable &table, const Word *cover, const KeyMap &map, std::vector<int32_t> &slots,
                             KeyedRows &merged) {
    int32_t *first = slots.data();
    const size_t last = slots.size() - 1;
    if (map.from_words == 1) return merge_keys<Extract, 1, 1>(table, cover, map, first, last, merged);
    if (map.from_words == 2 && map.to_words == 1)
        return merge_keys<Extract, 2, 1>(table, cover, map, first, last, merged);
    if (map.from_words == 2) return merge_keys<Extract, 2, 2>(table, cover, map, first, last, merged);
    return merge_keys<Extract, 0, 0>(table, cover, map, first, last, merged);
}

#ifdef ODP_PEXT
__attribute__((target("bmi,bmi2"))) size_t merge_fast(const RowTable &table, const Word *cover, const KeyMap &map,
                                                      std::vector<int32_t> &slots, KeyedRows &merged) {
    return merge_rows<FastExtract>(table, cover, map, slots, merged);
}
#else
const auto merge_fast = merge_rows<PortableExtract>;
#endif

}  // namespace

const KeyedRows &RowMerger::merge(const RowTable &table, const Word *cover, const std::vector<int> &columns) {
    static const bool fast = has_fast_extract();
    const KeyMap map(table, columns);
    const size_t rows = count_rows(cover, table.words());
    size_t capacity = 64;
    while (capacity < 2 * rows) capacity *= 2;
    slots_.assign(capacity, -1);
    merged_.key_words = map.to_words;
    merged_.keys.resize((rows + 1) * map.to_words);
    merged_.weights.assign(rows + 1, 0);
    const size_t count = fast ? merge_fast(table, cover, map, slots_, merged_)
                              : merge_rows<PortableExtract>(table, cover, map, slots_, merged_);
    sources_.clear();
    for (const int column : columns) sources_.push_back(map.moved(table.sources[column]));
    merged_.weights.resize(count);
    merged_.keys.resize(count * map.to_words);
    return merged_;
}

}  // namespace oracledp
