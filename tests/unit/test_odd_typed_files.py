"""Typed files of odd types: one row more moves no other row, whichever way a file is read."""

from collections import Counter
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import oracledp as odp
from oracledp.data.table.texts import read_texts
from oracledp.errors import DataError

WRITERS = {"arrow": feather.write_feather, "parquet": pq.write_table}


def texts(values: list[bytes]) -> pa.Array:
    return pa.array(values, pa.binary()).view(pa.string())


def raw(kind: pa.DataType, numbers: list[int]) -> pa.Array:
    width = kind.bit_width // 8
    held = b"".join(number.to_bytes(width, "little", signed=True) for number in numbers)
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(held)])


def wrapped(shape: str, values: pa.Array) -> pa.Array:
    rows = len(values)
    if shape == "fixed list":
        return pa.FixedSizeListArray.from_arrays(values, 1)
    if shape == "list view":
        return pa.ListViewArray.from_arrays(pa.array(range(rows), pa.int32()), pa.array([1] * rows, pa.int32()), values)
    if shape == "union":
        return pa.UnionArray.from_sparse(pa.array([0] * rows, pa.int8()), [values, pa.array([1] * rows)])
    extended = pa.ExtensionArray.from_storage(pa.opaque(values.type, "kind", "vendor"), values)
    if shape == "list of extension":
        return pa.ListArray.from_arrays(pa.array(range(rows + 1), pa.int32()), extended)
    return extended if shape == "extension" else values


ODD: dict[str, tuple[pa.Array, pa.Array]] = {
    "text": (texts([b"a", b"b"]), texts([b"a", b"b", b"\xff"])),
    "zoned": (raw(pa.timestamp("ms", "UTC"), [0, 1]), raw(pa.timestamp("ms", "UTC"), [0, 1, 10**16])),
    "span": (raw(pa.duration("s"), [0, 1]), raw(pa.duration("s"), [0, 1, 10**16])),
    "clock": (raw(pa.time64("us"), [0, 1]), raw(pa.time64("us"), [0, 1, 2**62])),
    "fine clock": (raw(pa.time64("ns"), [0, 1]), raw(pa.time64("ns"), [0, 1, -1])),
    "decimal": (raw(pa.decimal128(38, 5), [0, 1]), raw(pa.decimal128(38, 5), [0, 1, -(2**127)])),
}


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("shape", ["plain", "fixed list", "list view", "extension", "list of extension", "union"])
@pytest.mark.parametrize("odd", ODD)
def test_no_value_of_any_type_moves_another_row(odd: str, shape: str, ending: str, tmp_path: Path) -> None:
    if (shape, ending) == ("union", "parquet"):
        pytest.skip("Parquet has no unions")
    found = []
    for number, values in enumerate(ODD[odd]):
        table = pa.table({"x": wrapped(shape, values), "beside": ["u"] * len(values)})
        WRITERS[ending](table, tmp_path / f"{number}.{ending}")
        found.append([Counter(counts) for counts in read_texts(tmp_path / f"{number}.{ending}").counts])
    for before, after in zip(*found, strict=True):
        assert before <= after
        assert after.total() == before.total() + 1


@pytest.mark.parametrize("digits", [39, 50, 76])
def test_decimals_beside_a_text_that_is_not_utf_8_stay_the_nearest_doubles(digits: int, tmp_path: Path) -> None:
    random = Random(digits)
    values = [Decimal(random.randrange(10 ** random.randrange(1, digits))).scaleb(-20) for _ in range(200)]
    for last in (b"a", b"\xff"):
        table = pa.table({"d": pa.array(values, pa.decimal256(digits, 20)), "x": texts([b"a"] * 199 + [last])})
        pq.write_table(table, tmp_path / "x.parquet")
        found = read_texts(tmp_path / "x.parquet").counts[0]
        assert Counter({float(text or 0): count for text, count in found.items()}) == Counter(map(float, values))


@pytest.mark.parametrize("beside", [[None, None], ["a", "b"]], ids=["nothing", "texts"])
def test_a_column_is_read_alike_whatever_stands_beside_it(beside: list[Any], tmp_path: Path) -> None:
    spans = pa.array([1, 2], pa.duration("s"))
    pq.write_table(pa.table({"d": spans, "x": beside}), tmp_path / "x.parquet")
    assert read_texts(tmp_path / "x.parquet").counts[0] == {"0:00:01": 1, "0:00:02": 1}


