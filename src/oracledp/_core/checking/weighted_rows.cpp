// Sums by population counts, and the rows behind them.
#include "checking/weighted_rows.hpp"

#include <algorithm>

#include "simd.hpp"

namespace oracledp::checking {
namespace {

constexpr size_t kBlockRows = 64 * kBlockWords;

Word absolute(Value weight) { return weight < 0 ? Word(-weight) : Word(weight); }

// Transposes 64 words of 64 bits: bit i of word j and bit j of word i are exchanged, block by block, halves first.
void transpose(Word (&square)[64]) {
    Word keep = 0x00000000FFFFFFFFull;
    for (int apart = 32; apart; apart >>= 1, keep ^= keep << apart)
        for (int i = 0; i < 64; i = ((i | apart) + 1) & ~apart) {
            const Word swap = ((square[i] >> apart) ^ square[i | apart]) & keep;
            square[i] ^= swap << apart;
            square[i | apart] ^= swap;
        }
}

// Finds equal rows: a table of places, each empty or the number of a row that is kept, plus one.
class DistinctRows {
  public:
    DistinctRows(int literals, size_t most) : kept(literals) {
        size_t places = 16;
        while (places < 2 * most) places *= 2;
        places_.assign(places, 0);
    }

    void add(const Word *row, Value weight) {
        Word hash = 0;
        for (size_t i = 0; i < kept.row_words; ++i) {
            hash = (hash ^ row[i]) * 0x9E3779B97F4A7C15ull;
            hash ^= hash >> 29;
        }
        size_t place = hash & (places_.size() - 1);
        while (places_[place] && !std::equal(row, row + kept.row_words, kept.row(places_[place] - 1)))
            place = (place + 1) & (places_.size() - 1);
        if (!places_[place]) {
            kept.bits.insert(kept.bits.end(), row, row + kept.row_words);
            kept.weights.push_back(0);
            places_[place] = uint32_t(kept.weights.size());
        }
        kept.weights[places_[place] - 1] += weight;
    }

    RowList kept;

