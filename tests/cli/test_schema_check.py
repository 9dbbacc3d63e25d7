"""``oracledp schema check``: a schema alone, and a table held against it, marked as what it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from oracledp.cli import cli

SCHEMA = """
columns:
  age: {kind: integer, lo: 0, hi: 9}
  job: {kind: categorical, values: [a, b], other: elsewhere}
  sick: {kind: boolean, nullable: true}
"""
ROWS = "age,job,sick\n1,a,yes\n99,z,?\n2.5,b,\n,a,no\nold,a,no\n-1,q,no\n1,a\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "schema.yaml").write_text(SCHEMA)
    (tmp_path / "rows.csv").write_text(ROWS)
    return tmp_path


def run(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["schema", "check", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_schema_alone(folder: Path) -> None:
    assert run(folder / "schema.yaml").splitlines()[-1] == "3 columns, 14 literals"


def test_a_table_is_held_against_its_schema(folder: Path) -> None:
    lines = run(folder / "rows.csv", "--schema", folder / "schema.yaml").splitlines()
    assert lines[0].startswith("INTERNAL – NOT PRIVATE")
    assert lines[1:] == [
        "age: 6 of 7 mapped: 2 missing, and the column is not nullable -> 0; 1 not a finite number -> 0; "
        "1 below the bound 0 -> 0; 1 above the bound 9 -> 9; 1 not a whole number -> rounded down",
        "job: 3 of 7 mapped: 1 missing, and the column is not nullable -> elsewhere; "
        "2 not among the listed values -> elsewhere",
        "sick: 1 of 7 mapped: 1 not true or false, yes or no, 1 or 0 -> missing",
    ]


def test_the_same_as_json(folder: Path) -> None:
    found = json.loads(run(folder / "rows.csv", "--schema", folder / "schema.yaml", "--json"))
    assert (found["marking"], found["private"], found["rows"]) == ("INTERNAL – NOT PRIVATE", False, 7)
    assert {name: entry["mapped"] for name, entry in found["columns"].items()} == {"age": 6, "job": 3, "sick": 1}
    assert found["columns"]["sick"]["reasons"] == {
        "malformed": {"rows": 1, "why": "not true or false, yes or no, 1 or 0", "becomes": "missing"}
    }


def test_an_option_of_tables_is_refused_for_a_schema_alone(folder: Path) -> None:
    result = CliRunner().invoke(cli, ["schema", "check", str(folder / "schema.yaml"), "--memory", "1GB"])
    assert result.exit_code != 0
