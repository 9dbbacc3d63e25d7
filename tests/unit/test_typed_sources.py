"""Moments in sources that have types: spelled by the value alone, drafted and bought as what they are."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import oracledp as odp
from oracledp.data.output.frames import FrameShape
from oracledp.data.table.texts import read_texts
from oracledp.errors import SchemaError

STAMP = datetime(2026, 1, 31, 5, 6, 7, 890_000)
SPANS = [timedelta(seconds=5), timedelta(hours=1, microseconds=1), timedelta(days=2), timedelta(hours=12)]


def bought(source: Any) -> odp.Schema:
    return odp.infer_schema(source, epsilon=8, delta="1e-6", source=odp.SeededRandomness(1)).schema


def sources(folder: Path, values: list[Any]) -> dict[str, Any]:
    """The same values as frames and as files."""
    table = pa.table({"x": pa.array(values)})
    pq.write_table(table, folder / "x.parquet")
    with pa.OSFile(str(folder / "x.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    frames = {"pandas": pd.DataFrame({"x": values}), "polars": pl.DataFrame({"x": values}), "pyarrow": table}
    return {**frames, "parquet": folder / "x.parquet", "arrow": folder / "x.arrow"}


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([STAMP, STAMP.replace(hour=0, minute=0, second=0)], {"2026-01-31 05:06:07": 1, "2026-01-31": 1}),
        (SPANS, {"0:00:05": 1, "1:00:00": 1, "48:00:00": 1, "12:00:00": 1}),
        ([timedelta(seconds=-5)], {"-0:00:05": 1}),
    ],
    ids=["stamps", "spans", "negative spans"],
)
def test_a_fraction_of_a_second_is_left_out_and_spans_have_no_idle_zero(
    values: list[Any], texts: dict[str, int], tmp_path: Path
) -> None:
    for name, source in sources(tmp_path, values).items():
        assert read_texts(source).counts == (texts,), name


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_stamps_with_a_zone_are_read_in_utc(unit: str, zone: str, tmp_path: Path) -> None:
    """Files do not keep the zone, but for Arrow's; and one value that is out of reach moves no other."""
    schema = odp.Schema(
        {"x": {"kind": "timestamp", "lo": "1950-01-01 00:00:00", "hi": "2029-12-31 00:00:00", "nullable": True}}
    )
    kind = pa.timestamp(unit, zone)
    moments = pa.array([datetime(2026, 1, 31, 5, 6, 7), datetime(1960, 7, 1), None]).cast(pa.timestamp(unit)).cast(kind)
    texts = {"2026-01-31 05:06:07+00:00": 1, "1960-07-01 00:00:00+00:00": 1}
    written = sources(tmp_path, moments.cast(pa.timestamp("us", zone)).to_pylist()) if zone == "UTC" else {}
    odd = pa.concat_arrays([moments, pa.array([2**63 - 1] if unit != "s" else [2**52]).cast(pa.int64()).view(kind)])
    for number, values in enumerate((moments, odd)):
        path = tmp_path / f"{number}.parquet"
        if unit == "s":
            path = tmp_path / f"{number}.arrow"
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, pa.schema([("x", kind)])) as writer:
                writer.write_table(pa.table({"x": values}))
        else:
            pq.write_table(pa.table({"x": values}), path)
        written[path.name] = path
    tables = [
        odp.Table.from_file(source, schema) if isinstance(source, Path) else odp.Table.of(source, schema)
        for source in written.values()
    ]
    assert len({tuple(sorted(code for (code,) in table.codes.tolist())) for table in tables}) == 1
    for name, source in written.items():
        assert read_texts(source).counts == ({**texts, None: 2 if name.startswith("1.") else 1},), name


@pytest.mark.parametrize("strict", [False, True])
def test_durations_are_read_alike_from_frames_and_files(strict: bool, tmp_path: Path) -> None:
    """Parquet knows whole numbers alone, which of a duration would all have counted as none."""
    schema = odp.Schema({"x": {"kind": "duration", "lo": "0:00:00", "hi": "99:00:00", "resolution": 1}})
    expected = odp.Table.from_columns({"x": ["0:00:05", "1:00:00", "48:00:00", "12:00:00"]}, schema)
    for name, source in sources(tmp_path, SPANS).items():
        read = odp.Table.from_file if isinstance(source, Path) else odp.Table.from_frame
        assert np.array_equal(read(source, schema, strict=strict).codes, expected.codes), name