def parts(folder: Path, last: bytes) -> Path:
    """Two parts of different types, the first of which is read by way of Arrow in any case."""
    folder.mkdir()
    pq.write_table(pa.table({"x": ["a"] * 3, "t": raw(pa.time64("us"), [1, 2, 3])}), folder / "a.parquet")
    pq.write_table(pa.table({"x": texts([b"b", b"c", last]), "t": ["1", "2", "3"]}), folder / "b.parquet")
    return folder


def test_an_odd_text_in_one_part_loses_no_row_of_another(tmp_path: Path) -> None:
    some, more = (read_texts(parts(tmp_path / last.hex(), last)).counts for last in (b"d", b"\xff"))
    assert some[1] == more[1]
    assert more[0] == {"a": 3, "b": 1, "c": 1, None: 1}


NESTED: dict[str, tuple[list[Any], list[Any], Any, str]] = {
    "list": ([[1], [2]], [None, None], [5], "[5]"),
    "record": ([{"a": 1}], [{"a": 5}], {"a": 5, "b": "u"}, "{'a': 5, 'b': u}"),
}


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("first", [True, False])
def test_the_type_of_one_part_changes_no_row_of_another(kind: str, first: bool, tmp_path: Path) -> None:
    given, rows, odd, text = NESTED[kind]
    found = []
    for number, values in enumerate((rows, [*rows, odd])):
        folder = tmp_path / str(number)
        folder.mkdir()
        pq.write_table(pa.table({"x": pa.array(given)}), folder / ("a.parquet" if first else "z.parquet"))
        pq.write_table(pa.table({"x": pa.array(values)}), folder / "m.parquet")
        found.append(Counter(read_texts(folder).counts[0]))
    assert found[1] - found[0] == {text: 1}
    assert found[0] <= found[1]


@pytest.mark.parametrize("last", [b"b", b"\xff"])
def test_names_that_stand_twice_are_refused_whatever_the_rows_hold(last: bytes, tmp_path: Path) -> None:
    table = pa.Table.from_arrays([texts([b"a", last]), texts([b"a", b"b"])], names=["x", "x"])
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"^column 'x' stands twice in x.parquet$"):
        read_texts(tmp_path / "x.parquet")


@pytest.mark.parametrize("last", [b"b", b"\xff"])
def test_parts_may_spell_names_in_other_letters(last: bytes, tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": texts([b"a", b"b"])}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"X": texts([b"a", last])}), tmp_path / "b.parquet")
    assert read_texts(tmp_path).counts[0] == {"a": 2, "b": 1, "b" if last == b"b" else None: 1} | (
        {"b": 2} if last == b"b" else {}
    )


@pytest.mark.parametrize("last", [b"b", b"\xff"])
def test_folders_above_name_columns_in_both_ways(last: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "run=1" / "year=a%20b"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"x": texts([b"a", last])}), folder / "x.parquet")
    assert read_texts(tmp_path / "run=1").counts[1:] == ({"1": 2}, {"a b": 2})


def test_a_file_without_columns_is_refused_in_one_line(tmp_path: Path) -> None:
    pq.write_table(pa.table({}), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"x\.parquet"):
        read_texts(tmp_path / "x.parquet")


STAMPS = {"kind": "timestamp", "lo": "2000-01-01 00:00:00", "hi": "9999-12-31 23:59:59"}


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize(("kind", "far"), [(pa.date32(), 2**30), (pa.date32(), -(2**31)), (pa.timestamp("us"), 2**62)])
@pytest.mark.parametrize("stray", [b"a", b"\xff"])
def test_a_day_far_off_stops_no_table_and_is_missing(
    kind: pa.DataType, far: int, stray: bytes, ending: str, tmp_path: Path
) -> None:
    per_day = 1 if kind == pa.date32() else 86_400_000_000
    table = pa.table({"x": raw(kind, [11_000 * per_day, far]), "y": texts([stray, b"a"])})
    WRITERS[ending](table, tmp_path / f"x.{ending}")
    schema = odp.Schema({"x": STAMPS | {"nullable": True}, "y": {"kind": "categorical", "values": ["a", "c"]}})
    read = odp.Table.from_file(tmp_path / f"x.{ending}", schema)
    assert read.rows == 2
    assert read.codes[:, 0].max() == schema.columns[0].size - 1, "missing"
