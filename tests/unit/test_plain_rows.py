"""Synthetic rows spelled as the input spells them, written without any frame library."""

import subprocess
import sys
from datetime import date, datetime
from pathlib import Path

import duckdb
import numpy as np
import pytest

import oracledp as odp
from oracledp.data.output.frames import FrameShape
from oracledp.data.output.row_writing import write_csv, write_parquet
from oracledp.data.output.rows import PlainRows
from oracledp.data.schema import FileFormat
from oracledp.errors import ParameterError, SchemaError

SCHEMA = odp.Schema(
    {
        "loan": {"kind": "boolean", "spelling": ["no", "Yes"], "nullable": True},
        "rate": {"kind": "numeric", "lo": 0, "hi": 1, "resolution": 0.25},
        "job": {"kind": "categorical", "values": ["admin.", "a;b"]},
    }
)


def test_words_are_those_of_the_schema_and_numbers_lie_on_the_grid() -> None:
    codes = np.array([[0, 0, 0], [1, 3, 1], [2, 4, 0]], dtype=np.uint8)
    rows = FrameShape.plain(SCHEMA).build(SCHEMA.decode(codes))
    assert rows.csv_text() == "loan,rate,job\nno,0.0,admin.\nYes,0.75,a;b\n,1.0,admin.\n"
    again = odp.Table.from_columns(rows.columns, SCHEMA)
    assert sorted(map(tuple, again.codes.tolist())) == sorted(map(tuple, codes.tolist()))


def test_plain_columns_stand_in_for_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    assert FrameShape.default(SCHEMA).library == "pandas"
    monkeypatch.setattr("oracledp.data.output.frames.find_spec", lambda name: None)
    assert isinstance(FrameShape.default(SCHEMA).build(SCHEMA.decode(np.zeros((1, 3), dtype=np.uint8))), PlainRows)


def test_spelling_survives_the_file_and_is_a_text_in_frames(tmp_path: Path) -> None:
    SCHEMA.save(tmp_path / "schema.yaml")
    assert odp.Schema.load(tmp_path / "schema.yaml") == SCHEMA
    frame = FrameShape.default(SCHEMA).build(SCHEMA.decode(np.array([[1, 0, 0]], dtype=np.uint8)))
    assert frame["loan"].tolist() == ["Yes"]
    assert int(odp.Table.from_frame(frame, SCHEMA).codes[0, 0]) == 1


@pytest.mark.parametrize("words", [["yes", "no"], ["no"], [False, True], ["nein", "ja"]])
def test_words_that_would_not_be_read_back_are_refused(words: list[object]) -> None:
    with pytest.raises(SchemaError, match="spelling"):
        odp.Schema({"loan": {"kind": "boolean", "spelling": words}})


