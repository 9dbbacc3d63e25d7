"""Rows as texts: read once, by the row alone, and the same rows whether they are counted or read by a schema."""

from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import oracledp as odp
from oracledp.data.schema import FileFormat, Ordered
from oracledp.data.table.texts import read_texts, text_rows
from oracledp.data.table.unit import Unit
from oracledp.errors import DataError, OracleDPError, ParameterError

HALF = 1500


def stored(path: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def made(data: Any, **options: Any) -> tuple[Any, odp.Synthesizer]:
    given = {"epsilon": 10, "delta": "1e-6", "workload": "marginals:2", "source": odp.SeededRandomness(4)} | options
    return odp.synthesize_raw(data, **given)


@pytest.mark.parametrize("values", [[0.0, 0.0, -0.0], [-0.0, 0.0, 0.0]], ids=["last", "first"])
def test_no_row_spells_the_number_of_another(values: list[float], tmp_path: Path) -> None:
    """0.0 and -0.0 are equal to an engine: whichever came first would speak for both, were they not spelled alike."""
    lists = stored(tmp_path / "lists.parquet", x=pa.array([[value] for value in values]))
    assert read_texts(lists).counts == ({"[0]": 3},)
    plain = stored(tmp_path / "plain.parquet", x=pa.array(values))
    assert read_texts(plain).counts == read_texts(pd.DataFrame({"x": values})).counts == ({"0": 3},)


def test_whole_numbers_are_spelled_alike_however_they_are_stored(tmp_path: Path) -> None:
    """One missing value makes floats of a column of integers, and no other row may be spelled otherwise for it."""
    whole = stored(tmp_path / "whole.parquet", x=pa.array([3, 4, -5]))
    floats = stored(tmp_path / "floats.parquet", x=pa.array([3.0, 4.0, -5.0, None, float("nan")]))
    assert read_texts(floats).counts == ({**read_texts(whole).counts[0], None: 2},)
    odd = stored(tmp_path / "odd.parquet", x=pa.array([2.5, float("inf"), 1e300]))
    assert read_texts(odd).counts == ({"2.5": 1, "inf": 1, "1e+300": 1},)
    comma = read_texts(odd, file=FileFormat(decimal=","))
    assert comma.counts == ({"2,5": 1, "inf": 1, "1e+300": 1},)


@pytest.mark.parametrize(
    ("second", "texts"),
    [
        (pa.array([4.5, None]), {"4.5": 1, None: 1}),
        (pa.array(["4", "x"]), {"4": 1, "x": 1}),
        (pa.array([1e300, 4.0]), {"1e+300": 1, "4": 1}),
        (pa.array([date(2020, 1, 2), None]), {"2020-01-02": 1, None: 1}),
    ],
    ids=["floats", "texts", "huge", "dates"],
)
def test_parts_of_a_folder_are_read_by_the_types_that_they_have(second: Any, texts: Any, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    stored(folder / "a.parquet", x=pa.array([1, 2, 3]), who=pa.array([1, 1, 2]))
    stored(folder / "b.parquet", x=second, who=pa.array(["3", "4"]))
    expected = {"1": 1, "2": 1, "3": 1, **texts}
    assert read_texts(folder).counts[0] == expected
    kept = read_texts(folder, unit=Unit("who", 2))
    assert (kept.names, kept.counts) == (("x",), (expected,))
    assert read_texts(folder, unit=Unit("who")).rows == 4


def test_a_part_without_a_column_is_refused_by_the_name_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    stored(folder / "a.parquet", x=pa.array([1]), y=pa.array([1]))
    stored(folder / "b.parquet", x=pa.array(["1"]))
    with pytest.raises(DataError, match="'y' is missing"):
        read_texts(folder)


STORED: dict[str, Any] = {
    "dates": [date(2020, 1, 5), date(2021, 3, 4)],
    "stamps": [datetime(2020, 1, 5), datetime(2021, 3, 4, 11, 12, 13)],
    "zones": pa.array([0, 10**15] * HALF, pa.timestamp("us", tz="UTC")),
    "times": [time(3, 4), time(5)],
    "lists": [[1, 2], [3]],
    "structs": [{"a": 1}, {"a": 2}],
    "bytes": [b"ab", b"\xff"],
    "truths": [True, False],
}


@pytest.mark.parametrize("kind", STORED)
def test_what_can_be_bought_can_be_read_by_what_was_bought(kind: str, tmp_path: Path) -> None:
    """Both halves of the rows come back, from a file as from a frame, whatever type they are stored in."""
    held = STORED[kind] if isinstance(STORED[kind], pa.Array) else pa.array(STORED[kind] * HALF)
    table = pa.table({"x": held, "y": pa.array(["u", "v"] * HALF)})
    pq.write_table(table, tmp_path / "raw.parquet")
    for data in (tmp_path / "raw.parquet", table):
        found, synthesizer = made(data)
        column, total = found.schema["x"], 2 * HALF
        assert column.nullable == isinstance(column, Ordered)
        with text_rows(data, file=found.schema.file) as rows:
            read = odp.Table.from_texts(rows, found.schema)
        assert read.mapped is not None
        assert (read.rows, int(read.mapped.sum())) == (total, 0)
        shares = pd.Series(read.histogram(["x"])).sort_values(ascending=False).head(2) / total
        assert shares.tolist() == [0.5, 0.5]
        made_up = synthesizer.sample(1000, seed=0)
        assert made_up["x"].null_count == 0 if isinstance(data, pa.Table) else made_up["x"].notna().all()


def test_truth_values_come_back_in_their_shares(tmp_path: Path) -> None:
    truths = np.random.default_rng(0).random(3000) < 0.9
    gone = np.random.default_rng(1).random(3000) < 0.2
    frame = pd.DataFrame({"plain": truths, "gaps": pd.array(np.where(gone, None, truths), dtype="boolean")})
    frame.to_parquet(tmp_path / "raw.parquet")
    for data in (frame, tmp_path / "raw.parquet"):
        rows = made(data)[1].sample(2000, seed=0)
        assert abs((rows["plain"].astype(str).str.lower() == "true").mean() - 0.9) < 0.03
        assert abs(rows["gaps"].isna().mean() - 0.2) < 0.04


def test_truth_values_that_were_bought_are_read_by_type_and_by_text(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [True, False, True] * 1000, "gaps": pd.Series([True, None, False] * 1000, dtype=object)})
    frame.to_parquet(tmp_path / "raw.parquet")
    for data in (frame, pa.Table.from_pandas(frame), tmp_path / "raw.parquet"):
        schema = odp.infer_schema(data, epsilon=4, delta="1e-6", source=odp.SeededRandomness(1)).schema
        columns = schema.to_json()["columns"]
        assert columns == {"x": {"kind": "boolean"}, "gaps": {"kind": "boolean", "nullable": True}}
        by_type = odp.Table.from_address(data, schema) if isinstance(data, Path) else odp.Table.of(data, schema)
        with text_rows(data, file=schema.file) as rows:
            by_text = odp.Table.from_texts(rows, schema)
        assert (by_type.codes == by_text.codes).all()
        assert by_type.counts.tolist() == by_text.counts.tolist() == [1000, 1000, 1000]


def test_the_words_true_and_false_of_a_csv_file_stay_words(tmp_path: Path) -> None:
    (tmp_path / "raw.csv").write_text("x\n" + "true\nfalse\n" * 2000)
    found = odp.infer_schema(tmp_path / "raw.csv", epsilon=4, delta="1e-6", source=odp.SeededRandomness(1))
    assert found.schema["x"].labels[:2] == ("false", "true")
    assert found.schema["x"].kind == "categorical"
    mixed = pd.DataFrame({"x": pd.Series([True, False] * 1500 + [f"text {number}" for number in range(900)])})
    among = odp.infer_schema(mixed, epsilon=4, delta="1e-6", source=odp.SeededRandomness(1)).schema["x"]
    assert among.labels == ("false", "true", "other"), "many rows hold neither"


def test_both_readings_keep_the_same_rows_of_a_person(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"who": generator.integers(0, 40, 400), "x": generator.integers(2, 30, 400)})
    frame.to_csv(tmp_path / "raw.csv", index=False)
    schema = odp.Schema({"x": "integer 0..40"})
    for data in (frame, tmp_path / "raw.csv"):
        with text_rows(data, file=FileFormat(), unit=Unit("who", 2)) as rows:
            counted, table = rows.counted(["x"]).counts[0], odp.Table.from_texts(rows, schema)
        assert {str(code): int(n) for (code,), n in zip(table.codes, table.counts, strict=True)} == counted
        assert table.unit == Unit("who", 2)


