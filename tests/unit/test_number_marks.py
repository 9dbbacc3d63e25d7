"""Separators of thousands: read with or without them, each in its place, and written where the schema says so."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracledp as odp
from oracledp.data.output.frames import FrameShape
from oracledp.data.output.row_writing import write_csv
from oracledp.data.schema.file_format import FileFormat
from oracledp.data.schema.number_marks import POINT, NumberMarks
from oracledp.data.schema.text_kinds import BARE, KINDS, PLACES, kind_of, kinds_of, number_of
from oracledp.data.table.rows import open_rows
from oracledp.errors import DataError, ParameterError, SchemaError

ENGLISH, GERMAN, SWISS, FRENCH = (
    NumberMarks(".", ","),
    NumberMarks(",", "."),
    NumberMarks(".", "'"),
    NumberMarks(",", "\u202f"),
)
EVERY = [ENGLISH, GERMAN, SWISS, FRENCH, NumberMarks(",", " "), NumberMarks(".", "\u00a0"), NumberMarks(".", "\u2019")]


@pytest.mark.parametrize(
    ("marks", "text", "number"),
    [
        (ENGLISH, "1,234,567.50", Fraction("1234567.5")),
        (ENGLISH, "1234567.50", Fraction("1234567.5")),
        (ENGLISH, " -12,345 ", -12345),
        (ENGLISH, "+123,456.", 123456),
        (ENGLISH, "999", 999),
        (ENGLISH, "1e3", 1000),
        (GERMAN, "1.234.567,50", Fraction("1234567.5")),
        (GERMAN, "1234567,5", Fraction("1234567.5")),
        (SWISS, "1'234", 1234),
        (NumberMarks(",", " "), " 1 234,5 ", Fraction("1234.5")),
        (FRENCH, "1\u202f234,5", Fraction("1234.5")),
    ],
)
def test_numbers_are_read_with_and_without_separators(marks: NumberMarks, text: str, number: Fraction) -> None:
    assert number_of(text, marks) == number


@pytest.mark.parametrize(
    "text",
    ["1,23", "1,2345", "12,34,567", "1,,234", ",123", "1,234,", "1234,567", "0,123", "001,234", "1,234,56", "1.234,567",
     "1,234.567,8", "1, 234", "- 1,234", "1,234 5", "1.5,000", "1,234e2", "1 234", "1'234", "\u0661,234"],
)  # fmt: skip
def test_a_misplaced_separator_makes_no_number(text: str) -> None:
    assert number_of(text, ENGLISH) is None
    assert kind_of(text, ENGLISH).kind == "text"
    swapped = text.translate(str.maketrans(",.", ".,"))
    assert number_of(swapped, GERMAN) is None


@given(st.floats(allow_nan=False, allow_infinity=False, width=32) | st.integers(-(10**18), 10**18))
def test_what_is_written_is_read_back(number: float) -> None:
    for marks in EVERY:
        for grouped in (False, True):
            assert marks.plain(marks.spelled(repr(number), grouped=grouped)) == repr(number)
    assert POINT.spelled(repr(number)) == repr(number)


def test_groups_begin_at_a_thousand_and_keep_the_sign() -> None:
    found = [ENGLISH.spelled(text) for text in ("999", "1000", "-1000", "-0.5", "1234567.1234", "1e+16", "-123456")]
    assert found == ["999", "1,000", "-1,000", "-0.5", "1,234,567.1234", "1e+16", "-123,456"]


@pytest.mark.parametrize(
    ("file", "word"),
    [
        ({"thousands": ","}, None),
        ({"thousands": ",", "decimal": ","}, "thousands and decimal must differ, and both are a comma"),
        ({"thousands": "."}, "thousands and decimal must differ, and both are a point"),
        ({"thousands": "x"}, "thousands must be a comma"),
        ({"thousands": ",,"}, "thousands must be a comma"),
        ({"thousands": False}, "thousands must be a text"),
        ({"thousands": "\u202f", "encoding": "cp1252"}, "thousands: cp1252 has no such letter"),
        ({"thousands": "\u202f"}, None),
    ],
)
def test_contradictions_are_refused_in_one_line(file: dict[str, Any], word: str | None) -> None:
    definition = {"file": file, "columns": {"n": "integer 0..9"}}
    if word is None:
        assert odp.Schema(odp.Schema(definition).to_json()).file.to_json() == file
        return
    with pytest.raises(SchemaError) as refused:
        odp.Schema(definition)
    assert str(refused.value).startswith(f"key 'file': {word}")


def test_options_change_the_marks_and_take_them_away() -> None:
    english = FileFormat(thousands=",")
    assert english.changed(thousands="").to_json() == {}
    assert english.changed(thousands=".", decimal=",").marks == GERMAN
    with pytest.raises(ParameterError, match="must differ"):
        english.changed(decimal=",")


# ---- files and frames ------------------------------------------------------------------------------------------
SCHEMA = odp.Schema(
    {
        "file": {"thousands": ","},
        "columns": {
            "year": {"kind": "integer", "lo": 1900, "hi": 2100, "resolution": 1, "thousands": False},
            "people": {"kind": "integer", "lo": 0, "hi": 10_000_000, "resolution": 1, "missing": "-"},
            "paid": {"kind": "decimal", "lo": -10_000, "hi": 1_000_000, "places": 2},
            "rate": {"kind": "numeric", "lo": 0, "hi": 5000, "thresholds": [1000]},
            "code": {"kind": "categorical", "values": [1000, 20000]},
        },
    }
)
LINES = ["year,people,paid,rate,code", '2026,"1,234,567","1,234.50",0.5,1000', '1999,999,-0.50,"1,000.25",20000']
VALUES: dict[str, list[Any]] = {
    "year": [2026, 1999],
    "people": [1234567, 999],
    "paid": [1234.5, -0.5],
    "rate": [0.5, 1000.25],
    "code": [1000, 20000],
}
CODES = odp.Table.from_columns(VALUES, SCHEMA, strict=True).codes


def spelled(path: Path, schema: odp.Schema, columns: dict[str, list[Any]]) -> list[str]:
    rows = FrameShape.plain(schema).build({name: np.array(held, dtype=object) for name, held in columns.items()})
    with path.open("wb") as file:
        write_csv([rows], file, schema.file)
    return path.read_text(encoding="utf-8").splitlines()


def test_a_file_comes_back_as_it_was_spelled(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("\n".join(LINES) + "\n")
    assert np.array_equal(odp.Table.from_file(tmp_path / "in.csv", SCHEMA, strict=True).codes, CODES)
    assert spelled(tmp_path / "out.csv", SCHEMA, VALUES) == LINES
    assert odp.Schema(SCHEMA.to_json()) == SCHEMA
    SCHEMA.save(tmp_path / "s.yaml")
    assert odp.Schema.load(tmp_path / "s.yaml") == SCHEMA


def test_other_marks_are_written_as_the_schema_says(tmp_path: Path) -> None:
    columns = {"year": [2026], "people": [-0], "paid": [-1234.5], "rate": [2500.0], "code": [20000]}
    for marks, line in (
        ({"thousands": ".", "decimal": ","}, '2026,0,"-1.234,50","2.500,0",20000'),
        ({"thousands": "'"}, "2026,0,-1'234.50,2'500.0,20000"),
        ({"thousands": " ", "delimiter": ";"}, "2026;0;-1 234.50;2 500.0;20000"),
        ({"thousands": ""}, "2026,0,-1234.50,2500.0,20000"),
    ):
        assert spelled(tmp_path / "out.csv", SCHEMA.spelled(**marks), columns)[1] == line


def test_frames_of_texts_give_the_same_table() -> None:
    rows = [["2,026", "1234567", "1234.5", "0.5", "1,000"], ["1999", "999", "-0.50", "1,000.25", "20,000"]]
    frame = pd.DataFrame(rows, columns=SCHEMA.names)
    assert np.array_equal(odp.Table.from_frame(frame, SCHEMA, strict=True).codes, CODES)
    wrong = frame.assign(people=["1,23", "-"])
    with pytest.raises(DataError, match=r"^column 'people': 1 row is not a finite number; the first at row 1$"):
        odp.Table.from_frame(wrong, SCHEMA, strict=True)
    assert odp.Table.from_frame(wrong, SCHEMA).rows == 2, "no value stops a run"


def test_without_the_key_a_separator_makes_no_number(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('n\n"1,234"\n12\n')
    schema = odp.Schema({"n": {"kind": "integer", "lo": 0, "hi": 9999, "resolution": 1, "nullable": True}})
    table = odp.Table.from_file(tmp_path / "in.csv", schema)
    assert table.codes[:, 0].tolist() == [12, schema["n"].size - 1]


def test_a_mark_of_missing_values_must_be_no_number_in_the_files_spelling() -> None:
    column = {"kind": "integer", "lo": 0, "hi": 99_999, "resolution": 1, "missing": "9,999"}
    assert odp.Schema({"n": column})["n"].mark == "9,999"
    with pytest.raises(SchemaError, match=r"^column 'n', key 'missing': the mark .* must not be a value"):
        odp.Schema({"file": {"thousands": ","}, "columns": {"n": column}})


@pytest.mark.parametrize(
    "entry", [{"kind": "integer", "lo": 0, "hi": 9}, {"kind": "decimal", "lo": 0, "hi": 9, "places": 1}]
)
def test_a_column_says_true_or_false(entry: dict[str, Any]) -> None:
    assert "thousands" not in odp.Schema({"n": entry | {"thousands": True}}).to_json()["columns"]["n"]
    assert odp.Schema({"n": entry | {"thousands": False}}).to_json()["columns"]["n"]["thousands"] is False
    with pytest.raises(SchemaError, match="column 'n', key 'thousands': must be true or false"):
        odp.Schema({"n": entry | {"thousands": ","}})
    with pytest.raises(SchemaError, match="column 'd', key 'thousands': unknown"):
        odp.Schema({"d": {"kind": "date", "lo": "2000-01-01", "hi": "2001-01-01", "thousands": False}})


def test_rows_for_a_saved_model_are_read_by_the_files_marks(tmp_path: Path) -> None:
    """The schema of the model may know nothing of how this file is spelled; neither may numbers without a schema."""
    (tmp_path / "in.csv").write_text("n;t\n1.234,5;1.000\n2,5;true\n1.23;x\n")
    columns = {"n": {"kind": "numeric", "lo": 0, "hi": 2000, "thresholds": [10]}, "t": {"kind": "boolean"}}
    plain = odp.Schema(columns)
    with open_rows(tmp_path / "in.csv", plain.spelled(delimiter=";", decimal=",", thousands=".")) as rows:
        assert rows.codes(plain).tolist() == [[1, 0], [0, 1], [0, 0]]
        found = rows.numbers(["n", "t"])
    assert found[:2].tolist() == [[1234.5, 1000.0], [2.5, 1.0]]
    assert np.isnan(found[2]).all()
    pd.DataFrame({"n": [1234.5], "t": ["1.234,5"]}).to_parquet(tmp_path / "in.parquet")
    with open_rows(tmp_path / "in.parquet", plain.spelled(decimal=",", thousands=".")) as rows:
        assert rows.numbers(["n", "t"]).tolist() == [[1234.5, 1234.5]]


def test_numbers_written_beside_rows_have_the_files_marks(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("n;t\n1.234,5;x\n2,5;y\n")
    file = FileFormat(delimiter=";", decimal=",", thousands=".")
    schema = odp.Schema({"file": file.to_json(), "columns": {"t": "x | y"}})
    with open_rows(tmp_path / "in.csv", schema) as rows:
        for name in ("out.csv", "out.parquet"):
            rows.write(tmp_path / name, "price", [1234.5, 0.25], np.array([0, 1]), alone=False, spelled=file)
    assert (tmp_path / "out.csv").read_text() == "n;t;price\n1.234,5;x;1.234,5\n2,5;y;0,25\n"
    assert pd.read_parquet(tmp_path / "out.parquet")["price"].tolist() == [1234.5, 0.25]


# ---- schemas that are drafted or bought ------------------------------------------------------------------------
def write_raw(path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [(rng.integers(1990, 2030), rng.integers(0, 50_000), rng.exponential(3000)) for _ in range(3000)]
    lines = [f'{year},"{people:,}","{paid:,.2f}"' for year, people, paid in rows]
    path.write_text("\n".join(["year,people,paid", *lines]) + "\n")


def test_a_draft_keeps_separators_and_says_which_columns_have_none(tmp_path: Path) -> None:
    write_raw(tmp_path / "raw.csv")
    drafted = odp.Schema.draft(tmp_path / "raw.csv", public=True, file={"thousands": ","})
    found = drafted.to_json()
    assert found["file"] == {"thousands": ","}
    assert found["columns"]["year"]["thousands"] is False
    assert "thousands" not in found["columns"]["people"]
    assert found["columns"]["people"]["kind"] == "integer"
    assert found["columns"]["paid"]["places"] == 2
    odp.Table.from_file(tmp_path / "raw.csv", drafted, strict=True)


def test_a_bought_schema_keeps_separators_and_says_which_columns_have_none(tmp_path: Path) -> None:
    write_raw(tmp_path / "raw.csv")
    bought = {"epsilon": 5, "delta": "1e-6", "file": {"thousands": ","}}
    found = odp.infer_schema(tmp_path / "raw.csv", **bought, source=odp.SeededRandomness(0)).schema.to_json()
    assert found["file"] == {"thousands": ","}
    kinds = {name: (entry["kind"], entry.get("thousands", True)) for name, entry in found["columns"].items()}
    assert kinds == {"year": ("integer", False), "people": ("integer", True), "paid": ("decimal", True)}
    frame = pd.read_csv(tmp_path / "raw.csv", dtype=str)
    again = odp.infer_schema(frame, **bought, source=odp.SeededRandomness(0)).schema.to_json()
    assert again["columns"] == found["columns"]


def test_numbers_of_a_frame_are_no_texts_with_another_decimal_mark(tmp_path: Path) -> None:
    frame = pd.DataFrame({"n": np.linspace(0, 99, 3000).round(1)})
    frame.to_parquet(tmp_path / "n.parquet")
    bought = {"epsilon": 5, "delta": "1e-6", "file": {"decimal": ","}}
    for data in (frame, tmp_path / "n.parquet"):
        found = odp.infer_schema(data, **bought, source=odp.SeededRandomness(0)).schema
        assert found["n"].kind == "numeric"


def test_kinds_do_not_change_where_there_are_no_separators() -> None:
    """One cell more would move the noise of every schema that is bought."""
    assert kinds_of(POINT) == kinds_of(NumberMarks(",")) == KINDS
    assert kinds_of(ENGLISH) == (*KINDS, BARE)
    assert sorted(PLACES.values()) == list(range(len(KINDS) + 1))
    assert kind_of("2026") == kind_of("12") != BARE
    assert kind_of("2026", ENGLISH) == BARE
    assert str(BARE) == "number, 0 decimals of 0 written, bare"
    assert kind_of("2,026", ENGLISH) == kind_of("12", ENGLISH) == kind_of("12")
    assert kind_of("2026.5", ENGLISH) == kind_of("2,026.5", ENGLISH) == kind_of("2026.5")
