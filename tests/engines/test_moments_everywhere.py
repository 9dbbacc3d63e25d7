"""Dates, time stamps and durations held as texts are the same records on every engine, and so is what is none."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow
import pytest
import sqlglot
from numpy import array_equal
from pyarrow import feather, parquet

from oracledp.data.schema import Schema
from oracledp.data.table import PushDown, Table
from oracledp.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

DAYS = {"kind": "date", "lo": "1000-01-01", "hi": "9999-12-31", "nullable": True}
TIMES = {"kind": "timestamp", "lo": "1900-01-01 00:00:00", "hi": "2099-12-31 23:59:59", "nullable": True}
SCHEMA = Schema(
    {
        "iso": {**DAYS, "lo": "1999-01-01", "hi": "2030-12-31"},
        "old": {**DAYS, "format": "%d.%m.%Y", "missing": "-"},
        "us": {**DAYS, "lo": "1999-01-01", "hi": "2030-12-31", "format": "%m/%d/%Y"},
        "bare": {**DAYS, "lo": "1999-01-01", "hi": "2030-12-31", "format": "%Y%m%d"},
        "padded": {**DAYS, "lo": "1999-01-01", "hi": "2030-12-31", "format": " %Y %m %d "},
        "seen": {**TIMES, "resolution": 1},
        "zulu": {**TIMES, "format": "%d/%m/%YT%H:%M:%S", "resolution": 86400, "nullable": False},
        "brief": {**TIMES, "format": "%d.%m.%Y %H:%M"},
        "named": {**DAYS, "format": "%-d %B %Y"},
        "comma": {**DAYS, "lo": "1999-01-01", "hi": "2030-12-31", "format": "%b %-d, %Y"},
        "oracle": {**DAYS, "format": "%d-%b-%Y"},
        "late": {**TIMES, "format": "%B %-d, %Y %H:%M", "resolution": 86400},
        "utc": {**TIMES, "format": "%Y-%m-%dT%H:%M:%SZ"},
        "fine": {**TIMES, "format": "%Y-%m-%d %H:%M:%S.%f+00:00"},
        "wait": {"kind": "duration", "lo": "0:00:00", "hi": "99:00:00", "nullable": True},
        "short": {"kind": "duration", "lo": "0:00:00", "hi": "30:00:00", "format": "%M:%S", "nullable": True},
    }
)
MOMENTS = [
    *(datetime(year, 2, 28, 23, 59, 59) + timedelta(days=n) for year in (1000, 1900, 2000, 2024) for n in range(3)),
    *(datetime(2026, month, 28, 1, 2, 3) + timedelta(days=days) for month in range(1, 13) for days in range(4)),
    datetime(1582, 10, 10),  # which the calendar of that time left out
    datetime(1883, 11, 18, 12, 0, 1),
    datetime(1969, 12, 31, 23, 59, 59),
    datetime(1970, 1, 1),
    datetime(2038, 1, 19, 3, 14, 8),
    datetime(9999, 12, 31, 23, 59, 59),
    datetime(2026, 3, 29, 2, 30),  # which clocks of Berlin leave out
]  # fmt: skip
WRONG = [
    None, "", " ", "\t", "-", "nan", "NaN ", "x", "0", "20260203", "2026-02-03", "2026-02-30", "2026-2-3", "2026-02-3",
    "26-02-03", "2026-02-29", "2024-02-29", "1900-02-29", "2000-02-29", "2026-04-31", "2026-00-10", "2026-13-01",
    "2026-01-00", "2026-01-32", "0999-12-31", "0000-01-01", "10000-01-01", "-2026-01-01", "+2026-01-01", "2026-02-03 ",
    "  2026-02-03", "2026-02-03\n", "\n2026-02-03", "2026-02-03\t", "2026-02-03\u00a0", "2026 -02-03", "2026-02-03x",
    "2026/02/03", "2026-02-03T00:00:00", "2026-02-03 24:00:00", "2026-02-03 23:60:00", "2026-02-03 23:59:60",
    "2026-02-30 10:00:00", "2026-02-03 1:00:00", "2026-02-03 01:00:00.5", "2026-02-03 01:00:00Z", "2026-02-03 01:00",
    "2026-02-03  01:00:00", " 2026-02-03 01:00:00  ", "30/02/2026T00:00:00", "29/02/2026T00:00:00", "2026-02-03'",
    "NULL", "02/30/2026", "30.02.2026", "31.04.2026", "29.02.1900", "29.02.2000", "20260230", "2026 02 30",
    " 2026 02 03 ", "\u0662\u0660\u0662\u0666-\u0660\u0662-\u0660\u0663", "\uff12026-01-01", "now", "today", "infinity",
    "epoch", "2026-035", "0:00:00", "00:00:00", "1:5:00", "1:05:60", "1:60:00", "99:59:59", "999999:00:00",
    "31 February 2024", "29 February 2023", "29 February 2024", "05 March 2024", "5 march 2024", "5 Mar 2024",
    "0 May 2024", "32 May 2024", "31 June 2024", " 5 May 2024 ", "5  May 2024", "May 5, 2024", "May 05, 2024",
    "May 5 2024", "Sept 5, 2024", "Sep 31, 2024", "M\u00e4r 5, 2024", "05-May-2024", "5-May-2024", "05-MAY-2024",
    "31-Apr-2024", "May 5, 2024 7:00", "May 5, 2024 07:00", "2026-02-03T01:00:00Z", "2026-02-03T01:00:00z",
    "2026-02-03T01:00:00+00:00", "2026-02-03T01:00:00ZZ", "2026-02-03 01:00:00.5+00:00", "2026-02-03 01:00:00.5",
    "2026-02-03 01:00:00.123456789+00:00", "2026-02-03 01:00:00.1234567890+00:00", "2026-02-03 01:00:00.+00:00",
    "2026-02-03 01:00:00.5+01:00", "2026-02-30 01:00:00.5+00:00",
    "1000000:00:00", ":05:00", "-1:00:00", "1:05", "01:05:00 ", " 7:05", "1,5", "1:05:00\n", "59:59", "5:60",
]  # fmt: skip


def rows() -> dict[str, list[str | None]]:
    """Every text in every column, so that each meets what others take for a moment."""
    texts = WRONG + [moment.strftime(column.format) for moment in MOMENTS for column in SCHEMA.columns[:14]]
    return dict.fromkeys(SCHEMA.names, texts)


def outcome(make: Callable[[Schema, bool], Table]) -> list[Any]:
    """Of each column alone: its codes, their counts and what was mapped; and the refusal of a strict reading."""
    found: list[Any] = []
    for name in SCHEMA.names:
        schema = SCHEMA.without(*(other for other in SCHEMA.names if other != name))
        table = make(schema, False)
        assert table.mapped is not None
        found.append((name, table.codes.tolist(), table.counts.tolist(), table.mapped.tolist()))
        with pytest.raises(DataError) as refused:
            make(schema, True)
        found.append(str(refused.value).partition("; the first at")[0])
    return found


def expected() -> list[Any]:
    frame = pandas.DataFrame(rows(), dtype=object)
    return outcome(lambda schema, strict: Table.from_frame(frame, schema, strict=strict))


def test_only_days_of_the_calendar_are_read() -> None:
    pattern = SCHEMA["iso"]
    for year in (1000, 1100, 1200, 1582, 1600, 1899, 1900, 1904, 1996, 2000, 2023, 2024, 2100, 2400, 9996, 9999):
        for month in range(14):
            for day in range(33):
                assert (pattern.count_of(f"{year}-{month:02d}-{day:02d}") is None) is not is_day(year, month, day)  # type: ignore[attr-defined]


def is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def test_a_format_may_begin_with_a_blank() -> None:
    assert SCHEMA["padded"].count_of(" 1970 01 31 ") == 30  # type: ignore[attr-defined]


@pytest.mark.parametrize("column", SCHEMA.columns[:14], ids=lambda column: column.name)
def test_what_is_written_is_what_pythons_own_words_say(column: Any) -> None:
    for moment in MOMENTS:
        told = moment.strftime(column.format.replace("%f", "000"))
        count = (moment - datetime(1970, 1, 1)) // column.unit
        assert column.written(count) == told
        assert column.count_of(told) == column.count_of(datetime.strptime(told, column.format.replace("%-d", "%d")))


def test_files_agree(tmp_path: Path) -> None:
    path, held = tmp_path / "moments.csv", rows()
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([SCHEMA.names, *zip(*held.values(), strict=True)])
    assert outcome(lambda schema, strict: Table.from_file(path, schema, strict=strict)) == expected()


def test_duckdb_agrees() -> None:
    with duckdb.connect() as connection:
        connection.register("moments", pyarrow.table(rows()))
        made = outcome(lambda schema, strict: Table.from_sql("moments", schema, connection=connection, strict=strict))
    assert made == expected()


@pytest.mark.parametrize("style", ["ISO, MDY", "German, DMY", "SQL, DMY"])
def test_postgresql_agrees_whatever_its_style_of_dates(postgres: Any, style: str) -> None:
    postgres.execute(f"SET datestyle TO {style}")
    postgres.execute("SET timezone TO 'Europe/Berlin'")
    postgres.execute(f"CREATE TEMP TABLE moments ({', '.join(f'{name} text' for name in SCHEMA.names)})")
    with postgres.cursor() as cursor, cursor.copy("COPY moments FROM STDIN") as copy:
        for row in zip(*rows().values(), strict=True):
            copy.write_row(row)
    found = outcome(lambda schema, strict: Table.from_sql("moments", schema, connection=postgres, strict=strict))
    assert found == expected()


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_spark_agrees_whatever_its_zone(spark: Any, zone: str) -> None:
    frame = spark.createDataFrame(
        pandas.DataFrame(rows(), dtype=object), ", ".join(f"{n} string" for n in SCHEMA.names)
    )
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        found = outcome(lambda schema, strict: Table.from_spark(frame, schema, strict=strict))
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    assert found == expected()


@pytest.mark.parametrize(("dialect", "kind"), [("bigquery", "STRING"), ("snowflake", "VARCHAR")])
def test_the_sql_of_warehouses_agrees_where_it_can_be_run(dialect: str, kind: str) -> None:
    with duckdb.connect() as connection:
        connection.register("moments", pyarrow.table(rows()))

        def count(schema: Schema, strict: bool) -> Table:
            plan = PushDown(schema, dialect, {schema.names[0]: kind})
            (query,) = sqlglot.transpile(plan.query("moments"), read=dialect, write="duckdb")
            return Table.from_pushdown(plan, connection.sql(query).fetchall(), strict=strict)

        assert outcome(count) == expected()


def test_dates_and_time_stamps_that_a_file_stores_as_such_are_read_as_their_texts_are(tmp_path: Path) -> None:
    """At every precision, in Parquet and Arrow; the 31st of December 1969 is not the 1st of January 1970."""
    stamps = pandas.to_datetime(
        ["1969-12-31 23:59:59.5", "1969-12-31 00:00:00", "2023-05-06 07:08:09", None, "2262-01-01"], format="ISO8601"
    )
    held = {
        f"at_{unit}": pyarrow.array(stamps.floor("s" if unit == "s" else "ms")).cast(
            pyarrow.timestamp(unit), safe=False
        )
        for unit in ("s", "ms", "us", "ns")
    }
    held |= {
        "day": pyarrow.array([None if stamp is pandas.NaT else stamp.date() for stamp in stamps]),
        "when": pyarrow.array(stamps),
    }
    bounds = {"lo": "1969-12-30", "hi": "2024-01-01", "nullable": True, "clip": True}
    exact = bounds | {"kind": "timestamp", "lo": "1969-12-30 00:00:00", "hi": "2024-01-01 00:00:00"}
    schema = Schema(dict.fromkeys(held, exact) | {"day": bounds | {"kind": "date"}, "when": bounds | {"kind": "date"}})
    parquet.write_table(pyarrow.table(held), tmp_path / "t.parquet")
    feather.write_feather(pyarrow.table(held), tmp_path / "t.arrow", compression="uncompressed")
    texts = [None if stamp is pandas.NaT else f"{stamp:%Y-%m-%d %H:%M:%S}" for stamp in stamps]
    said = {name: [text and text[:10] for text in texts] if name in ("day", "when") else texts for name in held}
    expected = Table.from_columns(said, schema)
    for file in ("t.parquet", "t.arrow"):
        found = Table.from_file(tmp_path / file, schema)
        for name in held:
            assert array_equal(found.histogram([name]), expected.histogram([name])), (file, name)
    with pytest.raises(DataError, match="the type TIMESTAMP is not supported; convert it to text first"):
        Table.from_file(tmp_path / "t.parquet", Schema({"when": {"kind": "categorical", "values": ["x", "y"]}}))
