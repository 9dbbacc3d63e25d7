"""The examples of docs/tables.md run and print what the page says, those of an engine where it is there."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tables.md"
ROWS = "(17, 'north', false), (40, 'south', true), (41, 'south', true), (80, 'attic', NULL)"

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")


def sections() -> dict[str, str]:
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")
    return {part.partition("\n")[0]: part for part in parts}


def run(texts: list[str], names: dict[str, Any]) -> None:
    examples = doctest.DocTestParser().get_doctest("\n".join(texts), names, PAGE.name, str(PAGE), 0)
    results = doctest.DocTestRunner().run(examples)
    assert results.attempted > 2
    assert results.failed == 0


def test_what_needs_no_engine() -> None:
    run([text for title, text in sections().items() if title not in ("PostgreSQL", "Spark")], {})


def test_postgresql(postgres_address: str) -> None:
    import psycopg

    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE patients AS SELECT * FROM (VALUES {ROWS}) AS t(age, ward, smoker)")
        try:
            run([sections()["Frames and files"], sections()["PostgreSQL"]], {"address": postgres_address})
        finally:
            connection.execute("DROP TABLE patients")


def test_spark(spark: Any) -> None:
    run([sections()["Frames and files"], sections()["Spark"]], {"spark": spark})
