"""Files and SQL through DuckDB: formats, strictness, privacy of messages and of temporary files."""

from __future__ import annotations

import gzip
import math
import stat
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.data.table.duck import private_connection
from oracledp.errors import DataError, ParameterError

SCHEMA = Schema(
    {
        "age": {"kind": "integer", "lo": 17, "hi": 90, "thresholds": [25, 65]},
        "sex": {"kind": "categorical", "values": ["m", "f"], "nullable": True},
        "married": {"kind": "boolean"},
    }
)
HEADER = "age,sex,married,note\n"
ROWS = "20,m,yes,a\n30,f,No,b\n70,,1,\n20,m,TRUE,d\n"
CODES = [[0, 0, 1], [1, 1, 0], [2, 2, 1]]
FRAME = pandas.DataFrame({"age": [20, 30, 70, 20], "sex": ["m", "f", None, "m"], "married": [True, False, True, True]})


def histogram(table: Table) -> tuple[list[list[int]], list[int]]:
    return table.codes.tolist(), table.counts.tolist()


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_stream(path: Path, frame: pandas.DataFrame) -> None:
    rows = pyarrow.Table.from_pandas(frame)
    with pyarrow.ipc.new_stream(path, rows.schema) as stream:
        stream.write_table(rows, max_chunksize=2)


# ---- formats ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.csv", HEADER + ROWS),
        ("rows.CSV", HEADER + ROWS),
        ("rows.txt", HEADER + ROWS),
        ("rows.csv", HEADER + ROWS.rstrip("\n")),
        ("rows.csv", (HEADER + ROWS).replace("\n", "\r\n")),
        ("rows.csv", "\ufeff" + HEADER + ROWS),
        ("rows.csv", HEADER + "\n" + ROWS + "\n\n"),
        ("rows.tsv", (HEADER + ROWS).replace(",", "\t")),
        ("rows.csv.gz", gzip.compress((HEADER + ROWS).encode(), mtime=0)),
        ("a [b] *?'\".csv", HEADER + ROWS),
        ("rows.csv", HEADER + '"20","m","yes","two\nlines"\n30,f,0,"a ""b"""\n 70,"",1.0,\n+20.0,m,1,\n'),
    ],
)
def test_csv_files(tmp_path: Path, name: str, content: str | bytes) -> None:
    assert histogram(Table.from_file(write(tmp_path, name, content), SCHEMA)) == (CODES, [2, 1, 1])


def test_csv_with_another_delimiter(tmp_path: Path) -> None:
    path = write(tmp_path, "rows.csv", (HEADER + ROWS).replace(",", ";"))
    assert histogram(Table.from_file(path, SCHEMA, delimiter=";")) == (CODES, [2, 1, 1])
    with pytest.raises(DataError, match=r"column 'age' is missing from rows\.csv"):
        Table.from_file(path, SCHEMA)
    for delimiter in ("", ";;", '"', "\n"):
        with pytest.raises(ParameterError, match="delimiter must be one character"):
            Table.from_file(path, SCHEMA, delimiter=delimiter)


def test_parquet_arrow_and_feather_files(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "rows.parquet")
    FRAME.astype({"sex": "category"}).to_parquet(tmp_path / "rows.pq")
    polars.from_pandas(FRAME).write_ipc(tmp_path / "rows.arrow")
    polars.from_pandas(FRAME).with_columns(polars.col("sex").cast(polars.Categorical)).write_ipc(tmp_path / "rows.ipc")
    pyarrow.feather.write_feather(FRAME, tmp_path / "rows.feather")
    polars.from_pandas(FRAME).write_ipc_stream(tmp_path / "rows.arrows")
    write_stream(tmp_path / "stream.arrow", FRAME)
    for path in tmp_path.iterdir():
        assert histogram(Table.from_file(str(path), SCHEMA)) == (CODES, [2, 1, 1]), path.name


@pytest.mark.parametrize("values", [[0.0, 1.0, math.nan], [1.0, 1.0, math.nan], [0.0, math.nan, None]])
@pytest.mark.parametrize("kind", ["integer", "numeric", "boolean", "categorical"])
def test_nan_in_a_parquet_file_is_missing_though_the_bounds_of_the_file_leave_it_out(
    tmp_path: Path, kind: str, values: list[Any]
) -> None:
    more = {"integer": {"lo": 0, "hi": 1}, "numeric": {"lo": 0, "hi": 1, "bins": 2}}
    more["categorical"] = {"values": [0, 1], "other": "more"}  # type: ignore[dict-item]
    schema = Schema({"x": {"kind": kind, "nullable": True, **more.get(kind, {})}})
    rows = pyarrow.table({"x": pyarrow.array(values, type=pyarrow.float64())})
    pyarrow.parquet.write_table(rows, tmp_path / "rows.parquet")
    assert histogram(Table.from_file(tmp_path / "rows.parquet", schema)) == histogram(Table.from_frame(rows, schema))


