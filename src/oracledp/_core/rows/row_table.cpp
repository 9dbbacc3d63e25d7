// Building row tables: ordering rows by weight, transposing keys into columns.
#include "rows/row_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

#include "simd.hpp"

namespace oracledp {
namespace {

// Transposes a 64 × 64 matrix of bits in place: six rounds that exchange ever smaller blocks.
ODP_SIMD void transpose(Word *matrix) {
    Lanes row[8];
    for (int i = 0; i < 8; ++i) row[i] = *reinterpret_cast<const Lanes *>(matrix + 8 * i);
    const Word masks[3] = {0x00000000FFFFFFFFull, 0x0000FFFF0000FFFFull, 0x00FF00FF00FF00FFull};
    for (int round = 0; round < 3; ++round) {
        const int apart = 4 >> round, bits = 32 >> round;
        for (int i = 0; i < 8; ++i) {
            if (i & apart) continue;
            const Lanes swap = ((row[i] >> bits) ^ row[i + apart]) & masks[round];
            row[i] ^= swap << bits;
            row[i + apart] ^= swap;
        }
    }
    const Word low[3] = {0x0F0F0F0F0F0F0F0Full, 0x3333333333333333ull, 0x5555555555555555ull};
    for (int round = 0; round < 3; ++round) {
        const int bits = 4 >> round;
        Lanes keep;
        for (int lane = 0; lane < 8; ++lane) keep[lane] = (lane & bits) ? ~low[round] : low[round];
        for (int i = 0; i < 8; ++i) {
            Lanes partner;
            exchange(row[i], bits, partner);
            const Lanes upper = (partner << bits) & ~keep, lower = (partner >> bits) & ~keep;
            Lanes first;
            for (int lane = 0; lane < 8; ++lane) first[lane] = (lane & bits) ? 0 : ~Word{0};
            row[i] = (row[i] & keep) | (upper & first) | (lower & ~first);
        }
    }
    for (int i = 0; i < 8; ++i) *reinterpret_cast<Lanes *>(matrix + 8 * i) = row[i];
}

int weight_class(int64_t weight) { return bit_length(Word(std::llabs(weight))); }

// Places the rows: by side, then by the bit length of the weight, longest first.
void place_rows(RowTable &table, const KeyedRows &rows, int (&count)[2][65]) {
    std::fill(&count[0][0], &count[0][0] + 2 * 65, 0);
    for (const int64_t weight : rows.weights)
        if (weight) ++count[weight > 0][weight_class(weight)];
    int next[2][65], total[2] = {0, 0};
    for (int side = 0; side < 2; ++side)
        for (int length = 64; length > 0; --length) {
            next[side][length] = total[side];
            total[side] += count[side][length];
        }
    table.negative_blocks = (total[0] + kBlockRows - 1) / kBlockRows;
    table.blocks = table.negative_blocks + (total[1] + kBlockRows - 1) / kBlockRows;
    table.rows = total[0] + total[1];
    const size_t places = size_t(table.blocks) * kBlockRows, offset = size_t(table.negative_blocks) * kBlockRows;
    table.keys.resize(places * table.key_words);  // what is not valid is never looked at
    table.weights.resize(places);
    table.valid.assign(table.words(), 0);
    for (size_t i = 0; i < rows.weights.size(); ++i) {
        const int64_t weight = rows.weights[i];
        if (!weight) continue;
        const size_t place = next[weight > 0][weight_class(weight)]++ + (weight > 0 ? offset : 0);
        table.weights[place] = weight;
        table.valid[place >> 6] |= Word{1} << (place & 63);
        std::copy_n(&rows.keys[i * table.key_words], table.key_words, &table.keys[place * table.key_words]);
    }
}

void fill_columns(RowTable &table) {
    const size_t words = table.words();
    const int columns = table.columns();
    table.bits.assign(words * columns, 0);
    Word matrix[64];
    for (size_t word = 0; word < words; ++word) {
        const Word valid = table.valid[word];
        if (!valid) continue;
        for (int part = 0; part < table.key_words; ++part) {
            for (int i = 0; i < 64; ++i) matrix[i] = table.keys[(64 * word + i) * table.key_words + part];
            transpose(matrix);
            for (int column = 0; column < columns; ++column) {
                const KeyBit source = table.sources[column];
                if (source.place >> 6 != part) continue;
                const Word rows = matrix[source.place & 63];
                table.bits[words * column + word] = (source.negated ? ~rows : rows) & valid;
            }
        }
    }
}

// One bit of 64 weights as a word.
ODP_SIMD Word plane_word(const int64_t *weights, int shift) {
    Lanes found = {0, 0, 0, 0, 0, 0, 0, 0};
    const Lanes place = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int i = 0; i < 64; i += 8) {
        const Lanes signed_weights = *reinterpret_cast<const Lanes *>(weights + i);
        const Lanes sign = Word(0) - (signed_weights >> 63), absolute = (signed_weights ^ sign) - sign;
        found |= ((absolute >> shift) & 1) << (place + Word(i));
    }
    Word word = 0;
    for (int lane = 0; lane < 8; ++lane) word |= found[lane];
    return word;
}

void fill_planes(RowTable &table, const int (&count)[2][65]) {
    for (int side = 0; side < 2; ++side) {
        const size_t offset = side ? size_t(table.negative_blocks) * kBlockRows : 0;
        int longest = 64;
        while (longest > 0 && !count[side][longest]) --longest;
        table.planes[side].resize(longest);
        int reach = 0;
        for (int shift = longest - 1; shift >= 0; --shift) {
            reach += count[side][shift + 1];
            auto &plane = table.planes[side][shift];
            plane.assign(size_t((reach + kBlockRows - 1) / kBlockRows) * kBlockWords, 0);
            for (int i = 0; i < reach; i += 64)
                plane[i >> 6] = plane_word(&table.weights[offset + i], shift) & table.valid[(offset + i) >> 6];
        }
    }
}

// Adds one record to words that hold one bit of each column.
ODP_SIMD void add_record(const uint8_t *record, int columns, int place, Word *words) {
    for (int j = 0; j < columns; ++j) words[j] |= Word(record[j] != 0) << place;
}

// Columns by content; each is compared in the form in which the first record lacks it.
std::vector<KeyBit> shared_bits(const uint8_t *records, size_t count, const std::vector<int> &order) {
    const size_t columns = order.size();
    std::vector<std::vector<Word>> contents(columns);
    std::vector<Word> words(columns);
    for (size_t i = 0; i < count; i += 64) {
        const int rows = int(std::min<size_t>(64, count - i));
        std::fill(words.begin(), words.end(), 0);
        for (int k = 0; k < rows; ++k) add_record(records + (i + k) * columns, int(columns), k, words.data());
        for (size_t j = 0; j < columns; ++j) {
            const Word flip = records[j] ? ~Word{0} >> (64 - rows) : 0;
            contents[j].push_back(words[j] ^ flip);
        }
    }
    std::map<std::vector<Word>, int> places;
    std::vector<KeyBit> sources;
    for (const int column : order)
        sources.push_back({places.try_emplace(std::move(contents[column]), int(places.size())).first->second,
                           count && records[column]});
    return sources;
}

}  // namespace

