"""PushDown: the one query that reads, encodes and counts a table on the engine that holds it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Schema
from oracledp.data.table.dialects import DIALECTS, Dialect
from oracledp.data.table.encoded import Encoded
from oracledp.data.table.persons import PersonsInSql
from oracledp.data.table.sql import Encoding
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import DataError, ParameterError

_KEY_LIMIT = 1 << 62
_NAME = r"""([\w$-]+|"([^"]|"")+"|`[^`]+`)"""
_TABLE_NAME = re.compile(rf"{_NAME}(\.{_NAME})*")


@dataclass(frozen=True)
class PushDown:
    """Encoding and counting as one SQL query for an engine: ``duckdb``, ``postgresql``, ``spark``, ``bigquery``
    or ``snowflake``.

    ``types`` maps the source's columns to the engine's names of their types. The query returns a few integers
    for each distinct encoded record: keys in which the codes are packed, and the count. No value of a column
    leaves the engine. :meth:`encoded` unpacks what it returned. ``unit`` bounds the rows of each person on the way.

    >>> schema = Schema({"age": {"kind": "integer", "lo": 17, "hi": 90, "thresholds": [25, 65]}})
    >>> plan = PushDown(schema, "bigquery", {"age": "INT64", "note": "STRING"})
    >>> print(plan.query("SELECT * FROM survey.people"))  # doctest: +ELLIPSIS
    SELECT k0, COUNT(*) AS n FROM (SELECT CAST(c0 AS INT64) AS k0 FROM (SELECT CAST(CASE WHEN v0 ...
    >>> [codes.tolist() for codes in plan.encoded([(0, 12), (2, 30)]).columns]
    [[0, 2]]
    """

    schema: Schema
    dialect: str
    types: Mapping[str, str]
    title: str = "the query"
    unit: Unit = ROWS

    def __post_init__(self) -> None:
        if self.dialect not in DIALECTS:
            raise ParameterError(f"dialect must be one of {', '.join(DIALECTS)}")
        assert self.encodings, "made once at the start, so that a wrong type is refused before any query"
        assert self.persons is None or self.persons.reading(), "the same"

    @property
    def words(self) -> Dialect:
        """The engine's words."""
        return DIALECTS[self.dialect]()

    # ---- the query -------------------------------------------------------------------------------
    @cached_property
    def encodings(self) -> tuple[Encoding, ...]:
        """How each column of the schema is encoded."""
        return tuple(
            Encoding(column, index, column.name, self._type_of(column.name), self.words, self.schema.file.marks)
            for index, column in enumerate(self.schema.columns)
        )

    @cached_property
    def persons(self) -> PersonsInSql | None:
        """How persons are told apart, and which of their rows are kept."""
        name = self.unit.person
        return None if name is None else PersonsInSql(self.unit, name, self._type_of(name), self.words)

    def _type_of(self, name: str) -> str:
        if name not in self.types:
            raise DataError(f"column {name!r} is missing from {self.title}")
        return self.types[name]

    @cached_property
    def _groups(self) -> tuple[tuple[Encoding, ...], ...]:
        """Consecutive columns whose codes fit into one 64-bit integer together."""
        groups: list[list[Encoding]] = []
        span = _KEY_LIMIT
        for encoding in self.encodings:
            span *= encoding.span
            if span > _KEY_LIMIT:  # at the first column, too
                groups.append([])
                span = encoding.span
            groups[-1].append(encoding)
        return tuple(map(tuple, groups))

    @property
    def readings(self) -> list[str]:
        """The expressions over the source."""
        found = [expression for encoding in self.encodings for expression in encoding.readings()]
        return found if self.persons is None else [*found, self.persons.reading()]

    @property
    def codings(self) -> list[str]:
        """The expressions over the readings."""
        found = [encoding.coding() for encoding in self.encodings]
        return found if self.persons is None else [*found, "person"]

    @property
    def rankings(self) -> list[str]:
        """The expressions over the codes of rows that name a person."""
        assert self.persons is not None
        codes = [encoding.code for encoding in self.encodings]
        return [*codes, self.persons.ranking(codes)]

    @property
    def packings(self) -> list[str]:
        """The expressions over the codes."""
        return [f"{_pack(group)} AS {key}" for group, key in zip(self._groups, self.keys, strict=True)]

    @property
    def keys(self) -> list[str]:
        """The names of the packed codes."""
        return [f"k{index}" for index in range(len(self._groups))]

    def query(self, source: str) -> str:
        """The whole query over a query or the name of a table."""
        keys = ", ".join(self.keys)
        return f"SELECT {keys}, COUNT(*) AS n FROM ({self._records(source)}) AS records GROUP BY {keys}"

    def kept_query(self, source: str, person: str) -> str:
        """The rows that are kept of each person, one by one: packed codes, and whose row it is in these words."""
        return f"SELECT {', '.join(self.keys)}, {person} FROM ({self._records(source, 'person')}) AS records"

    def _records(self, source: str, *beside: str) -> str:
        """Every row's packed codes, with some names beside them; of a person's rows those that are kept."""
        readings = f"SELECT {', '.join(self.readings)} FROM ({as_query(source)}) AS source{self.words.fence}"
        codings = f"SELECT {', '.join(self.codings)} FROM ({readings}) AS readings"
        if self.persons is not None:
            ranked = f"SELECT {', '.join((*self.rankings, *beside))} FROM ({codings}) AS named WHERE person IS NOT NULL"
            codings = f"SELECT * FROM ({ranked}) AS ranked WHERE {self.persons.kept}"
        return f"SELECT {', '.join((*self.packings, *beside))} FROM ({codings}) AS codes"

    # ---- its answer ------------------------------------------------------------------------------
    def encoded(self, rows: Iterable[Sequence[int]] | NDArray[Any]) -> Encoded:
        """The distinct records as codes and flaws, and their counts."""
        answer = np.array(rows if isinstance(rows, np.ndarray) else [tuple(row) for row in rows], dtype=np.int64)
        answer = answer.reshape(len(answer), len(self.keys) + 1)
        return Encoded(self.schema, self._codes(answer), answer[:, -1], unit=self.unit)

    def kept(self, keys: NDArray[np.int64], persons: Sequence[bytes]) -> Encoded:
        """What :meth:`kept_query` found, rows × keys, with whose each row is in UTF-8.

        Bytes that are no text stay apart: two persons never become one.
        """
        told = [person.decode("utf-8", "surrogateescape") for person in persons]
        return Encoded(self.schema, self._codes(keys), unit=self.unit, persons=told)

    def _codes(self, answer: NDArray[np.int64]) -> list[NDArray[Any]]:
        codes: list[NDArray[Any]] = []
        for group, key in zip(self._groups, answer.T, strict=False):
            codes += _unpack(group, key)
        return codes


