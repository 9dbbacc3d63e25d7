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

// Columns by content, each in the form in which the first row lacks it: what tells rows apart, and where each column of
// the order is found in it.
class Tellers {
  public:
    Tellers(const BitRows &rows, const std::vector<int> &order)
        : words_(column_words(rows)), length_((rows.count + 63) / 64) {
        const Word last = rows.count % 64 ? (Word{1} << rows.count % 64) - 1 : ~Word{0};
        const auto less = [this](const Word *a, const Word *b) {
            return std::lexicographical_compare(a, a + length_, b, b + length_);
        };
        std::map<const Word *, int, decltype(less)> places(less);
        for (const int column : order) {
            Word *here = words_.data() + length_ * size_t(column);
            const bool negated = rows.count && (here[0] & 1);
            if (negated) {
                for (size_t i = 0; i < length_; ++i) here[i] = ~here[i];
                here[length_ - 1] &= last;
            }
            const auto [known, added] = places.try_emplace(here, int(bits_.size()));
            if (added) bits_.push_back(here);
            sources_.push_back({known->second, negated});
        }
    }

    const std::vector<KeyBit> &sources() const { return sources_; }

    std::vector<Word> keys(size_t count, size_t key_words) const {
        std::vector<Word> keys(count * key_words);
        Word matrix[64];
        for (size_t block = 0; block < length_; ++block)
            for (size_t part = 0; part < key_words; ++part) {
                const size_t held = std::min<size_t>(64, bits_.size() - std::min(bits_.size(), 64 * part));
                for (size_t i = 0; i < 64; ++i) matrix[i] = i < held ? bits_[64 * part + i][block] : 0;
                transpose(matrix);
                const size_t rows = std::min<size_t>(64, count - 64 * block);
                for (size_t i = 0; i < rows; ++i) keys[(64 * block + i) * key_words + part] = matrix[i];
            }
        return keys;
    }

  private:
    std::vector<Word> words_;
    size_t length_;
    std::vector<const Word *> bits_;
    std::vector<KeyBit> sources_;
};

}  // namespace

PackedRows pack_rows(const BitRows &given, const int64_t *weights, const std::vector<int> &order) {
    if (given.count > size_t(std::numeric_limits<int32_t>::max() - kBlockRows))
        throw std::length_error("too many distinct records");
    int64_t common = 0;
    for (size_t i = 0; i < given.count; ++i) common = std::gcd(common, weights[i]);
    PackedRows packed;
    packed.unit = std::max<int64_t>(1, common);
    const Tellers tellers(given, order);
    packed.sources = tellers.sources();
    int bits = 0;
    for (const KeyBit &source : packed.sources) bits = std::max(bits, source.place + 1);
    packed.rows.key_words = std::max(1, (bits + 63) / 64);
    packed.rows.keys = tellers.keys(given.count, size_t(packed.rows.key_words));
    packed.rows.weights.resize(given.count);
    for (size_t i = 0; i < given.count; ++i) packed.rows.weights[i] = weights[i] / packed.unit;
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
