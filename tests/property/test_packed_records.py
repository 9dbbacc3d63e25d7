"""Packed records say what their matrix says, and nothing can be written to them."""

import pickle

import numpy as np
import pytest
from numpy.typing import NDArray

from oracledp import _engine
from oracledp.data.packed_records import PackedRecords
from oracledp.data.schema import Schema
from oracledp.data.table.histogram import distinct
from oracledp.errors import ParameterError
from oracledp.exact.merging import EqualRows

SHAPES = [(0, 3), (1, 0), (5, 1), (70, 8), (130, 63), (130, 64), (130, 65), (40, 200)]


def bits(rows: int, columns: int) -> NDArray[np.uint8]:
    return np.random.default_rng(rows + columns).integers(0, 2, (rows, columns), dtype=np.uint8)


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_every_view_is_that_of_the_matrix(rows: int, columns: int) -> None:
    matrix, rng = bits(rows, columns), np.random.default_rng(1)
    packed = PackedRecords.of(matrix)
    assert packed.shape == matrix.shape == (len(packed), packed.columns)
    assert np.array_equal(packed.matrix(), matrix)
    assert np.array_equal(np.asarray(packed), matrix)
    assert np.array_equal(PackedRecords.of(matrix.astype(np.int64) * 7).words, packed.words)
    assert all(np.array_equal(packed.column(j), matrix[:, j] == 1) for j in range(columns))
    assert np.array_equal(packed.negated().matrix(), 1 - matrix)
    extra = rng.integers(0, 2, rows) == 1
    assert np.array_equal(packed.with_column(extra).matrix(), np.column_stack([matrix, extra]))
    assert np.array_equal(packed.with_column(extra).first(columns).words, packed.words)
    assert np.array_equal(PackedRecords.together([packed, matrix]).matrix(), np.concatenate([matrix, matrix]))
    kept = rng.permutation(rows)[: rows // 2]
    assert np.array_equal(packed[kept].matrix(), matrix[kept])
    held = np.unpackbits(packed.column_words().view(np.uint8), axis=1, bitorder="little")[:, :rows]
    assert np.array_equal(held.T.reshape(rows, columns), matrix)
    if columns:
        chosen, turned = rng.integers(0, columns, columns + 3), rng.integers(0, 2, columns + 3) == 1
        found = packed.select(chosen.tolist(), negated=turned.tolist())
        assert np.array_equal(found.matrix(), matrix[:, chosen] ^ turned)


def test_numbers_keep_records_apart() -> None:
    packed = PackedRecords.of(np.array([[1], [1], [1], [0]], dtype=np.uint8))
    equal = packed.equal(apart=[np.array([2, 1, 2, 9])])
    assert equal.order[equal.starts].tolist() == [3, 1, 0]
    assert equal.totals(np.array([1, 10, 100, 1000])).tolist() == [1000, 10, 101]


@pytest.mark.parametrize("rows", [4095, 4096, 9000])
@pytest.mark.parametrize(("bits_used", "low"), [(0, 0), (3, 61), (20, 30), (50, 0), (52, 12), (64, 0)])
def test_short_and_long_words_are_merged_alike(rows: int, bits_used: int, low: int) -> None:
    rng = np.random.default_rng(rows + bits_used)
    pool = rng.integers(0, 1 << 63, rows // 2, dtype=np.uint64) * np.uint64(2) + rng.integers(0, 2, dtype=np.uint64)
    words = (pool >> np.uint64(64 - bits_used) if bits_used else pool * np.uint64(0)) << np.uint64(low)
    words = words[rng.integers(0, len(words), rows)]
    equal, expected = EqualRows.of(words[:, None]), np.argsort(words, kind="stable")
    assert np.array_equal(equal.order, expected)
    assert np.array_equal(words[equal.first()], np.unique(words))


def test_nothing_can_be_written_and_nothing_is_shown() -> None:
    packed = PackedRecords.of(bits(4, 5))
    for array in (packed.words, packed.matrix()):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
    assert repr(packed) == "PackedRecords(5 columns)"
    stored = pickle.dumps(packed)
    again = pickle.loads(stored)
    assert np.array_equal(again.words, packed.words)
    assert not again.words.flags.writeable
    assert len(stored) == len(pickle.dumps(PackedRecords(packed.words.copy(), 5)))  # its matrix is not in it


def test_what_is_no_packed_record_is_refused() -> None:
    with pytest.raises(ParameterError, match="two dimensions"):
        PackedRecords.of(np.zeros(3, dtype=np.uint8))
    with pytest.raises(ParameterError, match="whole words"):
        PackedRecords(np.zeros((2, 1), dtype=np.uint64), 65)
    with pytest.raises(TypeError, match="by rows"):
        PackedRecords.of(bits(2, 2))[:, 0]
    with pytest.raises(ParameterError, match="one column per literal"):
        PackedRecords.together([bits(2, 2), bits(2, 3)])
    with pytest.raises(ValueError, match="past their last column"):
        _engine.unpack_matrix(PackedRecords(np.ones((1, 1), dtype=np.uint64), 3))


def test_a_code_outside_its_column_is_refused() -> None:
    schema = Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}})
    with pytest.raises(ValueError, match="outside its column"):
        schema.packed(schema.literals, np.array([[0, 2]], dtype=np.uint8))
    with pytest.raises(ValueError, match="outside its column"):
        schema.packed(schema.literals, np.array([[0, -1]]))


@pytest.mark.parametrize("columns", [3, 40, 70])
def test_codes_of_many_columns_are_counted_over_several_words(columns: int) -> None:
    schema = Schema({f"c{i}": {"kind": "categorical", "values": ["u", "v", "w"]} for i in range(columns)})
    rng = np.random.default_rng(columns)
    pool = rng.integers(0, 3, (20, columns)).astype(schema.code_dtype)
    rows, counts = pool[rng.integers(0, 20, 500)], rng.integers(1, 9, 500)
    expected, inverse = np.unique(rows, axis=0, return_inverse=True)
    totals = np.zeros(len(expected), dtype=np.int64)
    np.add.at(totals, inverse.reshape(-1), counts)
    for given, wanted in ((counts, totals), (None, np.bincount(inverse.reshape(-1)))):
        records, held = distinct(schema, list(rows.T), given)
        assert np.array_equal(records, expected)
        assert records.dtype == schema.code_dtype
        assert held.tolist() == wanted.tolist()