def test_csv_comes_and_goes_without_pandas(tmp_path: Path) -> None:
    """A process in which pandas, polars and pyarrow cannot be imported reads, synthesizes and writes."""
    (tmp_path / "in.csv").write_text("loan;n\n" + "yes;1\nno;2\n" * 300, encoding="utf-8")
    schema = odp.Schema({"loan": {"kind": "boolean", "spelling": ["no", "yes"]}, "n": "integer 0..3"})
    schema.save(tmp_path / "s.yaml")
    code = (
        "import sys\n"
        "for name in ('pandas', 'polars', 'pyarrow'): sys.modules[name] = None\n"
        "from oracledp.cli import main\n"
        "main()\n"
    )
    words = ["synth", "in.csv", "--schema", "s.yaml", "--epsilon", "1", "--delta", "1e-6", "--out", "out.csv"]
    command = [sys.executable, "-c", code, *words, "--delimiter", ";", "--rows", "20"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    header, *lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert header == "loan;n"
    assert len(lines) == 20
    assert {line.split(";")[0] for line in lines} <= {"yes", "no"}


def test_parquet_keeps_types_missing_values_and_empty_texts(tmp_path: Path) -> None:
    columns = {"it's": [1, None], "share": [0.1, 2.5e-7], "job": ["", None], "fit": [True, None]}
    types = {"it's": "BIGINT", "share": "DOUBLE", "job": "VARCHAR", "fit": "BOOLEAN"}
    with (tmp_path / "rows.parquet").open("wb") as file:
        write_parquet([PlainRows(columns, types)], file)
    read = duckdb.read_parquet(str(tmp_path / "rows.parquet"))
    assert [str(kind) for kind in read.types] == list(types.values())
    assert read.columns == list(columns)
    assert read.fetchall() == list(zip(*columns.values(), strict=True))


def test_parquet_stores_dates_as_such_where_their_format_is_the_usual_one(tmp_path: Path) -> None:
    bounds = {"day": ("2026-01-01", "2026-01-31"), "seen": ("2026-01-01 00:00:00", "2026-01-31 00:00:00")}
    kinds = {"day": "date", "seen": "timestamp"}
    usual = {name: {"kind": kinds[name], "lo": lo, "hi": hi, "nullable": True} for name, (lo, hi) in bounds.items()}
    schema = odp.Schema({**usual, "own": {**usual["day"], "format": "%d/%m/%Y"}})
    rows = {"day": ["2026-01-04", None], "seen": ["2026-01-03 00:00:05", None], "own": ["05/01/2026", None]}
    made = FrameShape.plain(schema).build({name: np.array(texts, dtype=object) for name, texts in rows.items()})
    with (tmp_path / "rows.parquet").open("wb") as file:
        write_parquet([made], file)
    read = duckdb.read_parquet(str(tmp_path / "rows.parquet"))
    assert [str(kind) for kind in read.types] == ["DATE", "TIMESTAMP", "VARCHAR"]
    assert read.fetchall() == [(date(2026, 1, 4), datetime(2026, 1, 3, 0, 0, 5), "05/01/2026"), (None,) * 3]
    assert odp.Table.from_file(tmp_path / "rows.parquet", schema).rows == 2


def test_parts_make_one_file(tmp_path: Path) -> None:
    parts = [PlainRows({"n": [1, 2], "t": ["a", None]}, {"n": "BIGINT", "t": "VARCHAR"}) for _ in range(3)]
    with (tmp_path / "rows.parquet").open("wb") as file:
        write_parquet(parts, file)
    assert duckdb.read_parquet(str(tmp_path / "rows.parquet")).fetchall() == [(1, "a"), (2, None)] * 3
    with (tmp_path / "rows.csv").open("wb") as file:
        write_csv(parts, file, FileFormat())
    assert (tmp_path / "rows.csv").read_text() == "n,t\n" + "1,a\n2,\n" * 3


EURO = odp.Schema(
    {
        "file": {"delimiter": ";", "decimal": ",", "encoding": "cp1252"},
        "columns": {
            "preis": {"kind": "decimal", "lo": 0, "hi": 100, "places": 2, "missing": "k.A."},
            "maß": {"kind": "numeric", "lo": 0, "hi": 9, "resolution": 0.5, "places": 0},
            "ort": {"kind": "categorical", "values": ["Köln", "Bonn; Mitte", ""]},
            "dauer": {"kind": "duration", "lo": "0:00:00", "hi": "9:00:00", "format": "%H:%M"},
            "tag": {"kind": "date", "lo": "2020-01-01", "hi": "2029-12-31", "format": "%d.%m.%Y"},
        },
    }
)
ROWS = {
    "preis": [0.5, 12.25, None, 100.0],
    "maß": [3.0, 0.5, 9.0, 0.0],
    "ort": ["Köln", "Bonn; Mitte", "", "Köln"],
    "dauer": ["00:00", "01:30", "09:00", "00:01"],
    "tag": ["31.01.2026", "01.02.2020", "31.12.2029", "01.01.2020"],
}


def test_a_file_is_read_and_written_in_its_own_spelling(tmp_path: Path) -> None:
    lines = [
        "preis;maß;ort;dauer;tag", "0,50;3;Köln;00:00;31.01.2026", '12,25;0,5;"Bonn; Mitte";01:30;01.02.2020',
        'k.A.;9;"";09:00;31.12.2029', "100,00;0;Köln;00:01;01.01.2020", "",
    ]  # fmt: skip
    path = tmp_path / "in.csv"
    path.write_bytes("\n".join(lines).encode("cp1252"))
    table = odp.Table.from_file(path, EURO, strict=True)
    assert np.array_equal(table.codes, odp.Table.from_columns(ROWS, EURO, strict=True).codes)
    columns = FrameShape.plain(EURO).build({name: np.array(values, dtype=object) for name, values in ROWS.items()})
    with (tmp_path / "out.csv").open("wb") as file:
        write_csv([columns], file, EURO.file)
    assert (tmp_path / "out.csv").read_bytes() == path.read_bytes()
    assert odp.Schema(EURO.to_json()) == EURO


def test_a_file_without_a_header_keeps_the_places_of_its_columns(tmp_path: Path) -> None:
    schema = odp.Schema({"n": "integer 0..9", "t": "a | b"}).spelled(names=("id", "n", "t"))
    (tmp_path / "in.csv").write_text("77,3,a\n78,4,b\n")
    table = odp.Table.from_file(tmp_path / "in.csv", schema, strict=True)
    assert table.codes.tolist() == [[3, 0], [4, 1]]
    rows = FrameShape.plain(schema).build(schema.decode(table.codes))
    with (tmp_path / "out.csv").open("wb") as file:
        write_csv([rows], file, schema.file)
    assert (tmp_path / "out.csv").read_text() == ",3,a\n,4,b\n"


@pytest.mark.parametrize(
    ("file", "word"),
    [
        ({"delimiter": ";;"}, "one character"),
        ({"decimal": "x"}, "a point or a comma"),
        ({"encoding": "klingon"}, "not known"),
        ({"encoding": "base64"}, "none of texts"),
        ({"encoding": "ascii"}, "has no letters"),
        ({"names": ["x"]}, "not among the names"),
        ({"names": "x"}, "must list"),
        ({"sep": ";"}, "unknown key 'sep'"),
        ("x", "must be a mapping"),
    ],
)
def test_an_odd_spelling_of_files_is_refused(file: object, word: str) -> None:
    with pytest.raises(SchemaError, match=word):
        odp.Schema({"file": file, "columns": {"n": {"kind": "categorical", "values": ["ä", "b"]}}})


@pytest.mark.parametrize(
    ("column", "word"),
    [
        ({"kind": "integer", "lo": 0, "hi": 9, "missing": "7"}, "must not be a value"),
        ({"kind": "categorical", "values": ["a", "?"], "missing": "?"}, "must not be a value"),
        ({"kind": "boolean", "missing": "No"}, "must not be a value"),
        ({"kind": "boolean", "missing": "NA", "nullable": False}, "needs 'nullable: true'"),
        ({"kind": "integer", "lo": 0, "hi": 9, "missing": ""}, "must be a text"),
        ({"kind": "decimal", "lo": 0, "hi": 9}, "how many decimals"),
        ({"kind": "decimal", "lo": 0.005, "hi": 9, "places": 2}, "at most 2 decimals"),
        ({"kind": "duration", "lo": "0:00:00", "hi": 5400}, "in quotes"),
        ({"kind": "duration", "lo": "0:00:00", "hi": "1:00:00", "format": "%S"}, "must be one of"),
    ],
)
def test_odd_marks_amounts_and_durations_are_refused(column: dict[str, object], word: str) -> None:
    with pytest.raises(SchemaError, match=word):
        odp.Schema({"n": column})


def test_lines_end_and_begin_after_delimiters_as_the_format_says() -> None:
    rows = PlainRows({"age": [31, None], "job": [" cook", "smith"], "pay": [0.5, 2.0]})
    spelled = FileFormat(lines="crlf", blanks="after")
    assert rows.csv_header(spelled) == "age, job, pay\r\n"
    assert rows.csv_lines(spelled) == "31, cook, 0.5\r\n, smith, 2.0\r\n"
    assert FileFormat.parse(spelled.to_json()) == spelled
    assert FileFormat(lines="lf").as_header(b"age, job\r\n") == FileFormat(lines="lf", blanks="after")
    for wrong in ({"lines": "cr"}, {"blanks": "two"}):
        with pytest.raises(ParameterError, match=r"must be (lf or crlf|none, after)"):
            FileFormat.parse(wrong)


def test_a_draft_keeps_line_ends_and_blanks(tmp_path: Path) -> None:
    (tmp_path / "raw.csv").write_bytes(b"age, job\r\n" + b"31, cook\r\n45, smith\r\n" * 20)
    found = odp.Schema.draft(tmp_path / "raw.csv", public=True)
    assert found.file.to_json() == {"lines": "crlf", "blanks": "after"}
