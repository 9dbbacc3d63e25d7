"""The command line gives the same answer from every source of the same rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest
from click.testing import CliRunner

from oracledp.cli import cli

SCHEMA = """
columns:
  age: {kind: integer, lo: 0, hi: 99, thresholds: [30, 60]}
  colour: {kind: categorical, values: [red, green, blue]}
  sick: {kind: boolean}
"""
COLOURS = ["red", "green", "blue"]
FRAME = pandas.DataFrame(
    {"age": [row * 37 % 100 for row in range(2000)], "colour": [COLOURS[row % 3] for row in range(2000)]}
)
FRAME["sick"] = (FRAME["age"] >= 60) & (FRAME["colour"] != "red")


def learned(folder: Path, data: str | Path) -> Any:
    (folder / "schema.yaml").write_text(SCHEMA)
    options = ["--schema", f"{folder}/schema.yaml", "--target", "sick", "--epsilon", "1", "--json"]
    options += ["--model", "conjunction", "--size", "2", "--seed", "1", "--insecure-seed"]
    result = CliRunner().invoke(cli, ["learn", str(data), *options], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("csv")
    FRAME.to_csv(folder / "rows.csv", index=False)
    return learned(folder, folder / "rows.csv")


def test_a_folder_of_parquet_files_and_a_stream(tmp_path: Path, wanted: Any) -> None:
    (tmp_path / "parts").mkdir()
    for part in range(4):
        FRAME[part * 500 : part * 500 + 500].to_parquet(tmp_path / "parts" / f"{part}.parquet")
    polars.from_pandas(FRAME).write_ipc_stream(tmp_path / "rows.arrows")
    assert learned(tmp_path, tmp_path / "parts") == wanted
    assert learned(tmp_path, tmp_path / "rows.arrows") == wanted


def test_a_table_of_a_postgresql_server(tmp_path: Path, postgres_address: str, wanted: Any) -> None:
    import psycopg

    folder = dict(item.split("=") for item in postgres_address.split())["host"]
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute("CREATE TABLE patients (age integer, colour text, sick boolean)")
        try:
            with connection.cursor() as cursor, cursor.copy("COPY patients FROM STDIN") as copy:
                for record in FRAME.itertuples(index=False):
                    copy.write_row(record)
            assert learned(tmp_path, f"postgresql://tester@/postgres?host={folder}&table=patients") == wanted
        finally:
            connection.execute("DROP TABLE patients")
