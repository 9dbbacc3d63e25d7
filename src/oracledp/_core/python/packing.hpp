// Records of bits: packed from codes or bytes, brought together where they are equal, and unpacked for whoever asks.
#pragma once
#include <pybind11/stl.h>

#include "python/arrays.hpp"

namespace oracledp {
namespace {

Array<Word> words_of(size_t count, size_t row_words) {
    return Array<Word>({py::ssize_t(count), py::ssize_t(row_words)});
}

Integers integers_of(const std::vector<int64_t> &numbers) {
    return Integers(py::ssize_t(numbers.size()), numbers.data());
}

Array<Word> pack_matrix(const Array<uint8_t> &matrix) {
    if (matrix.ndim() != 2) throw std::invalid_argument("records need two dimensions");
    const size_t count = size_t(matrix.shape(0));
    const int columns = int(matrix.shape(1));
    Array<Word> packed = words_of(count, BitRows::words_for(columns));
    const uint8_t *bytes = matrix.data();
    Word *words = packed.mutable_data();
    py::gil_scoped_release release;
    pack_bytes(bytes, count, columns, words);
    return packed;
}

Array<uint8_t> unpack_matrix(const py::object &records) {
    const PackedArray given(records);
    const BitRows rows = given.rows();
    Array<uint8_t> matrix({py::ssize_t(rows.count), py::ssize_t(rows.columns)});
    uint8_t *bytes = matrix.mutable_data();
    py::gil_scoped_release release;
    unpack_bytes(rows, bytes);
    return matrix;
}

Array<Word> transposed(const py::object &records) {
    const PackedArray given(records);
    const BitRows rows = given.rows();
    const std::vector<Word> columns = column_words(rows);
    Array<Word> made = words_of(size_t(rows.columns), (rows.count + 63) / 64);
    std::copy(columns.begin(), columns.end(), made.mutable_data());
    return made;
}

// tables: the column of codes that is looked up, and the words of each of its codes.
template <class Code>
Array<Word> pack_table(const Array<Code> &codes, const std::vector<std::pair<size_t, Array<Word>>> &tables,
                       size_t row_words) {
    if (codes.ndim() != 2) throw std::invalid_argument("codes need two dimensions");
    const size_t count = size_t(codes.shape(0)), stride = size_t(codes.shape(1));
    std::vector<CodeTable> known;
    for (const auto &[column, words] : tables) {
        if (column >= stride || words.ndim() != 2 || size_t(words.shape(1)) != row_words)
            throw std::invalid_argument("a table needs a column of codes and one row of words for each code");
        known.push_back({words.data(), size_t(words.shape(0)), column});
    }
    Array<Word> packed = words_of(count, row_words);
    const Code *first = codes.data();
    Word *words = packed.mutable_data();
    py::gil_scoped_release release;
    pack_codes(first, count, stride, known, row_words, words);
    return packed;
}

std::pair<Integers, Integers> runs_of(const Array<Word> &words) {
    if (words.ndim() != 2) throw std::invalid_argument("words need two dimensions");
    const Word *first = words.data();
    const size_t count = size_t(words.shape(0)), row_words = size_t(words.shape(1));
    EqualRuns runs;
    {
        py::gil_scoped_release release;
        runs = equal_runs(first, count, row_words);
    }
    return {integers_of(runs.order), integers_of(runs.starts)};
}

}  // namespace

inline void bind_packing(py::module_ &m) {
    using py::arg;
    m.def("pack_matrix", &pack_matrix, arg("matrix"));
    m.def("unpack_matrix", &unpack_matrix, arg("records"));
    m.def("column_words", &transposed, arg("records"));
    m.def("pack_codes", &pack_table<uint8_t>, arg("codes"), arg("tables"), arg("row_words"));
    m.def("pack_codes", &pack_table<uint16_t>, arg("codes"), arg("tables"), arg("row_words"));
    m.def("pack_codes", &pack_table<uint32_t>, arg("codes"), arg("tables"), arg("row_words"));
    m.def("equal_runs", &runs_of, arg("words"));
}

}  // namespace oracledp
