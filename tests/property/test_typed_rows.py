"""Synthetic rows hold moments and amounts by types that the schema alone decides, and are read as the same codes."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracledp as odp
from oracledp.data.output.frames import FrameShape
from oracledp.data.output.row_writing import write_csv, write_parquet
from oracledp.data.schema.durations import Duration
from oracledp.data.schema.moments import STORED, Date, Moment, Timestamp
from oracledp.data.schema.text_kinds import FORMATS

LIBRARIES = ("pandas", "polars", "pyarrow")
SQL = {"date": "DATE", "timestamp": "TIMESTAMP", "duration": "VARCHAR"}
ARROW = {"date": pa.date32(), "timestamp": pa.timestamp("us"), "duration": pa.duration("us")}
ENDS = {
    "date": ("1000-01-01", "9999-12-31"),
    "timestamp": ("1000-01-01 00:00:00", "9999-12-31 23:59:59"),
    "duration": ("0:00:00", "9999:59:59"),
}


@st.composite
def moments(draw: st.DrawFn) -> dict[str, Any]:
    kind: type[Moment] = draw(st.sampled_from([Date, Timestamp, Duration]))
    lo, hi = ENDS[kind.kind]
    entry = {"kind": kind.kind, "lo": lo, "hi": hi, "nullable": draw(st.booleans())}
    spelled, stored = draw(st.sampled_from(FORMATS[kind])), draw(st.sampled_from([None, *STORED]))
    own = {} if spelled == kind.usual else {"format": spelled}
    return entry | own | ({} if stored is None else {"stored": stored})


def amounts() -> st.SearchStrategy[dict[str, Any]]:
    lows, places = st.integers(-(10**6), 10**6), st.integers(0, 6)
    return st.builds(lambda lo, p: {"kind": "decimal", "lo": lo, "hi": lo + 10**6, "places": p}, lows, places)


SCHEMAS = st.lists(moments() | amounts(), min_size=1, max_size=5).map(
    lambda entries: odp.Schema({f"c{place}": entry for place, entry in enumerate(entries)})
)


def rows_of(schema: odp.Schema, seed: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    generator = np.random.default_rng(seed)
    codes = np.stack([generator.integers(0, size, 9) for size in schema.sizes], axis=1).astype(schema.code_dtype)
    codes[0] = [size - 1 for size in schema.sizes]
    return codes, schema.decode(codes, generator.random(codes.shape))


def counted(table: odp.Table) -> list[tuple[int, ...]]:
    return sorted(map(tuple, np.repeat(table.codes, table.counts, axis=0).tolist()))


@settings(derandomize=True, deadline=None, max_examples=25)
@given(schema=SCHEMAS, seed=st.integers(0, 99))
def test_frames_and_files_give_the_same_codes_again(schema: odp.Schema, seed: int) -> None:
    codes, values = rows_of(schema, seed)
    expected = sorted(map(tuple, codes.tolist()))
    for library in LIBRARIES:
        frame = FrameShape(library, schema.columns).build(values)
        assert counted(odp.Table.from_frame(frame, schema, strict=True)) == expected
    plain = FrameShape.plain(schema).build(values)
    with TemporaryDirectory() as folder:
        for name, write in (("rows.parquet", write_parquet), ("rows.csv", lambda p, f: write_csv(p, f, schema.file))):
            with (Path(folder) / name).open("wb") as file:
                write([plain], file)
            assert counted(odp.Table.from_file(Path(folder) / name, schema, strict=True)) == expected
        read = duckdb.read_parquet(str(Path(folder) / "rows.parquet"))
        found = dict(zip(read.columns, map(str, read.types), strict=True))
    for column in schema.columns:
        if isinstance(column, Moment):
            typed = column.format == column.usual if column.stored is None else column.stored == "typed"
            assert found[column.name] == (SQL[column.kind] if typed else "VARCHAR")
        else:
            assert found[column.name] == f"DECIMAL(18,{column.to_json()['places']})"


@settings(derandomize=True, deadline=None, max_examples=15)
@given(schema=SCHEMAS, seed=st.integers(0, 99))
def test_a_frame_that_is_stored_by_its_own_library_is_read_again(schema: odp.Schema, seed: int) -> None:
    """Durations are whole numbers to Parquet, whose meaning stands in a note of Arrow's."""
    codes, values = rows_of(schema, seed)
    table = FrameShape("pyarrow", schema.columns).build(values)
    for column, kind in zip(schema.columns, table.schema.types, strict=True):
        if isinstance(column, Moment):
            assert kind == (ARROW[column.kind] if column.typed else pa.string())
    with TemporaryDirectory() as folder:
        pq.write_table(table, Path(folder) / "rows.parquet")
        with pa.OSFile(str(Path(folder) / "rows.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        for name in ("rows.parquet", "rows.arrow"):
            for strict in (False, True):
                read = odp.Table.from_file(Path(folder) / name, schema, strict=strict)
                assert counted(read) == sorted(map(tuple, codes.tolist()))


@pytest.mark.parametrize("library", LIBRARIES)
def test_types_say_nothing_of_the_rows(library: str) -> None:
    """The same types for rows that are all missing as for rows of which none is."""
    entries = {kind: {"kind": kind, "lo": lo, "hi": hi, "nullable": True} for kind, (lo, hi) in ENDS.items()}
    schema = odp.Schema({**entries, "paid": {"kind": "decimal", "lo": 0, "hi": 9, "places": 2, "nullable": True}})
    shape = FrameShape(library, schema.columns)
    full = shape.build(schema.decode(np.zeros((2, 4), dtype=schema.code_dtype)))
    gone = shape.build(schema.decode(np.array([[size - 1 for size in schema.sizes]], dtype=schema.code_dtype)))
    types = [frame.schema if library == "pyarrow" else dict(frame.dtypes if library == "pandas" else frame.schema)
             for frame in (full, gone)]  # fmt: skip
    assert types[0] == types[1]


def test_moments_are_those_of_python() -> None:
    schema = odp.Schema({kind: {"kind": kind, "lo": lo, "hi": hi} for kind, (lo, hi) in ENDS.items()})
    zeros = np.zeros((1, 3), dtype=schema.code_dtype)
    frame = FrameShape("polars", schema.columns).build(schema.decode(zeros, np.zeros((1, 3))))
    assert frame.row(0) == (date(1000, 1, 1), datetime(1000, 1, 1), timedelta(0))
