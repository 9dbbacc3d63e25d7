// Building row tables: ordering rows by weight, transposing keys into columns.
#include "row_table.hpp"
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include "module.hpp"

namespace oracledp {
namespace {

typedef Word Lanes __attribute__((vector_size(64), aligned(8)));

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
    const Lanes half[3] = {{4, 5, 6, 7, 0, 1, 2, 3}, {2, 3, 0, 1, 6, 7, 4, 5}, {1, 0, 3, 2, 5, 4, 7, 6}};
    const Word low[3] = {0x0F0F0F0F0F0F0F0Full, 0x3333333333333333ull, 0x5555555555555555ull};
    for (int round = 0; round < 3; ++round) {
        const int bits = 4 >> round;
        Lanes keep;
        for (int lane = 0; lane < 8; ++lane) keep[lane] = (lane & bits) ? ~low[round] : low[round];
        for (int i = 0; i < 8; ++i) {
            const Lanes partner = __builtin_shuffle(row[i], half[round]);
            const Lanes upper = (partner << bits) & ~keep, lower = (partner >> bits) & ~keep;
            Lanes first;
            for (int lane = 0; lane < 8; ++lane) first[lane] = (lane & bits) ? 0 : ~Word{0};
            row[i] = (row[i] & keep) | (upper & first) | (lower & ~first);
        }
    }
    for (int i = 0; i < 8; ++i) *reinterpret_cast<Lanes *>(matrix + 8 * i) = row[i];
}

int weight_class(std::int64_t weight) { return bit_length(Word(std::llabs(weight))); }

// Places the rows: by side, then by the bit length of the weight, longest first.
void place_rows(RowTable &table, const KeyedRows &rows, int (&count)[2][65]) {
    std::fill(&count[0][0], &count[0][0] + 2 * 65, 0);
    for (const std::int64_t weight : rows.weights)
        if (weight) ++count[weight > 0][weight_class(weight)];
    int next[2][65], total[2] = {0, 0};
    for (int side = 0; side < 2; ++side)
        for (int length = 64; length > 0; --length) {
            next[side][length] = total[side];
            total[side] += count[side][length];
        }
    table.negative_blocks = (total[0] + BLOCK_ROWS - 1) / BLOCK_ROWS;
    table.blocks = table.negative_blocks + (total[1] + BLOCK_ROWS - 1) / BLOCK_ROWS;
    table.rows = total[0] + total[1];
    const std::size_t places = std::size_t(table.blocks) * BLOCK_ROWS, offset = std::size_t(table.negative_blocks) * BLOCK_ROWS;
    table.keys.assign(places * table.key_words, 0);
    table.weights.assign(places, 0);
    table.valid.assign(table.words(), 0);
    for (std::size_t i = 0; i < rows.weights.size(); ++i) {
        const std::int64_t weight = rows.weights[i];
        if (!weight) continue;
        const std::size_t place = next[weight > 0][weight_class(weight)]++ + (weight > 0 ? offset : 0);
        table.weights[place] = weight;
        table.valid[place >> 6] |= Word{1} << (place & 63);
        std::copy_n(&rows.keys[i * table.key_words], table.key_words, &table.keys[place * table.key_words]);
    }
}

void fill_columns(RowTable &table) {
    const std::size_t words = table.words();
    table.bits.resize(words * table.columns());
    Word matrix[64];
    for (int part = 0; part < table.key_words; ++part) {
        const int first = 64 * part, last = std::min(first + 64, table.columns());
        for (std::size_t word = 0; word < words; ++word) {
            for (int i = 0; i < 64; ++i) matrix[i] = table.keys[(64 * word + i) * table.key_words + part];
            transpose(matrix);
            for (int column = first; column < last; ++column) table.bits[words * column + word] = matrix[column - first];
        }
    }
}

void fill_planes(RowTable &table, const int (&count)[2][65]) {
    for (int side = 0; side < 2; ++side) {
        const std::size_t offset = side ? std::size_t(table.negative_blocks) * BLOCK_ROWS : 0;
        int longest = 64;
        while (longest > 0 && !count[side][longest]) --longest;
        table.planes[side].resize(longest);
        int reach = 0;
        for (int shift = longest - 1; shift >= 0; --shift) {
            reach += count[side][shift + 1];
            auto &plane = table.planes[side][shift];
            plane.assign(std::size_t((reach + BLOCK_ROWS - 1) / BLOCK_ROWS) * BLOCK_WORDS, 0);
            for (int i = 0; i < reach; ++i)
                plane[i >> 6] |= (Word(std::llabs(table.weights[offset + i])) >> shift & 1) << (i & 63);
        }
    }
}

} // namespace

PackedRows pack_rows(const std::uint8_t *records, const std::int64_t *weights, std::size_t count, const std::vector<int> &order) {
    PackedRows packed;
    KeyedRows &rows = packed.rows;
    std::int64_t common = 0;
    for (std::size_t i = 0; i < count; ++i) common = std::gcd(common, weights[i]);
    packed.unit = std::max<std::int64_t>(1, common);
    rows.key_words = int(std::max<std::size_t>(1, (order.size() + 63) / 64));
    rows.keys.assign(count * rows.key_words, 0);
    for (std::size_t i = 0; i < count; ++i, records += order.size()) {
        rows.weights.push_back(weights[i] / packed.unit);
        for (std::size_t j = 0; j < order.size(); ++j)
            rows.keys[i * rows.key_words + j / 64] |= Word(records[order[j]] != 0) << (j % 64);
    }
    return packed;
}

void build_table(RowTable &table, const std::vector<int> &literals, const KeyedRows &rows) {
    int count[2][65];
    table.literals = literals;
    table.key_words = rows.key_words;
    place_rows(table, rows, count);
    fill_columns(table);
    fill_planes(table, count);
}

} // namespace oracledp
