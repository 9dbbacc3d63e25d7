"""A dialect: a hosted engine that speaks DuckDB's SQL but has no unsigned types."""

from __future__ import annotations

from typing import ClassVar

from oracledp.data.table.dialects import DuckDB


class MotherDuck(DuckDB):
    """DuckDB's words, with codes in a type that every client knows."""

    key: ClassVar[str] = "motherduck"
    title: ClassVar[str] = "MotherDuck"

    def code_type(self, span: int) -> str:
        return "INTEGER"
