"""Schema files: YAML and JSON, read strictly and written whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracledp.data.schema import Schema
from oracledp.errors import SchemaError

YAML = """\
columns:
  age: {kind: integer, lo: 17, hi: 90, thresholds: [25, 35, 45, 55, 65]}
  hours: {kind: numeric, lo: 0, hi: 100, bins: 10, clip: true}
  education: {kind: categorical, values: [HS-grad, Bachelors, Masters], other: Other}
  married: {kind: boolean}
  income: {kind: categorical, values: ["<=50K", ">50K"], nullable: true}
deny:
  - [married, age < 25]
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["schema.yaml", "schema.yml", "schema.json", "schema.JSON", "schema"])
def test_a_saved_schema_loads_back(tmp_path: Path, name: str) -> None:
    schema = Schema.load(write(tmp_path, "first.yaml", YAML))
    schema.save(tmp_path / name)
    assert Schema.load(tmp_path / name) == schema
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted({"first.yaml", name})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("s.yaml", YAML + "columns: {}\n", "line 9: key 'columns' is given twice"),
        ("s.yaml", "columns:\n  a: {kind: boolean}\n  a: {kind: boolean}\n", "line 3: key 'a' is given twice"),
        ("s.yaml", "columns: [\n", "s.yaml: line 2: not valid YAML"),
        ("s.yaml", "columns: \x07\n", "s.yaml: not valid YAML"),
        ("s.yaml", "", "s.yaml: a schema must be a mapping"),
        ("s.yaml", "columns: {a: {kind: categorical, values: [yes, no]}}", "s.yaml: column 'a', key 'values': .*quote"),
        ("s.yaml", "columns: {yes: {kind: boolean}}", "column True: the name must be text"),
        ("s.json", '{"columns": {"a": {"kind": "boolean"}, "a": {}}}', "key 'a' is given twice"),
        ("s.json", '{"columns": \n', "s.json: line 2: not valid JSON"),
        ("s.json", '{"columns": {"a": {"kind": "numeric", "lo": NaN, "hi": 1, "bins": 2}}}', "key 'lo': .*finite"),
    ],
)
def test_a_bad_file_is_refused_with_its_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(SchemaError, match=message) as caught:
        Schema.load(write(tmp_path, name, text))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_absent_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match=r"none.yaml: cannot be read \(No such file"):
        Schema.load(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes("columns: {é: {kind: boolean}}".encode("latin-1"))
    with pytest.raises(SchemaError, match=r"latin\.yaml: not a UTF-8 text file"):
        Schema.load(tmp_path / "latin.yaml")


def test_a_schema_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    schema = Schema({"a": {"kind": "boolean"}})
    with pytest.raises(SchemaError, match="cannot be written"):
        schema.save(tmp_path / "no" / "schema.yaml")
    (tmp_path / "taken").mkdir()
    with pytest.raises(SchemaError, match="cannot be written"):
        schema.save(tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