  private:
    std::vector<uint32_t> places_;
};

}  // namespace

ODP_POPCOUNT Value weight_of(const Slices &slices) {
    Word sum = 0;
    for (const Slice &slice : slices) {
        Word count = 0;
        for (const Word word : slice.rows.words) count += Word(__builtin_popcountll(word));
        sum += count << slice.shift;
    }
    return Value(sum);
}

ODP_POPCOUNT Value weight_within(const Slices &slices, const Block *column) {
    Word sum = 0;
    for (const Slice &slice : slices) {
        const Block &held = column[slice.block];
        Word count = 0;
        for (size_t i = 0; i < kBlockWords; ++i)
            count += Word(__builtin_popcountll(slice.rows.words[i] & held.words[i]));
        sum += count << slice.shift;
    }
    return Value(sum);
}

ODP_SIMD Slices within(const Slices &slices, const Block *column) {
    Slices found;
    found.reserve(slices.size());
    for (const Slice &slice : slices) {
        const Block &held = column[slice.block];
        Slice rest = slice;
        Word any = 0;
        for (size_t i = 0; i < kBlockWords; ++i) any |= rest.rows.words[i] &= held.words[i];
        if (any) found.push_back(rest);
    }
    return found;
}

ODP_POPCOUNT std::vector<Value> weights_within_all(const Slices &slices, const std::vector<const Block *> &columns) {
    std::vector<Value> sums(columns.size(), 0);
    for (const Slice &slice : slices) {
        Block rest = slice.rows;
        for (size_t p = 0; p < columns.size(); ++p) {
            const Block &held = columns[p][slice.block];
            Word any = 0, count = 0;
            for (size_t i = 0; i < kBlockWords; ++i) {
                any |= rest.words[i] &= held.words[i];
                count += Word(__builtin_popcountll(rest.words[i]));
            }
            if (!any) break;
            sums[p] += Value(count << slice.shift);
        }
    }
    return sums;
}

WeightedRows::WeightedRows(const RowList &rows) : rows_(rows.literals) {
    place(rows);
    fill_columns();
    fill_slices();
}

// Negative rows first, from the next block on positive ones; of each sign those with the most bits in their weight
// first, so that few blocks have slices of a high shift.
void WeightedRows::place(const RowList &rows) {
    size_t next[2][65] = {};
    for (const Value weight : rows.weights) ++next[weight > 0][bit_length(absolute(weight))];
    size_t begin = 0;
    for (auto &side : next) {
        for (int length = 64; length > 0; --length) {
            const size_t count = side[length];
            side[length] = begin;
            begin += count;
        }
        begin = (begin + kBlockRows - 1) / kBlockRows * kBlockRows;
    }
    blocks_ = begin / kBlockRows;
    rows_.bits.assign(begin * rows.row_words, 0);
    rows_.weights.assign(begin, 0);
    for (size_t i = 0; i < rows.weights.size(); ++i) {
        const Value weight = rows.weights[i];
        if (!weight) continue;
        const size_t place = next[weight > 0][bit_length(absolute(weight))]++;
        rows_.weights[place] = weight;
        std::copy_n(rows.row(i), rows.row_words, rows_.bits.begin() + ptrdiff_t(place * rows.row_words));
    }
}

void WeightedRows::fill_columns() {
    columns_.resize(blocks_ * size_t(rows_.literals));
    Word square[64];
    for (size_t first = 0; first < rows_.weights.size(); first += 64)
        for (size_t part = 0; part < rows_.row_words; ++part) {
            for (size_t i = 0; i < 64; ++i) square[i] = rows_.row(first + i)[part];
            transpose(square);
            const size_t end = std::min<size_t>(64, size_t(rows_.literals) - 64 * part);
            for (size_t j = 0; j < end; ++j)
                columns_[(64 * part + j) * blocks_ + first / kBlockRows].words[first / 64 % kBlockWords] = square[j];
        }
}

void WeightedRows::fill_slices() {
    for (size_t block = 0; block < blocks_; ++block) {
        const Value *weights = &rows_.weights[block * kBlockRows];
        Word some = 0;
        for (size_t i = 0; i < kBlockRows; ++i) some |= absolute(weights[i]);
        for (int shift = 0; shift < bit_length(some); ++shift) {
            Slice slice{shift, uint32_t(block), {}};
            Word any = 0;
            for (size_t i = 0; i < kBlockRows; ++i)
                any |= slice.rows.words[i / 64] |= (absolute(weights[i]) >> shift & 1) << (i % 64);
            if (any) (weights[0] < 0 ? all_.negative : all_.positive).push_back(slice);
        }
    }
}

RowList WeightedRows::merged(const Cover &cover, const std::vector<int> &literals) const {
    std::vector<Word> seen(rows_.row_words, 0), row(rows_.row_words);
    for (const int literal : literals) seen[size_t(literal) / 64] |= Word{1} << (literal % 64);
    std::vector<Block> covered(blocks_, Block{});
    size_t most = 0;
    for (const Slices *slices : {&cover.negative, &cover.positive})
        for (const Slice &slice : *slices)
            for (size_t i = 0; i < kBlockWords; ++i) covered[slice.block].words[i] |= slice.rows.words[i];
    for (const Block &block : covered)
        for (const Word word : block.words) most += size_t(__builtin_popcountll(word));
    DistinctRows distinct(rows_.literals, most);
    for (size_t block = 0; block < blocks_; ++block)
        for (size_t i = 0; i < kBlockWords; ++i)
            for (Word rest = covered[block].words[i]; rest; rest &= rest - 1) {
                const size_t place = block * kBlockRows + 64 * i + size_t(__builtin_ctzll(rest));
                for (size_t k = 0; k < rows_.row_words; ++k) row[k] = rows_.row(place)[k] & seen[k];
                distinct.add(row.data(), rows_.weights[place]);
            }
    return std::move(distinct.kept);
}

}  // namespace oracledp::checking
