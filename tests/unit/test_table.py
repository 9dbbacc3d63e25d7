"""Table: what it shows, what it hides, and what it computes from its records."""

from __future__ import annotations

import pickle
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from oracledp.data.literals import Literal
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import CapacityError, DataError, ParameterError

SCHEMA = Schema(
    {
        "age": {"kind": "integer", "lo": 17, "hi": 90, "thresholds": [25, 65]},
        "hours": {"kind": "numeric", "lo": 0, "hi": 100, "bins": 4, "nullable": True},
        "sex": {"kind": "categorical", "values": ["m", "f"]},
        "married": {"kind": "boolean", "nullable": True},
    }
)
ROWS = {
    "age": [17, 70, 30, 30, 17],
    "hours": [0.0, 99.5, None, 24.9, -0.0],
    "sex": ["m", "f", "f", "f", "m"],
    "married": [False, True, None, True, False],
    "name": ["ann", "bob", "cid", "dan", "eve"],
}
TEXTS = {"married": ["No", "yes", "", " TRUE", "0"], "age": ["17", "70.0", " 30", "+30", "017"]}
MIXED = {"married": [0, 1.0, np.nan, True, "false"], "age": [17, "70", 30.0, Decimal(30), np.int8(17)]}
CODES = [[0, 0, 0, 0], [1, 0, 1, 1], [1, 4, 1, 2], [2, 3, 1, 1]]


@pytest.fixture
def table() -> Table:
    return Table.from_frame(pandas.DataFrame(ROWS), SCHEMA)


def test_records_are_distinct_sorted_and_counted(table: Table) -> None:
    assert table.codes.tolist() == CODES
    assert table.counts.tolist() == [2, 1, 1, 1]
    assert table.codes.dtype == np.uint8
    assert table.counts.dtype == np.int64
    assert table.rows == 5


@pytest.mark.parametrize(
    "frame",
    [
        pandas.DataFrame(ROWS),
        pandas.DataFrame(ROWS).convert_dtypes(),
        pandas.DataFrame(ROWS).astype({"sex": "category", "age": "float64"}),
        pandas.DataFrame(ROWS, dtype=object),
        polars.DataFrame(ROWS),
        polars.DataFrame(ROWS).cast({"sex": polars.Categorical, "age": polars.Int128}),
        polars.DataFrame(ROWS).cast({"sex": polars.Enum(["f", "m"]), "age": polars.UInt8}),
        polars.DataFrame(ROWS).cast({"hours": polars.Decimal(10, 2)}),
        polars.DataFrame(ROWS).with_columns(polars.col("hours").fill_null(float("nan"))),
        pyarrow.table(ROWS),
        pyarrow.table(ROWS | {"sex": pyarrow.array(ROWS["sex"]).dictionary_encode()}),
        pandas.DataFrame(ROWS | TEXTS),
        pandas.DataFrame(ROWS | MIXED, dtype=object),
    ],
)  # fmt: skip
def test_the_storage_type_does_not_matter(frame: Any, table: Table) -> None:
    other = Table.from_frame(frame, SCHEMA)
    assert other.codes.tolist() == table.codes.tolist()
    assert other.counts.tolist() == table.counts.tolist()


def test_printing_a_table_shows_the_schema_only(table: Table) -> None:
    assert repr(table) == str(table) == "Table(age, hours, sex, married)"


def test_a_table_has_no_length(table: Table) -> None:
    with pytest.raises(TypeError):
        len(table)  # type: ignore[arg-type]
    assert table  # and yet is true, as any object


