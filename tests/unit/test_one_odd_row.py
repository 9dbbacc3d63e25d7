"""One row more, whatever it holds: it may not change the texts of the others, raise, or show on the screen."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import oracledp as odp
from oracledp.data.schema import FileFormat
from oracledp.data.table.persons import id_text
from oracledp.data.table.texts import read_texts, text_rows
from oracledp.data.table.unit import Unit

DAY, HOUR = date(2020, 1, 1), datetime(2020, 1, 1, 5)
LARGE = [2**60 + 1, 2**60 + 3]


class Marked(str):
    """A text that is looked up in no table."""

    __hash__ = None  # type: ignore[assignment]


class Says:
    """A value that says such a text."""

    def __str__(self) -> str:
        return Marked("x")


def added(data: Any, data_and_one: Any) -> str | None:
    """The text of the row that is added, where all others keep theirs."""
    before, after = (Counter(read_texts(rows).counts[0]) for rows in (data, data_and_one))
    assert after.total() == before.total() + 1
    assert before <= after, f"{before} became {after}"
    (text,) = after - before
    return text


def of_pandas(values: list[Any], folder: Path) -> Any:
    return pd.DataFrame({"x": pd.Series(values)})


def of_objects(values: list[Any], folder: Path) -> Any:
    return pd.DataFrame({"x": pd.Series(values, dtype=object)})


def of_polars(values: list[Any], folder: Path) -> Any:
    return pl.DataFrame({"x": pl.Series(values, strict=False)})


def of_pyarrow(values: list[Any], folder: Path) -> Any:
    return pa.table({"x": pa.array(values)})


def of_parquet(values: list[Any], folder: Path) -> Any:
    path = folder / f"{len(values)}.parquet"
    pq.write_table(of_pyarrow(values, folder), path)
    return path


def of_arrow(values: list[Any], folder: Path) -> Any:
    path = folder / f"{len(values)}.arrow"
    feather.write_feather(of_pyarrow(values, folder), path)
    return path


def of_pandas_in_parquet(values: list[Any], folder: Path) -> Any:
    path = folder / f"{len(values)}.parquet"
    of_pandas(values, folder).to_parquet(path)
    return path


FRAMES = (of_pandas, of_objects)
TYPED = (of_pyarrow, of_parquet, of_arrow)
CASES: dict[str, tuple[tuple[Callable[..., Any], ...], list[Any], Any, str | None]] = {
    "complex": (FRAMES, [5, 7], 1j, None),
    "complex beside floats": (FRAMES, [0.5, -0.0], 1j, None),
    "gap": ((*FRAMES, of_polars, *TYPED, of_pandas_in_parquet), [5, 7], None, None),
    "gap beside large ones": ((*FRAMES, of_polars, *TYPED, of_pandas_in_parquet), LARGE, None, None),
    "half": ((*FRAMES, of_polars, *TYPED, of_pandas_in_parquet), [5, 7], 2.5, "2.5"),
    "half beside large ones": ((*FRAMES, of_polars, of_pandas_in_parquet), LARGE, 2.5, "2.5"),
    "large ones beside larger": ((*FRAMES, of_polars), LARGE, 2**70, "1.1805916207174113e+21"),
    "decimal beside large ones": ((*FRAMES, of_polars), LARGE, Decimal("2.50"), "2.5"),
    "word beside integers": (FRAMES, [5, 7], "x", "x"),
    "decimals": ((*FRAMES, of_polars, *TYPED), [Decimal(1), Decimal("-2.5")], Decimal("2.500"), "2.5"),
    "wide decimal": ((of_pyarrow, of_parquet), [Decimal(1), Decimal("-2.5"), Decimal("0.1")], Decimal(10**50), "1e+50"),
    "decimal beside integers": ((*FRAMES, of_polars, *TYPED), [1, 2], Decimal("2.50"), "2.5"),
    "float beside decimals": ((*FRAMES, of_polars), [Decimal("0.00001"), Decimal(2)], 1.5, "1.5"),
    "gap beside truths": ((*FRAMES, of_polars, *TYPED), [True, False], None, None),
    "gap beside numpy's truths": (FRAMES, [np.True_, np.False_], None, None),
    "word beside numpy's truths": (FRAMES, [np.True_, np.False_], "x", "x"),
    "word beside single floats": (FRAMES, [np.float32(0.1)], "x", "x"),
    "double beside single floats": (FRAMES, [np.float32(0.1)], 0.1, "0.1"),
    "word beside numpy's days": (FRAMES, [np.datetime64("2020-01-01")], "x", "x"),
    "word beside numpy's seconds": (FRAMES, [np.datetime64("2020-01-01T05:00:00")], "x", "x"),
    "word beside fractions": (FRAMES, [np.datetime64("2020-01-01T05:00:00.500")], "x", "x"),
    "word beside stamps": (FRAMES, [HOUR, datetime(2020, 1, 1)], "x", "x"),
    "zone beside stamps": (FRAMES, [HOUR], HOUR.replace(tzinfo=UTC), "2020-01-01 05:00:00+00:00"),
    "far stamp": ((*FRAMES, of_polars, *TYPED), [HOUR, datetime(2020, 1, 1)], datetime(9999, 12, 1), "9999-12-01"),
    "stamp beside days": ((*FRAMES, of_polars), [DAY, date(1990, 2, 3)], HOUR, "2020-01-01 05:00:00"),
    "day beside stamps": ((*FRAMES, of_polars), [HOUR], DAY, "2020-01-01"),
    "word beside spans": (FRAMES, [timedelta(days=1, seconds=5)], "x", "x"),
    "word beside numpy's spans": (FRAMES, [np.timedelta64(90, "m"), np.timedelta64(1, "D")], "x", "x"),
    "gap beside intervals": (FRAMES, [pd.Interval(0, 1), pd.Interval(1, 2)], None, None),
    "halves in lists": ((of_polars, *TYPED), [[1, None], [2]], [2.5], "[2.5]"),
    "dates in lists": ((of_polars, *TYPED), [[], [None]], [DAY], "[2020-01-01]"),
    "halves in records": ((of_polars, *TYPED), [{"a": 1}, {"a": 2}], {"a": 2.5}, "{'a': 2.5}"),
    "another field": ((of_polars, *TYPED), [{"a": 1}, {"a": 2}], {"a": 1, "b": "u"}, "{'a': 1, 'b': u}"),
    "text of another type": (FRAMES, ["u", 1], Marked("x"), "x"),
    "value that says one": (FRAMES, ["u", 1], Says(), "x"),
    "no end": (FRAMES, ["u", 1], 10**5000, None),
}


@pytest.mark.parametrize(
    ("case", "source"),
    [(case, source) for case, (sources, *_) in CASES.items() for source in sources],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_one_row_changes_no_text_of_the_others(case: str, source: Callable[..., Any], tmp_path: Path) -> None:
    _, values, odd, text = CASES[case]
    assert added(source(values, tmp_path), source([*values, odd], tmp_path)) == text


def counted(kind: pa.DataType, numbers: list[int]) -> pa.Table:
    width = pa.int32() if kind.bit_width == 32 else pa.int64()
    return pa.table({"x": pa.array(numbers, width).view(kind)})


FAR = [
    *((pa.timestamp(unit, zone), far) for unit, far in (("s", 10**13), ("ms", 10**16)) for zone in (None, "UTC")),
    *((pa.timestamp(unit), sign * (2**63 - 1)) for unit in ("s", "ms", "us") for sign in (1, -1)),
    (pa.timestamp("us"), -(2**63)),
    (pa.timestamp("us", "UTC"), -(2**63)),
    *((pa.duration(unit), 10**16) for unit in ("s", "ms")),
    (pa.time64("us"), 2**62),
    (pa.time32("s"), 2**30),
    (pa.date32(), 2**30),
    (pa.date32(), 2**31 - 1),
]


@pytest.mark.parametrize(("kind", "far"), FAR, ids=str)
def test_a_moment_far_off_stops_no_arrow_file(kind: pa.DataType, far: int, tmp_path: Path) -> None:
    for name, numbers in (("some", [0, 1] * 500), ("more", [0, 1] * 500 + [far])):
        feather.write_feather(counted(kind, numbers), tmp_path / f"{name}.arrow")
        with pa.ipc.new_stream(tmp_path / f"{name}.arrows", counted(kind, numbers).schema) as stream:
            stream.write_table(counted(kind, numbers))
    assert added(tmp_path / "some.arrow", tmp_path / "more.arrow") is None
    assert added(tmp_path / "some.arrows", tmp_path / "more.arrows") is None


@pytest.mark.parametrize("kind", [pa.timestamp("s", "UTC"), pa.duration("s")], ids=str)
def test_a_moment_far_off_in_a_list_stops_no_arrow_file(kind: pa.DataType, tmp_path: Path) -> None:
    for name, lists in (("some", [[0], [1, 2]]), ("more", [[0], [1, 2], [10**16]])):
        held = pa.array(lists, pa.list_(pa.int64())).cast(pa.list_(kind))
        feather.write_feather(pa.table({"x": held}), tmp_path / f"{name}.arrow")
    added(tmp_path / "some.arrow", tmp_path / "more.arrow")


STORED = [
    pair for pair in FAR if str(pair[0]) not in ("timestamp[s]", "timestamp[s, tz=UTC]")
]  # Parquet has no seconds


@pytest.mark.parametrize(("kind", "far"), [*STORED, (pa.timestamp("ns"), -(2**63))], ids=str)
def test_a_moment_far_off_stops_no_parquet_file(kind: pa.DataType, far: int, tmp_path: Path) -> None:
    for name, numbers in (("some", [0, 1]), ("more", [0, 1, far])):
        pq.write_table(counted(kind, numbers), tmp_path / f"{name}.parquet")
    added(tmp_path / "some.parquet", tmp_path / "more.parquet")


def odd_texts(kind: str, texts: list[bytes | None]) -> pa.Array:
    """Texts of which some may not be UTF-8, as they are or inside of what holds texts."""
    plain = pa.array(texts, pa.binary()).view(pa.string())
    if kind == "list":
        return pa.ListArray.from_arrays(pa.array(range(len(texts) + 1), pa.int32()), plain)
    if kind == "struct":
        return pa.StructArray.from_arrays([plain], ["t"])
    if kind == "dictionary":
        return pa.DictionaryArray.from_arrays(pa.array(range(len(texts))), plain)
    if kind == "list of dictionary":
        return pa.ListArray.from_arrays(pa.array(range(len(texts) + 1), pa.int32()), odd_texts("dictionary", texts))
    large = pa.array(texts, pa.large_binary()).view(pa.large_string())
    return plain if kind == "string" else large if kind == "large" else large.cast(pa.string_view(), safe=False)


@pytest.mark.parametrize("file", ["arrow", "parquet", "folder"])
@pytest.mark.parametrize("kind", ["string", "large", "view", "dictionary", "list", "struct", "list of dictionary"])
def test_a_text_that_is_not_utf_8_stops_no_file(kind: str, file: str, tmp_path: Path) -> None:
    paths = []
    for name, texts in (("some", [b"a", b"b"]), ("more", [b"a", b"b", b"\xff"])):
        table = pa.table({"x": odd_texts(kind, texts)})
        path = tmp_path / f"{name}.{file}" if file != "folder" else tmp_path / name / "year=2026" / "part.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        (feather.write_feather if file == "arrow" else pq.write_table)(table, path)
        paths.append(path if file != "folder" else tmp_path / name)
    assert added(*paths) is None
    if file == "folder":
        assert read_texts(paths[1]).counts[1] == {"2026": 3}


BESIDE = {
    "int8": pa.array([1, -2, None], pa.int8()),
    "uint64": pa.array([1, 2**64 - 1, None], pa.uint64()),
    "float": pa.array([0.1, float("nan"), None], pa.float32()),
    "double": pa.array([0.1, float("inf"), 1e300]),
    "half": pa.array(np.array([0.5, 1, 2], np.float16)),
    "money": pa.array([Decimal("1.50"), Decimal("-0.01"), None], pa.decimal128(12, 2)),
    "wide money": pa.array([Decimal("1.50"), Decimal("-0.01"), None], pa.decimal256(50, 2)),
    "truth": pa.array([True, False, None]),
    "day": pa.array([DAY, date(1, 1, 1), None]),
    "clock": pa.array([time(5, 6, 7, 8), time(0), None]),
    "seconds": pa.array([HOUR, datetime(1, 1, 1), None], pa.timestamp("s")),
    "micros": pa.array([HOUR.replace(microsecond=5), datetime(1, 1, 1), None], pa.timestamp("us")),
    "nanos": pa.array([1, 10**18 + 1, None], pa.timestamp("ns")),
    "zoned": pa.array([HOUR, datetime(1, 1, 1), None], pa.timestamp("us", "Europe/Paris")),
    "coded": pa.array(["a", "b", None]).dictionary_encode(),
    "bytes": pa.array([b"a", b"\xff", None]),
    "fixed": pa.array([b"a", b"\xff", None], pa.binary(1)),
    "list": pa.array([[HOUR], [], None]),
    "record": pa.array([{"a": 1.5, "b": HOUR}, {"a": 2, "b": None}, None]),
    "map": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int64())),
}


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_a_text_that_is_not_utf_8_changes_no_column_beside_it(beside: str, ending: str, tmp_path: Path) -> None:
    found = []
    for name, last in (("some", b"c"), ("more", b"\xff")):
        table = pa.table({"x": odd_texts("string", [b"a", b"b", last]), "beside": BESIDE[beside]})
        (feather.write_feather if ending == "arrow" else pq.write_table)(table, tmp_path / f"{name}.{ending}")
        found.append(read_texts(tmp_path / f"{name}.{ending}").counts)
    assert found[0][0] == {"a": 1, "b": 1, "c": 1}
    assert found[1][0] == {"a": 1, "b": 1, None: 1}
    assert found[0][1] == found[1][1]


@pytest.mark.parametrize("kind", [pa.timestamp("ms"), pa.string()], ids=str)
@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_one_odd_value_stops_no_table_of_a_schema(kind: pa.DataType, ending: str, tmp_path: Path) -> None:
    schema = odp.Schema(
        {"x": {"kind": "timestamp", "lo": "1970-01-01 00:00:00", "hi": "1970-01-02 00:00:00"}, "n": "integer 0..3"}
    )
    if kind == pa.string():
        schema = odp.Schema({"x": {"kind": "categorical", "values": ["a", "b"]}, "n": "integer 0..3"})
    held = odd_texts("string", [b"a", b"b", b"\xff"]) if kind == pa.string() else counted(kind, [0, 1, 10**16])["x"]
    path = tmp_path / f"x.{ending}"
    (feather.write_feather if ending == "arrow" else pq.write_table)(pa.table({"x": held, "n": [0, 1, 2]}), path)
    assert odp.Table.from_file(path, schema).rows == 3


def test_columns_of_parquet_that_are_not_read_stop_nothing(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"a.b": ["x", "y"], "n": [1, 2], "far": odd_texts("string", [b"a", b"\xff"])}), tmp_path / "x.pq"
    )
    schema = odp.Schema({"a.b": {"kind": "categorical", "values": ["x", "y"]}, "n": "integer 0..3"})
    assert odp.Table.from_file(tmp_path / "x.pq", schema).codes.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize("digits", [20, 50])
@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_decimals_of_256_bits_are_numbers(digits: int, ending: str, tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([Decimal("1.50"), Decimal(2), None], pa.decimal256(digits, 2))})
    (feather.write_feather if ending == "arrow" else pq.write_table)(table, tmp_path / f"x.{ending}")
    assert read_texts(tmp_path / f"x.{ending}").counts == ({"1.5": 1, "2": 1, None: 1},)


def test_parts_of_single_and_double_floats_say_the_same(tmp_path: Path) -> None:
    for name, kind in (("a", pa.float32()), ("b", pa.float64())):
        pq.write_table(pa.table({"x": pa.array([float(np.float32(0.1)), 3.0], kind)}), tmp_path / f"{name}.parquet")
    assert read_texts(tmp_path).counts == ({"0.10000000149011612": 2, "3": 2},)


def test_frames_and_files_spell_numbers_and_moments_alike(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "numbers": [0.1, -0.0, 1e16, 2.0**63, 2.0**64, 1e-5, 1e300, float("inf"), -123456.75],
        "large": [2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 0, 1, 2, 3],
        "decimals": [*map(Decimal, ("1", "-2.50", "100", "0.00001", "0", "-0.0", "12345678901234567", "7", "8"))],
        "stamps": [HOUR, datetime(2020, 1, 1), HOUR.replace(microsecond=500_000), *[datetime(1, 2, 3)] * 6],
        "spans": [timedelta(days=2), timedelta(microseconds=-1), timedelta(0), *[timedelta(hours=30)] * 6],
        "times": [time(5), time(5, 6, 7), *[time(0)] * 7],
        "nested": [[{"a": 1.0, "b": None}], [], None, *[[{"a": 0.5, "b": [2**60]}]] * 6],
    }  # fmt: skip
    table = pa.table(columns)
    feather.write_feather(table, tmp_path / "x.arrow")
    assert read_texts(tmp_path / "x.arrow").counts == read_texts(table).counts == read_texts(pl.DataFrame(table)).counts
    comma = FileFormat(decimal=",")
    assert read_texts(tmp_path / "x.arrow", file=comma).counts == read_texts(table, file=comma).counts


def test_midnights_are_days_and_are_read_as_time_stamps(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [HOUR, datetime(2020, 1, 1), datetime(1990, 1, 1)]})
    frame.to_parquet(tmp_path / "x.parquet")
    schema = odp.Schema({"x": {"kind": "timestamp", "lo": "2000-01-01 00:00:00", "hi": "2030-12-31 23:59:59"}})
    for data in (frame, tmp_path / "x.parquet"):
        assert read_texts(data).counts == ({"2020-01-01 05:00:00": 1, "2020-01-01": 1, "1990-01-01": 1},)
        with text_rows(data, file=FileFormat()) as rows:
            read = odp.Table.from_texts(rows, schema)
        by_value = odp.Table.of(frame, schema)
        assert read.codes.tolist() == by_value.codes.tolist()
        assert read.mapped is not None
        assert read.mapped.sum() == 1, "that below the bound"


def test_a_csv_file_is_read_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x\n2020-01-01\n2020-01-01 00:00:00\n")
    assert read_texts(tmp_path / "x.csv").counts == ({"2020-01-01": 1, "2020-01-01 00:00:00": 1},)


@pytest.mark.parametrize("odd", [4j, None, "x", 2.5, 3 + 0j, Marked("x"), Decimal("sNaN"), [1]], ids=repr)
def test_one_odd_id_drops_no_other_person(odd: Any) -> None:
    schema = odp.Schema({"y": "integer 0..9"})
    frame = pd.DataFrame({"who": pd.Series([1, 2, 3, odd]), "y": [0, 1, 2, 3]})
    with text_rows(frame, file=FileFormat(), unit=Unit("who", 2)) as rows:
        assert set(rows.counted(["y"]).counts[0]) >= {"0", "1", "2"}
    assert odp.Table.of(frame, schema, person="who", rows_per_person=2).rows >= 3


def test_an_id_that_is_asked_never_fails() -> None:
    class Fails(float):
        def __float__(self) -> float:
            raise ValueError("a secret")

    assert [id_text(value) for value in (Fails(1), np.complex128(7), 7j, complex("nan"))] == [None, "7", None, None]


NESTED = {
    "dates": (pl.List(pl.Int32), pl.List(pl.Date), [[1], []], [2**30], None),
    "dates in records": (pl.Struct({"a": pl.Int32}), pl.Struct({"a": pl.Date}), [{"a": 1}], {"a": 2**30}, None),
    "stamps": (pl.List(pl.Int64), pl.List(pl.Datetime("ms")), [[1], [None]], [2**62], None),
    "zones": (pl.List(pl.Int64), pl.List(pl.Datetime("ms", "Asia/Tokyo")), [[1], None], [2**62], None),
    "fixed": (pl.Array(pl.Int64, 1), pl.Array(pl.Datetime("us"), 1), [[1]], [2**62], None),
    "deep": (pl.List(pl.List(pl.Int32)), pl.List(pl.List(pl.Date)), [[[1], []]], [[2**30]], None),
}


@pytest.mark.parametrize("kind", NESTED)
def test_a_moment_far_off_inside_of_another_value_is_not_shown(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    physical, logical, values, odd, text = NESTED[kind]
    some, more = (pl.DataFrame({"x": pl.Series(v, dtype=physical).cast(logical)}) for v in (values, [*values, odd]))
    assert added(some, more) == text
    assert odp.Table.of(more, odp.Schema({"x": "a | b"})).rows == len(more)
    assert capfd.readouterr().err == ""