def test_a_folder_of_parquet_files_is_one_table(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    FRAME[:1].to_parquet(tmp_path / "part-0.parquet")
    FRAME[1:].to_parquet(tmp_path / "deep" / "part-1.parquet")
    write(tmp_path, ".part-2.parquet", b"half written")
    write(tmp_path, "_SUCCESS", b"")
    assert histogram(Table.from_file(tmp_path, SCHEMA)) == (CODES, [2, 1, 1])


def test_a_partitioned_folder_gives_its_partition_as_text(tmp_path: Path) -> None:
    for age, part in FRAME.groupby("age"):
        (tmp_path / f"age={age}").mkdir()
        part.drop(columns="age").to_parquet(tmp_path / f"age={age}" / "rows.parquet")
    assert histogram(Table.from_file(tmp_path, SCHEMA)) == (CODES, [2, 1, 1])


def test_files_that_disagree_on_a_type_are_read_one_by_one(tmp_path: Path) -> None:
    """One missing value makes pandas write integers as floats, so the types may not decide."""
    FRAME.to_parquet(tmp_path / "a.parquet")
    FRAME.assign(age=[20, 30, 70.4, None], sex=[None] * 4).to_parquet(tmp_path / "b.parquet")
    table = Table.from_file(tmp_path, SCHEMA)
    assert table.codes.tolist() == [[0, 0, 1], [0, 2, 1], [1, 1, 0], [1, 2, 0], [2, 2, 1]]
    assert table.counts.tolist() == [2, 2, 1, 1, 2]
    with pytest.raises(DataError, match="the files disagree on the type of column 'age'"):
        Table.from_file(tmp_path, SCHEMA, strict=True)


# ---- refusals: one line, no value --------------------------------------------------------------------------
GOOD = "20,m,yes,a\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER + GOOD + "7777,m,yes,\n", "column 'age': 1 row is above the bound 90; the first at line 3"),
        (HEADER + GOOD + "x7777,m,yes,\n,m,yes,\n", "column 'age': 1 row is missing.*; 1 row is not a finite.* line 3"),
        (HEADER + '20,m,yes,"1\n2"\n' + "20,7777,no,\n", "column 'sex': 1 row is not among .* line 4"),
        (HEADER + GOOD + GOOD + "20,m,7777,\n", "column 'married': 1 row is not true or false.* line 4"),
        (HEADER + GOOD * 99 + "20,m,,\n", "column 'married': 1 row is missing, and .* line 101"),
        (HEADER + GOOD + "20,m,yes\n", "line 3: not a record of this CSV file"),
        (HEADER + GOOD + "20,m,yes,7777,7777\n", "line 3: not a record of this CSV file"),
        (HEADER + GOOD + '20,m,yes,"7777\n', "line 3: not a record of this CSV file"),
        ((HEADER + GOOD + "20,é7777,yes,\n").encode("latin-1"), "not UTF-8 text"),
        ((HEADER + GOOD * 9999 + "20,é7777,yes,\n").encode("latin-1"), "line 10001: not UTF-8 text"),
        (HEADER.encode("utf-16"), "not UTF-8 text"),
        ("", "line 1 must be a header"),
        ("\n\n", "line 1 must be a header"),
        ('"age\n",sex,married\n', "line 1 must be a header"),
        (ROWS, "column 'age' is missing from rows.csv"),
        ("age,sex\n20,m\n", "column 'married' is missing from rows.csv"),
        ("Age,sex,married\n20,m,1\n", "column 'age' is missing from rows.csv"),
        ("age,sex,married,age\n20,m,1,7777\n", "column 'age' stands twice in rows.csv"),
    ],
)  # fmt: skip
def test_a_bad_csv_file_is_refused_in_one_line_without_values(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        Table.from_file(write(tmp_path, "rows.csv", content), SCHEMA, strict=True)
    assert "\n" not in str(caught.value)
    assert "7777" not in str(caught.value)
    assert caught.value.__context__ is None, "the cause would carry data into logs"


# ---- what is no record of the file is one of missing values ---------------------------------------------------
@pytest.mark.parametrize(
    "line",
    [
        b"20", b"20,m,yes", b'20,m,yes,"7"7"\n', b"20,\xe9,yes,", b"\xff\xfe,,,,,", b'20,m,yes,"open', b"x" * 3_000_000,
        b"7777,q,perhaps,", b"77.5,,,", b",,,", b"20,m\0,yes,", b'20,"m"m,yes,a', b"\xe9",
    ],
    ids=lambda line: repr(line[:12]),
)  # fmt: skip
@pytest.mark.parametrize("packed", [False, True])
def test_a_line_that_is_no_record_is_one_record_and_changes_no_other(tmp_path: Path, line: bytes, packed: bool) -> None:
    content = (HEADER + ROWS).encode() + line
    name = "rows.csv.gz" if packed else "rows.csv"
    table = Table.from_file(write(tmp_path, name, gzip.compress(content, mtime=0) if packed else content), SCHEMA)
    good = dict(zip(map(tuple, CODES), [2, 1, 1], strict=True))
    found = dict(zip(map(tuple, table.codes.tolist()), table.counts.tolist(), strict=True))
    assert table.rows == 5
    assert all(found[record] >= count for record, count in good.items())


def test_rows_that_cannot_be_read_are_counted_among_many(tmp_path: Path) -> None:
    bad = (b"20\n", b"20,\xe9,yes,\n", b"20,m\n")
    lines = [bad[index % 3] if index % 1000 == 7 else b"20,m,yes,a\n" for index in range(200_000)]
    table = Table.from_file(write(tmp_path, "rows.csv", HEADER.encode() + b"".join(lines)), SCHEMA)
    assert histogram(table) == ([[0, 0, 1], [0, 2, 0]], [199_800, 200])
    assert table.mapped is not None
    assert table.mapped[:, 0].tolist() == [200, 0, 200]


def test_a_file_of_a_header_alone_is_an_empty_table(tmp_path: Path) -> None:
    assert Table.from_file(write(tmp_path, "rows.csv", HEADER), SCHEMA).rows == 0
    FRAME[:0].to_parquet(tmp_path / "rows.parquet")
    assert Table.from_file(tmp_path / "rows.parquet", SCHEMA).rows == 0
    assert Table.from_sql("SELECT 20 AS age, 'm' AS sex, 1 AS married LIMIT 0", SCHEMA).rows == 0


# ---- what is public is refused ---------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow", "rows.arrows", "rows.csv.gz"])
@pytest.mark.parametrize("kept", [0, 3, 0.5, 0.99])
def test_truncated_files_are_refused(tmp_path: Path, name: str, kept: float) -> None:
    whole = pandas.concat([FRAME] * 500).assign(note=[index * 7919 % 104729 for index in range(2000)])
    if name.endswith("parquet"):
        whole.to_parquet(tmp_path / name)
    elif name.endswith("arrows"):
        write_stream(tmp_path / name, whole)
    elif name.endswith("arrow"):
        polars.from_pandas(whole).write_ipc(tmp_path / name)
    else:
        whole.to_csv(tmp_path / name)
    content = (tmp_path / name).read_bytes()
    write(tmp_path, name, content[: int(kept if kept >= 1 else kept * len(content))])
    with pytest.raises(DataError, match=f"^{name}: ") as caught:
        Table.from_file(tmp_path / name, SCHEMA)
    assert "\n" not in str(caught.value)


def test_a_stream_cut_between_two_batches_is_refused(tmp_path: Path) -> None:
    write_stream(tmp_path / "rows.arrows", FRAME)
    content = (tmp_path / "rows.arrows").read_bytes()
    write(tmp_path, "rows.arrows", content[:-8])
    with pytest.raises(DataError, match=r"rows\.arrows: cannot be read: damaged, truncated"):
        Table.from_file(tmp_path / "rows.arrows", SCHEMA)


def test_a_bad_stream_is_refused_by_column_and_row(tmp_path: Path) -> None:
    write_stream(tmp_path / "rows.arrows", FRAME.assign(age=[20, 20, 20, 7777]))
    with pytest.raises(DataError, match=r"column 'age': 1 row is above .*; the first at row 4"):
        Table.from_file(tmp_path / "rows.arrows", SCHEMA, strict=True)


def test_missing_and_unknown_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.csv: no such file"):
        Table.from_file(tmp_path / "none.csv", SCHEMA)
    with pytest.raises(DataError, match="holds no Parquet file"):
        Table.from_file(tmp_path, SCHEMA)
    for name in ("rows.xlsx", "rows", "rows.parquet.gz", ".csv"):
        with pytest.raises(DataError, match="the format is told by the name"):
            Table.from_file(write(tmp_path, name, HEADER + ROWS), SCHEMA)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"age": [20, 7777, 20, 20]}, "column 'age': 1 row is above .*; the first at row 2"),
        ({"age": [20, 20.5, 20, 20]}, "column 'age': 1 row is not a whole number; the first at row 2"),
        ({"age": pandas.to_datetime(["2020-01-01"] * 4)}, "column 'age': the type TIMESTAMP.* is not supported"),
        ({"sex": [1.0, 2.0, 3.0, 4.0]}, "column 'sex': 4 rows are not among the listed values; the first at row 1"),
        ({"sex": [True] * 4}, "column 'sex': 4 rows are not among the listed values; the first at row 1"),
        ({"married": [True, None, False, True]}, "column 'married': 1 row is missing, .*; the first at row 2"),
    ],
)
def test_a_bad_parquet_file_is_refused_by_column_and_row(tmp_path: Path, change: Any, message: str) -> None:
    FRAME.assign(**change).to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(DataError, match=message) as caught:
        Table.from_file(tmp_path / "rows.parquet", SCHEMA, strict=True)
    assert "7777" not in str(caught.value)