PackedRows pack_rows(const uint8_t *records, const int64_t *weights, size_t count, const std::vector<int> &order) {
    if (count > size_t(std::numeric_limits<int32_t>::max() - kBlockRows))
        throw std::length_error("too many distinct records");
    PackedRows packed;
    KeyedRows &rows = packed.rows;
    int64_t common = 0;
    for (size_t i = 0; i < count; ++i) common = std::gcd(common, weights[i]);
    packed.unit = std::max<int64_t>(1, common);
    packed.sources = shared_bits(records, count, order);
    std::vector<std::pair<int, KeyBit>> tellers;  // the first column of each bit
    for (size_t j = 0; j < order.size(); ++j)
        if (packed.sources[j].place == int(tellers.size())) tellers.push_back({order[j], packed.sources[j]});
    rows.key_words = int(std::max<size_t>(1, (tellers.size() + 63) / 64));
    rows.keys.assign(count * rows.key_words, 0);
    for (size_t i = 0; i < count; ++i, records += order.size()) {
        rows.weights.push_back(weights[i] / packed.unit);
        for (const auto &[column, bit] : tellers)
            rows.keys[i * rows.key_words + bit.place / 64] |= Word((records[column] != 0) != bit.negated)
                << (bit.place % 64);
    }
    return packed;
}

void build_table(RowTable &table, const std::vector<int> &literals, const std::vector<KeyBit> &sources,
                 const KeyedRows &rows) {
    int count[2][65];
    table.literals = literals;
    table.sources = sources;
    table.key_words = rows.key_words;
    place_rows(table, rows, count);
    fill_columns(table);
    fill_planes(table, count);
}

}  // namespace oracledp