def test_what_is_bought_of_types_comes_back_as_types() -> None:
    """Stamps with fractions and time deltas; texts in another format than the usual one stay texts."""
    generator = np.random.default_rng(3)
    seconds = generator.integers(0, 10**5, 4000)
    frame = pl.DataFrame(
        {
            "seen": [STAMP + timedelta(seconds=int(s), microseconds=int(s)) for s in seconds],
            "day": [date(2026, 1, 1) + timedelta(days=int(s) % 90) for s in seconds],
            "wait": [timedelta(seconds=int(s)) for s in seconds],
            "text": [f"{int(s) // 3600:02}:{int(s) // 60 % 60:02}" for s in seconds],
        }
    )
    found = bought(frame)
    assert [found[name].kind for name in found.names] == ["timestamp", "date", "duration", "duration"]
    rows = FrameShape.of(frame, found).build(found.decode(np.zeros((9, 4), dtype=found.code_dtype)))
    assert rows.schema == pl.Schema(
        {"seen": pl.Datetime("us"), "day": pl.Date(), "wait": pl.Duration("us"), "text": pl.String()}
    )
    assert rows["text"].str.contains(r"^[0-9]{2}:[0-9]{2}$").all()


def test_a_draft_says_where_a_source_that_has_types_holds_texts(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "text": ["2026-01-31", "2026-02-01"],
            "own": ["31/01/2026", "01/02/2026"],
            "day": [date(2026, 1, 31), date(2026, 2, 1)],
            "wait": [timedelta(hours=1), timedelta(hours=12)],
        }
    )
    frame.to_parquet(tmp_path / "rows.parquet")
    for source in (frame, tmp_path / "rows.parquet"):
        columns = odp.Schema.draft(source, public=True).to_json()["columns"]
        assert columns["text"]["stored"] == "text"
        assert columns["own"]["format"] == "%d/%m/%Y"
        assert "stored" not in columns["own"] | columns["day"]
    assert odp.Schema.draft(frame, public=True).to_json()["columns"]["wait"] == {
        "kind": "duration", "lo": "1:00:00", "hi": "12:00:00",
    }  # fmt: skip
    (tmp_path / "rows.csv").write_text("text,wait\n2026-01-31,01:00\n2026-02-01,12:00\n")
    columns = odp.Schema.draft(tmp_path / "rows.csv", public=True).to_json()["columns"]
    assert "stored" not in columns["text"]
    assert columns["wait"]["format"] == "%H:%M"


def test_how_a_column_is_stored_is_one_of_two_words() -> None:
    with pytest.raises(SchemaError, match="column 'x', key 'stored': must be typed or text"):
        odp.Schema({"x": {"kind": "date", "lo": "2026-01-01", "hi": "2026-01-31", "stored": "both"}})


def money(folder: Path) -> dict[str, Path]:
    """The same prices as a CSV file with two decimals and as a Parquet file of decimals."""
    cents = np.random.default_rng(2).integers(0, 100_000, 4000)
    prices = [Decimal(int(cent)).scaleb(-2) for cent in cents]
    (folder / "raw.csv").write_text("paid,rate\n" + "".join(f"{price},{float(price)}\n" for price in prices))
    pq.write_table(pa.table({"paid": pa.array(prices, pa.decimal128(10, 2))}), folder / "raw.parquet")
    return {"csv": folder / "raw.csv", "parquet": folder / "raw.parquet"}


def test_money_with_two_decimals_in_every_row_is_bought_as_decimals(tmp_path: Path) -> None:
    """Not where they are stored as numbers: that all of these are decimals may be due to one row."""
    found = {name: bought(source) for name, source in money(tmp_path).items()}
    paid, rate = (found["csv"].to_json()["columns"][name] for name in ("paid", "rate"))
    assert (paid["kind"], paid["lo"], paid["places"], paid["nullable"]) == ("decimal", 0, 2, True)
    assert (rate["kind"], rate["resolution"]) == ("numeric", 0.01)
    assert found["parquet"].to_json()["columns"]["paid"]["kind"] == "numeric"
    assert odp.Table.from_file(tmp_path / "raw.csv", found["csv"], strict=True).rows == 4000


def test_money_is_drafted_as_decimals_where_types_or_all_rows_say_so(tmp_path: Path) -> None:
    for source in money(tmp_path).values():
        schema = odp.Schema.draft(source, public=True)
        assert (schema["paid"].kind, schema["paid"].to_json()["places"]) == ("decimal", 2)
        assert odp.Table.from_file(source, schema, strict=True).rows == 4000
    assert odp.Schema.draft(tmp_path / "raw.csv", public=True)["rate"].kind == "numeric"


def test_amounts_too_far_apart_for_cents_stay_numbers(tmp_path: Path) -> None:
    lines = [f"{number % 997}{'0' * 12}.25" for number in range(4000)]
    (tmp_path / "raw.csv").write_text("paid\n" + "\n".join(lines) + "\n")
    assert bought(tmp_path / "raw.csv")["paid"].kind in ("integer", "numeric")
