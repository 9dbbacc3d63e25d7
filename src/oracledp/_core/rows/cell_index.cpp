// The bits of a row's key that tell the columns, two small tables that turn them into the number of a cell.
#include "rows/cell_index.hpp"

#include <algorithm>

#include "rows/extract_bits.hpp"

namespace oracledp {
namespace {

// Which bits of a key matter, and what they say about the columns: low[bits 0..7] ^ high[bits 8..15].
struct CellMap {
    std::vector<Word> masks;
    std::vector<int> offsets;
    uint32_t low[256], high[256];

    CellMap(const RowTable &table, const int *columns, int count)
        : masks(table.key_words, 0), offsets(table.key_words, 0) {
        for (int i = 0; i < count; ++i) {
            const int place = table.sources[columns[i]].place;
            masks[place >> 6] |= Word{1} << (place & 63);
        }
        int kept = 0;
        for (int part = 0; part < table.key_words; ++part) {
            offsets[part] = kept;
            kept += __builtin_popcountll(masks[part]);
        }
        uint32_t without = 0,
                 flips[16] = {};  // the columns that a row has without any of the bits; what each bit changes
        for (int i = 0; i < count; ++i) {
            const KeyBit source = table.sources[columns[i]];
            const Word before = masks[source.place >> 6] & ((Word{1} << (source.place & 63)) - 1);
            flips[offsets[source.place >> 6] + __builtin_popcountll(before)] |= uint32_t{1} << i;
            if (source.negated) without |= uint32_t{1} << i;
        }
        tabulate(low, flips, std::min(kept, 8), without);
        tabulate(high, flips + 8, std::max(kept - 8, 0), 0);
    }
    static void tabulate(uint32_t *table, const uint32_t *flips, int bits, uint32_t start) {
        table[0] = start;
        for (int bit = 0; bit < bits; ++bit)
            for (size_t i = 0; i < size_t{1} << bit; ++i) table[(size_t{1} << bit) + i] = table[i] ^ flips[bit];
    }
};

template <class Extract, bool OneWord, class Number>
ODP_INLINE size_t add_rows(const RowTable &table, const Word *cover, const CellMap &map, Number *cells) {
    const size_t words = table.words();
    const Word *keys = table.keys.data();
    const int64_t *weights = table.weights.data();
    const Word mask = map.masks[0];
    size_t rows = 0;
    for (size_t word = 0; word < words; ++word) {
        rows += size_t(__builtin_popcountll(cover[word]));
        for (Word rest = cover[word]; rest; rest &= rest - 1) {
            const size_t row = 64 * word + __builtin_ctzll(rest);
            Word bits = 0;
            if (OneWord) bits = Extract::run(keys[row], mask);
            else
                for (int part = 0; part < table.key_words; ++part)
                    if (map.masks[part])
                        bits |= Extract::run(keys[row * table.key_words + part], map.masks[part]) << map.offsets[part];
            cells[map.low[bits & 255] ^ map.high[bits >> 8]] += Number(weights[row]);
        }
    }
    return rows;
}
template <class Extract, class Number>
ODP_INLINE size_t add_with(const RowTable &table, const Word *cover, const CellMap &map, Number *cells) {
    return table.key_words == 1 ? add_rows<Extract, true>(table, cover, map, cells)
                                : add_rows<Extract, false>(table, cover, map, cells);
}

#ifdef ODP_PEXT
template <class Number>
__attribute__((target("bmi,bmi2,popcnt"))) size_t add_fast(const RowTable &table, const Word *cover, const CellMap &map,
                                                           Number *cells) {
    return add_with<FastExtract>(table, cover, map, cells);
}
#endif

template <class Number>
size_t add(const RowTable &table, const Word *cover, const int *columns, int count, Number *cells) {
    const CellMap map(table, columns, count);
#ifdef ODP_PEXT
    static const bool fast = has_fast_extract();
    if (fast) return add_fast(table, cover, map, cells);
#endif
    return add_with<PortableExtract>(table, cover, map, cells);
}

}  // namespace

size_t add_to_cells(const RowTable &table, const Word *cover, const int *columns, int count, int16_t *cells) {
    return add(table, cover, columns, count, cells);
}
size_t add_to_cells(const RowTable &table, const Word *cover, const int *columns, int count, int32_t *cells) {
    return add(table, cover, columns, count, cells);
}
size_t add_to_cells(const RowTable &table, const Word *cover, const int *columns, int count, int64_t *cells) {
    return add(table, cover, columns, count, cells);
}

}  // namespace oracledp