def test_a_table_cannot_be_changed(table: Table) -> None:
    with pytest.raises(ValueError, match="read-only"):
        table.codes[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        table.counts[0] = 7
    with pytest.raises(AttributeError):
        table.counts = np.array([1])  # type: ignore[misc]


def test_a_table_survives_pickling(table: Table) -> None:
    copy = pickle.loads(pickle.dumps(table))
    assert copy.codes.tolist() == table.codes.tolist()
    assert copy.schema == SCHEMA


def test_the_matrix_holds_the_literals_values(table: Table) -> None:
    matrix = table.matrix(table.literals)
    assert matrix.dtype == np.uint8
    texts = [str(literal) for literal in table.literals]
    held = [{text for text, value in zip(texts, row, strict=True) if value} for row in matrix.tolist()]
    assert held == [
        {"sex = m"},
        {"age >= 25", "sex = f", "married"},
        {"age >= 25", "hours is missing", "sex = f", "married is missing"},
        {"age >= 25", "age >= 65", "hours >= 25", "hours >= 50", "hours >= 75", "sex = f", "married"},
    ]


def test_negated_literals_are_complements_in_any_order(table: Table) -> None:
    literals = table.literals
    both = table.matrix(literals.with_negations())
    assert np.array_equal(both[:, : len(literals)], table.matrix())
    assert np.array_equal(both[:, len(literals) :], 1 - table.matrix())
    mixed = [Literal("sex", "!=", "m"), Literal("age", "<", 65), Literal("sex", "=", "m")]
    assert table.matrix(mixed).tolist() == [[0, 1, 1], [1, 1, 0], [1, 1, 0], [1, 0, 0]]
    assert table.matrix([]).shape == (4, 0)


def test_histograms_are_exact_marginals(table: Table) -> None:
    assert table.histogram(["age"]).tolist() == [2, 2, 1]
    assert table.histogram(["sex", "age"]).tolist() == [[2, 0, 0], [0, 2, 1]]
    assert table.histogram([]).tolist() == 5
    assert table.histogram(SCHEMA.names).shape == SCHEMA.sizes
    with pytest.raises(ParameterError, match="distinct"):
        table.histogram(["age", "age"])
    with pytest.raises(ParameterError, match="no column 'wage'"):
        table.histogram(["wage"])


def test_a_histogram_too_large_to_hold_is_refused() -> None:
    wide = Schema({f"x{index}": {"kind": "integer", "lo": 0, "hi": 999} for index in range(4)})
    table = Table.from_codes(np.zeros((1, 4), dtype=np.uint16), wide)
    with pytest.raises(CapacityError, match="more than"):
        table.histogram(wide.names)


def test_records_wider_than_64_bits_are_sorted_and_counted() -> None:
    wide = Schema({f"x{index}": {"kind": "integer", "lo": 0, "hi": 999} for index in range(20)})
    rng = np.random.default_rng(1)
    few = rng.integers(0, 1000, size=(30, 20), dtype=np.uint16)
    drawn = rng.integers(0, 30, size=500)
    table = Table.from_codes(few[drawn], wide)
    records, counts = np.unique(few[drawn], axis=0, return_counts=True)
    assert table.codes.tolist() == records.tolist()
    assert table.counts.tolist() == counts.tolist()
    again = Table.from_codes(few, wide, np.bincount(drawn, minlength=30))
    assert again.counts.tolist() == counts.tolist()


@pytest.mark.parametrize(
    ("codes", "counts", "message"),
    [
        (np.zeros((2, 3), dtype=np.uint8), None, "rows × columns"),
        (np.zeros((2, 4)), None, "integers"),
        (np.full((2, 4), 3, dtype=np.uint8), None, "outside"),
        (np.full((2, 4), -1), None, "outside"),
        (np.zeros((2, 4), dtype=np.uint8), np.array([1]), "one per record"),
        (np.zeros((2, 4), dtype=np.uint8), np.array([1, 0]), "positive"),
    ],
)
def test_codes_that_do_not_fit_are_refused(codes: Any, counts: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Table.from_codes(codes, SCHEMA, counts)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("age", [17, 7777, 20, -7777, 20], "1 row is below the bound 17; 1 row is above .*; the first at row 2"),
        ("age", [17, 20, 20, 20, 77.77], "1 row is not a whole number; the first at row 5"),
        ("age", [17, 20, 20, 20, 7777.5], "1 row is above the bound 90; the first at row 5"),
        ("age", [17, None, 20, 7777, 20], "1 row is missing, and the column is not nullable; 1 row is above"),
        ("age", ["17", "x7777", "7777", "20", "20"], "1 row is not a finite number; 1 row is above"),
        ("age", [True, False, True, True, True], "5 rows are not a finite number; the first at row 1"),
        ("hours", [0, 1, 2, 3, 100.0000001], "1 row is above the bound 100; the first at row 5"),
        ("hours", [0, float("inf"), 2, 3, 4], "1 row is not a finite number; the first at row 2"),
        ("hours", ["0", "7777x", "1e999", "3", "nan"], "2 rows are not a finite number; the first at row 2"),
        ("sex", ["m", "f", "F7777", "f", " m"], "2 rows are not among the listed values; the first at row 3"),
        ("sex", ["m", "f", None, "f", ""], "2 rows are missing, and the column is not nullable; the first at row 3"),
        ("sex", [1.0, 2.0, 1.0, 1.0, 1.0], "5 rows are not among the listed values; the first at row 1"),
        ("sex", [True, True, True, True, False], "5 rows are not among the listed values; the first at row 1"),
        ("married", [0, 1, 2, 7777, 1], "2 rows are not true or false, yes or no, 1 or 0; the first at row 3"),
        ("married", ["yes", "no", "maybe7777", "1", "0"], "1 row is not true or false"),
    ],
)  # fmt: skip
def test_a_bad_value_is_refused_by_column_and_row_without_the_value(
    column: str, values: list[Any], message: str
) -> None:
    for stored in (values, pandas.Series(values, dtype=object)):
        frame = pandas.DataFrame(ROWS | {column: stored})
        with pytest.raises(DataError, match=f"^column '{column}': .*{message}") as caught:
            Table.from_frame(frame, SCHEMA, strict=True)
        assert "7777" not in str(caught.value)


