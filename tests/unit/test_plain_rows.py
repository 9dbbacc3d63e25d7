"""Synthetic rows spelled as the input spells them, written without any frame library."""

import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

import oracledp as odp
from oracledp.data.output.frames import FrameShape
from oracledp.data.output.rows import PlainRows
from oracledp.errors import SchemaError

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
        PlainRows(columns, types).write_parquet(file)
    read = duckdb.read_parquet(str(tmp_path / "rows.parquet"))
    assert [str(kind) for kind in read.types] == list(types.values())
    assert read.columns == list(columns)
    assert read.fetchall() == list(zip(*columns.values(), strict=True))