def types_of(
    described: Iterable[tuple[str, str]], schema: Schema, title: str, *, ignore_case: bool = False, unit: Unit = ROWS
) -> dict[str, str]:
    """The types of a source's columns; refused where one of the schema's, or the persons', stands twice."""
    types = dict(described := list(described))
    found = Counter(name.lower() if ignore_case else name for name, _ in described)
    for name in (*schema.names, *([] if unit.person is None else [unit.person])):
        if found[name.lower() if ignore_case else name] > 1:
            raise DataError(f"column {name!r} stands twice in {title}" + ", where case is ignored" * ignore_case)
    return types


def as_query(source: str) -> str:
    """A query without its last semicolon; a bare name means the whole table."""
    text = source.strip().removesuffix(";").rstrip()
    if not text:
        raise ParameterError("the query is empty")
    return f"SELECT * FROM {text}" if _TABLE_NAME.fullmatch(text) else text


def _pack(group: Sequence[Encoding]) -> str:
    first = group[0]
    packed = f"CAST({first.code} AS {first.dialect.integer_type})"  # narrow codes would overflow
    for encoding in group[1:]:
        packed = f"({packed}) * {encoding.span} + {encoding.code}"
    return packed


def _unpack(group: Sequence[Encoding], keys: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    codes = []
    for encoding in reversed(group):
        keys, code = np.divmod(keys, encoding.span)
        codes.append(code)
    return codes[::-1]