def test_odd_types_and_objects_have_no_value() -> None:
    dates = pandas.to_datetime(["2020-01-01"] * 5)
    for odd in (dates, [[1]] * 5, [np.zeros(2)] * 5, [{}] * 5, [b"17"] * 5, [Decimal("sNaN")] * 5):
        frame = pandas.DataFrame(ROWS | {name: pandas.Series(odd) for name in SCHEMA.names})
        assert Table.from_frame(frame, SCHEMA).codes.tolist() == [[0, 4, 0, 2]]
        with pytest.raises(DataError, match=r"column 'age': 5 rows are (not a finite number|missing)"):
            Table.from_frame(frame, SCHEMA, strict=True)
    huge = pandas.DataFrame({"x": pandas.Series([10**5000, -(10**5000)], dtype=object)})
    for column in ({"kind": "categorical", "values": ["a", "b"]}, {"kind": "categorical", "values": [1, 2]}):
        assert Table.from_frame(huge, Schema({"x": column})).codes.tolist() == [[0]]


def test_clipping_moves_values_to_the_nearer_bound() -> None:
    schema, provided = (Schema({"x": {"kind": "integer", "lo": 0, "hi": 3, "clip": clip}}) for clip in (False, True))
    frame = pandas.DataFrame({"x": [-(2**63), -1, 0, 3, 4, 2**63 - 1]})
    assert Table.from_frame(frame, schema).histogram(["x"]).tolist() == [3, 0, 0, 3]
    assert Table.from_frame(frame, provided, strict=True).histogram(["x"]).tolist() == [3, 0, 0, 3]
    unsigned = polars.DataFrame({"x": polars.Series([2**64 - 1, 1], dtype=polars.UInt64)})
    assert Table.from_frame(unsigned, schema).histogram(["x"]).tolist() == [0, 1, 0, 1]


