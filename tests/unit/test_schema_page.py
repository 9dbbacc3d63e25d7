"""The examples of docs/schema.md run and print what the page says."""

from __future__ import annotations

import doctest
from pathlib import Path

import yaml

from oracledp.data.schema import Schema

PAGE = Path(__file__).parents[2] / "docs" / "schema.md"


def test_the_page_tells_the_truth() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted >= 8
    assert results.failed == 0


def test_the_pages_schema_is_valid() -> None:
    text = PAGE.read_text(encoding="utf-8")
    definition = yaml.safe_load(text.split("```yaml")[1].split("```")[0])
    assert Schema(definition).names == ("age", "hours", "education", "married", "income")
