"""Drafting: only with the word that the rows are public, and never looser than the rows."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas
import polars
import pytest

from oracledp.data.schema import Schema
from oracledp.data.schema.draft import draft_of
from oracledp.data.table import Table
from oracledp.errors import DataError, ParameterError, SchemaError

FRAME = pandas.DataFrame(
    {
        "age": [17, 90, 40],
        "rooms": [1.0, 4.0, None],
        "fare": [0.0, 512.3292, 7.25],
        "sex": ["male", "female", "male"],
        "alive": [True, False, True],
        "won": [0, 1, 1],
        "constant": [0.5, 0.5, 0.5],
        "same": ["x", "x", "x"],
    }
)


@pytest.mark.parametrize("word", [{}, {"public": False}, {"public": "yes"}, {"public": 1}])
def test_data_not_declared_public_are_refused(word: dict[str, bool]) -> None:
    with pytest.raises(ParameterError, match="pass public=True if the data are public"):
        Schema.draft(FRAME, **word)


def test_a_draft_is_a_schema_that_the_rows_follow() -> None:
    schema = Schema.draft(FRAME, public=True)
    assert schema.to_json()["columns"] == {
        "age": {"kind": "integer", "lo": 17, "hi": 90, "resolution": 1, "thresholds": [40, 90]},
        "rooms": {"kind": "integer", "lo": 1, "hi": 4, "nullable": True},
        "fare": {"kind": "numeric", "lo": 0, "hi": 520, "resolution": 0.0001, "thresholds": [7.25, 512.3292]},
        "sex": {"kind": "categorical", "values": ["female", "male"]},
        "alive": {"kind": "boolean"},
        "won": {"kind": "boolean"},
        "constant": {"kind": "numeric", "lo": 0.5, "hi": 0.6, "resolution": 0.1},
        "same": {"kind": "categorical", "values": ["x"], "other": "other"},
    }
    assert Table.from_frame(FRAME, schema).rows == 3
    assert Schema.draft(polars.from_pandas(FRAME), public=True) == schema


def test_a_draft_from_a_file_agrees_with_one_from_a_frame(tmp_path: Path) -> None:
    """But for what only a file can say: how its values are spelled."""
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    FRAME.to_parquet(tmp_path / "rows.parquet")
    wanted = Schema.draft(FRAME, public=True)
    spelled = wanted.to_json()["columns"]
    spelled["rooms"] = {"kind": "numeric", "lo": 1, "hi": 4, "resolution": 1, "nullable": True}  # 1.0, 4.0
    spelled["won"] = {"kind": "boolean", "spelling": ["0", "1"]}
    assert Schema.draft(tmp_path / "rows.csv", public=True) == Schema(spelled)
    assert Schema.draft(str(tmp_path / "rows.parquet"), public=True) == wanted


def test_many_categories_keep_the_frequent_and_call_the_rest_other() -> None:
    values = 2 * [f"v{index:02}" for index in range(60)] + ["v59", *["other"] * 3]
    column = Schema.draft(pandas.DataFrame({"x": values}), public=True).to_json()["columns"]["x"]
    assert len(column["values"]) == 50
    assert {"v59", "other"} <= set(column["values"])
    assert column["other"] == "other values"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([None, None], "no value to draft from"),
        ([1.0, float("inf")], "infinite"),
        ([date(2020, 1, 1), 7], "neither numbers, texts nor booleans"),
        (["a", 1], "neither numbers, texts nor booleans"),
    ],
)
def test_a_column_that_cannot_be_drafted_is_named(values: list[object], message: str) -> None:
    with pytest.raises(SchemaError, match=f"column 'x': .*{message}"):
        Schema.draft(pandas.DataFrame({"x": pandas.Series(values, dtype=object)}), public=True)


def test_ids_and_free_text_are_left_out_and_the_rest_is_drafted() -> None:
    rows = 60
    frame = pandas.DataFrame(
        {
            "born": [date(2020, 1, 1 + day % 28) for day in range(rows)],
            "row": range(100, 100 + rows),
            "name": [f"person {index}" for index in range(rows)],
            "visits": [0, 7, 200] * 20,
        }
    )
    found = draft_of(frame)
    assert Schema(found.definition).names == ("born", "visits")
    assert list(found.left_out) == ["row", "name"]
    assert "an id" in found.left_out["row"]
    assert "id or free text" in found.left_out["name"]


def test_dates_are_drafted_in_the_format_of_the_file(tmp_path: Path) -> None:
    lines = ["born,seen", "31/01/2001,2026-01-01 10:00:00", "01/02/1999,2026-01-02 11:30:00"]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    schema = Schema.draft(tmp_path / "rows.csv", public=True)
    assert schema.to_json()["columns"] == {
        "born": {"kind": "date", "lo": "1999-02-01", "hi": "2001-01-31", "format": "%d/%m/%Y"},
        "seen": {"kind": "timestamp", "lo": "2026-01-01 10:00:00", "hi": "2026-01-02 11:30:00"},
    }
    assert Table.from_file(tmp_path / "rows.csv", schema, strict=True).rows == 2


def test_a_source_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        Schema.draft(tmp_path / "none.csv", public=True)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"bad\.parquet: cannot be read as parquet"):
        Schema.draft(tmp_path / "bad.parquet", public=True)
    with pytest.raises(DataError, match="a frame or a file name is needed, not int"):
        Schema.draft(3, public=True)