def test_unlisted_values_go_to_other_and_missing_ones_do_not() -> None:
    schema = Schema({"x": {"kind": "categorical", "values": ["a"], "other": "rest", "nullable": True}})
    frame = pandas.DataFrame({"x": ["a", "b", "rest", None, ""]})
    assert Table.from_frame(frame, schema).histogram(["x"]).tolist() == [1, 2, 2]


def test_integers_match_listed_texts_digit_by_digit() -> None:
    schema = Schema({"x": {"kind": "categorical", "values": ["1", "02", "-3"], "other": "rest"}})
    frame = pandas.DataFrame({"x": [1, 2, -3, 9]})
    assert Table.from_frame(frame, schema).histogram(["x"]).tolist() == [1, 0, 1, 2]


@pytest.mark.parametrize("frame", [pandas.DataFrame(ROWS)[:0], polars.DataFrame(ROWS)[:0], pyarrow.table(ROWS)[:0]])
def test_an_empty_table_is_a_table(frame: Any) -> None:
    table = Table.from_frame(frame, SCHEMA)
    assert table.codes.shape == (0, 4)
    assert table.codes.dtype == np.uint8
    assert table.rows == 0
    assert table.matrix().shape == (0, len(SCHEMA.literals))
    assert table.histogram(["sex"]).tolist() == [0, 0]


# ---- the total mapping ---------------------------------------------------------------------------------------
def code(definition: dict[str, Any], value: Any) -> int:
    """What one value becomes, alone in its column and beside others of its kind."""
    schema = Schema({"x": definition})
    alone = Table.from_frame(pandas.DataFrame({"x": pandas.Series([value], dtype=object)}), schema)
    both = Table.from_frame(pandas.DataFrame({"x": pandas.Series([value, "?"], dtype=object)}), schema)
    found = int(alone.codes[0, 0])
    assert both.histogram(["x"])[found] >= 1, "another row changed the code of this one"
    return found


INTEGER = {"kind": "integer", "lo": 10, "hi": 12}
NUMERIC = {"kind": "numeric", "lo": 0, "hi": 1, "bins": 2}
LETTERS = {"kind": "categorical", "values": ["a", "b"]}


@pytest.mark.parametrize(
    ("definition", "value", "wanted", "nullable"),
    [
        (INTEGER, 9, 0, 0), (INTEGER, 99, 2, 2), (INTEGER, 11.9, 1, 1), (INTEGER, "11.9", 1, 1), (INTEGER, 12.5, 2, 2),
        (INTEGER, -0.5, 0, 0), (INTEGER, "1e300", 2, 2), (INTEGER, "x", 0, 3), (INTEGER, None, 0, 3),
        (INTEGER, float("inf"), 0, 3), (INTEGER, True, 0, 3), (INTEGER, Decimal("11.9"), 1, 1),
        (NUMERIC, -1, 0, 0), (NUMERIC, 7.5, 1, 1), (NUMERIC, float("nan"), 0, 2), (NUMERIC, "inf", 0, 2),
        (NUMERIC, "seven", 0, 2), (NUMERIC, 10**400, 0, 2), (NUMERIC, [1], 0, 2),
        (LETTERS, "z", 0, 2), (LETTERS, None, 0, 2), (LETTERS, 1.5, 0, 2), (LETTERS, False, 0, 2),
        (LETTERS | {"other": "c"}, "z", 2, 2), (LETTERS | {"other": "c"}, 1.5, 2, 2),
        (LETTERS | {"other": "c"}, None, 2, 3), (LETTERS | {"other": "c"}, "", 2, 3),
        ({"kind": "categorical", "values": [5, 7]}, 7.5, 0, 2),
        ({"kind": "categorical", "values": ["5", "7"]}, 7.0, 1, 1),
        ({"kind": "boolean"}, "perhaps", 0, 2), ({"kind": "boolean"}, None, 0, 2), ({"kind": "boolean"}, 0.5, 0, 2),
    ],
)  # fmt: skip
def test_what_the_schema_does_not_know_has_a_public_code(
    definition: dict[str, Any], value: Any, wanted: int, nullable: int
) -> None:
    assert code(definition, value) == wanted
    assert code(definition | {"nullable": True}, value) == nullable