def test_a_stream_is_read_once(tmp_path: Path) -> None:
    table = pa.table({"a": ["p", "q"], "b": ["u", "v"], "c": ["w", "w"]})
    with pa.OSFile(str(tmp_path / "s.arrows"), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
    assert read_texts(tmp_path / "s.arrows").counts == ({"p": 1, "q": 1}, {"u": 1, "v": 1}, {"w": 2})


@pytest.mark.parametrize("memory", ["much", "-1GB", "4"])
def test_an_odd_amount_of_memory_costs_nothing(memory: str, tmp_path: Path) -> None:
    ledger = odp.Ledger.create(tmp_path / "study.ledger", epsilon=30, delta="1e-5")
    path = stored(tmp_path / "raw.parquet", x=pa.array([2, 3] * HALF))
    for data in (path, pd.read_parquet(path)):
        with pytest.raises(ParameterError, match="memory"):
            made(data, memory=memory, ledger=ledger)
    assert ledger.spent == (0, 0)


def test_a_file_that_goes_away_after_it_was_read_is_not_missed(tmp_path: Path) -> None:
    """What a run reads after the charge is what was read before it."""
    path = stored(tmp_path / "raw.parquet", x=pa.array([2, 3] * HALF))
    found, synthesizer = made(path, check=lambda columns: path.unlink(), memory="1GB")
    assert found.schema.names == ("x",)
    assert abs(synthesizer.sample(1000, seed=0)["x"].mean() - 2.5) < 0.3


def test_names_that_are_no_texts_are_refused_in_one_line(tmp_path: Path) -> None:
    ledger = odp.Ledger.create(tmp_path / "study.ledger", epsilon=30, delta="1e-5")
    with pytest.raises(OracleDPError, match="name of every column must be a text"):
        made(pd.DataFrame({0: [1, 2], "b": [3, 4]}), ledger=ledger)
    assert ledger.spent == (0, 0)


def far(kind: str) -> Any:
    """Frames of two ordinary values and one between them that Python cannot hold."""
    days, seconds = [0, 2**30, 1], [0, 10**14, 86_400]
    texts = pa.Array.from_buffers(pa.string(), 3, pa.array([b"a", b"\xff", b"c"]).buffers())
    return {
        "pyarrow stamps": lambda: pa.table({"x": pa.array(seconds, pa.int64()).cast(pa.timestamp("s"))}),
        "pyarrow dates": lambda: pa.table({"x": pa.array(days, pa.int32()).cast(pa.date32())}),
        "pyarrow spans": lambda: pa.table({"x": pa.array([0, 2**62, 60], pa.int64()).cast(pa.duration("s"))}),
        "pyarrow texts": lambda: pa.table({"x": texts}),
        "pandas stamps": lambda: pd.DataFrame({"x": pd.Series(seconds).astype(pd.ArrowDtype(pa.timestamp("s")))}),
        "polars dates": lambda: pl.DataFrame({"x": pl.Series(days).cast(pl.Int32).cast(pl.Date)}),
        "polars stamps": lambda: pl.DataFrame({"x": pl.Series([0, 2**62, 10**9]).cast(pl.Datetime("us"))}),
        "polars coarse stamps": lambda: pl.DataFrame({"x": pl.Series([0, 2**60, 10**9]).cast(pl.Datetime("ms"))}),
        "polars zones": lambda: pl.DataFrame({"x": pl.Series([0, 2**60, 10**9]).cast(pl.Datetime("ms", "Asia/Tokyo"))}),
        "polars spans": lambda: pl.DataFrame({"x": pl.Series([0, 2**62, 60_000]).cast(pl.Duration("ms"))}),
        "polars lists": lambda: pl.DataFrame({"x": pl.Series([[0], [2**62], [1]]).cast(pl.List(pl.Datetime("us")))}),
    }[kind]()


FAR = (
    "pyarrow stamps", "pyarrow dates", "pyarrow spans", "pyarrow texts", "pandas stamps", "polars dates",
    "polars stamps", "polars coarse stamps", "polars zones", "polars spans", "polars lists",
)  # fmt: skip


@pytest.mark.parametrize("kind", FAR)
def test_a_value_that_python_cannot_hold_stops_nothing_and_spells_no_other_anew(
    kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    frame = far(kind)
    counts = read_texts(frame).counts[0]
    ordinary = nw.to_native(nw.from_native(frame, eager_only=True)[[0, 2]])
    assert counts == {**read_texts(ordinary).counts[0], None: 1}
    schema = odp.Schema({"x": {"kind": "categorical", "values": ["a", "b"], "other": "else"}})
    table = odp.Table.of(frame, schema)
    assert table.rows == 3
    assert capfd.readouterr().err == ""


class Odd:
    """A value that fails in one of the ways in which it may be asked for what it is."""

    def __init__(self, way: str) -> None:
        self.way = way

    def __hash__(self) -> int:
        if self.way == "hash":
            raise ValueError("a secret")
        return 1

    def __eq__(self, other: object) -> bool:
        if self.way == "eq":
            raise ValueError("a secret")
        return self is other

    def __str__(self) -> str:
        if self.way == "str":
            raise ValueError("a secret")
        return "odd"


@pytest.mark.parametrize("way", ["hash", "eq", "str"])
def test_a_value_that_fails_when_it_is_asked_is_malformed(way: str) -> None:
    held = [1, Odd(way), Odd(way), 2]
    schema = odp.Schema({"x": "integer 0..9?"})
    for table in (
        odp.Table.from_columns({"x": held}, schema),
        odp.Table.of(pd.DataFrame({"x": pd.Series(held, dtype=object)}), schema),
    ):
        assert table.rows == 4
        assert table.mapped is not None
        assert table.mapped.sum() == 2
    assert read_texts(pd.DataFrame({"x": pd.Series(held, dtype=object)})).rows == 4