# ---- SQL ---------------------------------------------------------------------------------------------------
def test_relations_and_queries(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "rows.parquet")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE people AS SELECT * FROM '{tmp_path}/rows.parquet'")
        before = connection.execute("SELECT * FROM duckdb_views() WHERE NOT internal").fetchall()
        wanted = (CODES, [2, 1, 1])
        assert histogram(Table.from_sql(connection.table("people"), SCHEMA)) == wanted
        assert histogram(Table.from_sql("SELECT *, 1 AS x FROM people", SCHEMA, connection=connection)) == wanted
        assert connection.execute("SELECT * FROM duckdb_views() WHERE NOT internal").fetchall() == before
        connection.execute("SELECT * FROM range(5000)").fetchone()
        with pytest.raises(DataError, match="the connection has an unfinished result"):
            Table.from_sql("SELECT * FROM people", SCHEMA, connection=connection)
    assert histogram(Table.from_sql(f"SELECT * FROM '{tmp_path}/rows.parquet'", SCHEMA)) == wanted


@pytest.mark.parametrize(
    "source",
    [
        "CAST(20 AS HUGEINT) AS age, 'm' AS sex, 1 AS married",
        "CAST(20 AS UHUGEINT) AS age, 'm'::ENUM('f', 'm') AS sex, 1.0 AS married",
        "20.00::DECIMAL(9, 2) AS age, 'm' AS sex, '1.0' AS married",
        "20::FLOAT AS age, 'm' AS sex, 1::UBIGINT AS married",
    ],
)
def test_every_numeric_type_of_sql_is_read(source: str) -> None:
    assert histogram(Table.from_sql(f"SELECT {source}", SCHEMA)) == ([[0, 0, 1]], [1])


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELEC 1", "^the query: failed in DuckDB.*ParserException"),
        ("SELECT * FROM nowhere", "^the query: failed in DuckDB.*CatalogException"),
        ("SELECT CAST('x7777' AS INTEGER) AS age", "^(the query|column)"),
        ("SELECT CAST(s AS INT) AS age, 'm' AS sex, 1 AS married FROM (VALUES ('7777x')) v(s)", "ConversionException"),
        ("SELECT 20 AS age, 'm' AS sex", "column 'married' is missing from the query"),
        ("SELECT 20 AS age, 21 AS AGE, 'm' AS sex, 1 AS married", "column 'age' stands twice .* where case is ignored"),
        ("SELECT [20] AS age, 'm' AS sex, 1 AS married", r"column 'age': the type INTEGER\[\] is not supported"),
    ],
)  # fmt: skip
def test_a_bad_query_is_refused_without_duckdbs_message(query: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        Table.from_sql(query, SCHEMA, strict=True)
    assert "7777" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_private_connection_does_not_see_the_callers_frames() -> None:
    people = FRAME
    with pytest.raises(DataError, match="CatalogException"):
        Table.from_sql("SELECT * FROM people", SCHEMA)
    assert len(people) == 4


# ---- temporary files -----------------------------------------------------------------------------------------
def test_spilled_data_are_private_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with private_connection() as connection:
        connection.execute("SET memory_limit = '60MB'")
        connection.execute("CREATE TEMP TABLE t AS SELECT hash(i) AS a, hash(i + 1) AS b FROM range(4000000) r(i)")
        (folder,) = tmp_path.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert any(folder.rglob("*")), "nothing was spilled: the test would prove nothing"
    assert not list(tmp_path.iterdir())


def test_nothing_is_left_after_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with pytest.raises(DataError):
        Table.from_file(write(tmp_path, "rows.csv", HEADER + "7777,m,yes,\n"), SCHEMA, strict=True)
    assert not list((tmp_path / "temporary").iterdir())