def test_one_missing_value_changes_no_other_record() -> None:
    """pandas turns integers with a gap into floats, and truth values into objects."""
    schema = Schema({"x": {"kind": "categorical", "values": ["1", "2"]}, "y": {"kind": "boolean"}})
    whole = pandas.DataFrame({"x": [1, 2, 1], "y": [True, False, True]})
    gap = pandas.DataFrame({"x": [1, 2, None], "y": [True, False, None]})
    assert Table.from_frame(whole, schema).counts.tolist() == [2, 1]
    assert Table.from_frame(gap, schema).codes.tolist() == [[0, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize("odd", [None, "?", 1.5, True, 2**70])
@pytest.mark.parametrize(
    "kind", [{"kind": "categorical", "values": [2**60, 2**60 + 1]}, {"kind": "integer", "lo": 2**60, "hi": 2**60 + 9}]
)
def test_one_odd_value_changes_no_large_number(kind: dict[str, Any], odd: object) -> None:
    """In pandas it makes doubles, or objects, of a whole column: whole numbers beyond 2^53 would become others."""
    schema = Schema({"columns": {"x": {**kind, "nullable": True}}})
    values = [2**60, 2**60 + 1, 2**60 + 1, 2**60 + 2, -(2**63)]
    alone, among, single = (
        Table.from_frame(pandas.DataFrame({"x": held}), schema) for held in (values, [*values, odd], [odd])
    )
    held = Counter({tuple(code): int(count) for code, count in zip(among.codes.tolist(), among.counts, strict=True)})
    held.subtract([tuple(single.codes[0].tolist())])
    assert +held == {tuple(code): int(count) for code, count in zip(alone.codes.tolist(), alone.counts, strict=True)}


def test_only_a_strict_table_assumes_anything(table: Table) -> None:
    assert table.assumes == ()
    strict = Table.from_frame(pandas.DataFrame(ROWS), SCHEMA, strict=True)
    assert strict.assumes == ("all values of the table lie in its schema",)
    assert strict.codes.tolist() == table.codes.tolist()


def test_what_was_mapped_is_counted_hidden_and_left_out_of_pickles(table: Table) -> None:
    flawed = ROWS | {"age": [9, 91, None, 17.5, "x"], "sex": ["m", "f", "q", None, "f"]}
    mapped = Table.from_frame(pandas.DataFrame(flawed), SCHEMA)
    assert mapped.mapped is not None
    assert mapped.mapped.tolist() == [[1, 1, 0, 1, 1, 1], [0] * 6, [1, 0, 1, 0, 0, 0], [0] * 6]
    assert "mapped" not in repr(mapped)
    assert pickle.loads(pickle.dumps(mapped)).mapped is None
    assert table.mapped is not None
    assert not table.mapped.any()
    assert Table.from_codes(table.codes, SCHEMA).mapped is None


def test_a_missing_column_is_named() -> None:
    with pytest.raises(DataError, match="column 'sex' is missing from the frame"):
        Table.from_frame(pandas.DataFrame(ROWS).drop(columns="sex"), SCHEMA)


@pytest.mark.parametrize("frame", [None, [[1]], np.zeros((2, 2)), {"age": [1]}, polars.LazyFrame(ROWS)])
def test_what_is_no_frame_is_refused(frame: Any) -> None:
    with pytest.raises(DataError, match="a pandas, polars or pyarrow table is needed, not"):
        Table.from_frame(frame, SCHEMA)


def test_column_names_that_stand_twice_are_refused() -> None:
    frame = pandas.DataFrame([[17, 18, 0.0, "m", True]], columns=["age", "age", "hours", "sex", "married"])
    with pytest.raises(DataError, match="two columns of the frame have the same name"):
        Table.from_frame(frame, SCHEMA)
