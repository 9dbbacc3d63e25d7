"""Schema: the ordered columns of a table, with what may never occur together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from math import prod
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal, Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.data.schema.columns import Categorical, Codes, Column
from oracledp.data.schema.conditions import DenyRule, parse_deny, parse_literal, write_literal
from oracledp.data.schema.constraints import Constraint, parse_constraints
from oracledp.data.schema.file_format import FileFormat
from oracledp.data.schema.parsing import NO_MARK, is_value, parse_columns, top_level
from oracledp.data.schema.purchase import Purchase
from oracledp.errors import ParameterError, SchemaError
from oracledp.exact.numbers import Exact
from oracledp.showing import html_table


@dataclass(frozen=True, init=False, repr=False)
class Schema:
    """Everything a release may know of a table before it spends any budget; all of it public.

    The definition maps each column to its kind, bounds and categories (docs/schema.md). None of it is ever
    read from private data. ``deny`` lists conjunctions of literals that no synthetic row may satisfy, ``constraints``
    what every one keeps (``start <= end``, ``total = a + b``, ``city -> state``); real rows are not checked against
    them, since a failure would tell about the data. ``file`` says how CSV files are spelled, read and written.

    >>> schema = Schema({"columns": {
    ...     "age": {"kind": "integer", "lo": 17, "hi": 90, "thresholds": [25, 65]},
    ...     "income": {"kind": "categorical", "values": ["<=50K", ">50K"], "nullable": True}}})
    >>> schema.sizes, [str(literal) for literal in schema.literals][:3]
    ((3, 3), ['age >= 25', 'age >= 65', 'income = <=50K'])
    >>> schema["age"].labels
    ('[17, 25)', '[25, 65)', '[65, 90]')

    A short form says what a line can say: ``integer 0..120``, ``numeric 0..2.5 by 0.01``, ``boolean``,
    ``a | b | other: c``, each with a question mark at its end where values may be missing.

    >>> Schema({"age": "integer 0..120", "smoker": "boolean?", "job": "cook | smith"}).sizes
    (121, 3, 2)
    """

    columns: tuple[Column, ...]
    deny: tuple[DenyRule, ...]
    constraints: tuple[Constraint, ...]
    file: FileFormat
    bought: Purchase | None

    def __init__(self, definition: Mapping[str, Any]) -> None:
        given, columns = top_level(definition), parse_columns(definition)
        rules, constraints, bought = (given.get(key) for key in ("deny", "constraints", "bought"))
        object.__setattr__(self, "file", _parse_file(given.get("file"), columns))
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "deny", () if rules is None else parse_deny(rules, columns))
        object.__setattr__(self, "constraints", () if constraints is None else parse_constraints(constraints, columns))
        object.__setattr__(self, "bought", None if bought is None else Purchase.parse(bought))

    def __repr__(self) -> str:
        return f"Schema({', '.join(self.names)})"

    def _repr_html_(self) -> str:
        rows = [(c.name, c.kind, c.size, "yes" if c.nullable else "", len(c.literals)) for c in self.columns]
        header = ("column", "kind", "values", "may be missing", "literals")
        return html_table(header, rows, caption=f"Schema of {len(rows)} columns: all of it public")

    # ---- files -----------------------------------------------------------------------------------
    @classmethod
    def load(cls, path: str | PathLike[str]) -> Schema:
        """Read a YAML or JSON file."""
        from oracledp.data.schema.documents import read_document

        definition = read_document(Path(path))
        try:
            return cls(definition)
        except SchemaError as error:
            raise SchemaError(f"{Path(path).name}: {error}") from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file that :meth:`load` reads back: JSON where the name ends so, YAML otherwise."""
        from oracledp.data.schema.documents import write_document

        write_document(Path(path), self.to_json())

    def to_json(self) -> dict[str, Any]:
        """The definition as plain values: ``Schema(schema.to_json()) == schema``."""
        columns = {column.name: column.to_json() for column in self.columns}
        rules = [[write_literal(literal, self.columns) for literal in rule] for rule in self.deny]
        kept = [constraint.to_json(self.columns) for constraint in self.constraints]
        file = self.file.to_json()
        paid = {} if self.bought is None else {"bought": self.bought.to_json()}
        rest = ({"deny": rules} if rules else {}) | ({"constraints": kept} if kept else {})
        return ({"file": file} if file else {}) | paid | {"columns": columns} | rest

    def spelled(self, **file: Any) -> Schema:
        """The same schema for files of another spelling: ``delimiter``, ``decimal``, ``encoding``, ``names``.

        >>> Schema({"age": "integer 0..9"}).spelled(decimal=",").file.decimal
        ','
        """
        changed = {"file": self.file.changed(**file).to_json()}
        return Schema({**self.to_json(), **changed}) if changed["file"] != self.file.to_json() else self

    @classmethod
    def draft(cls, source: object, *, public: bool = False, file: Mapping[str, Any] | None = None) -> Schema:
        """A first schema read off *public* data, a frame or a file, for you to edit.

        Bounds and categories are facts about the rows they come from, so a draft of private data would
        itself need a privacy budget. ``public=True`` is your word that these rows are public. Columns that cannot be
        drafted (ids, free text, nothing but missing values) are left out. ``file`` says how a CSV file is spelled where
        that is not plain from it: ``{"decimal": ",", "encoding": "cp1252"}``.
        """
        if public is not True:
            raise ParameterError(
                "a draft reads bounds and categories off the data; pass public=True if the data are public"
            )
        from oracledp.data.schema.draft import draft_of

        return cls(draft_of(source, FileFormat.parse(file)).definition)

    @classmethod
    def infer(cls, data: object, *, epsilon: Exact, delta: Exact, **options: Any) -> Schema:
        """A schema bought from *private* data, a frame or a file, for (ε, δ).

        ``options`` are those of ``oracledp.infer_schema``, which also tells what was paid and which columns are left
        out: ``neighbours``, ``file``, ``delimiter``, ``ledger``, ``source``.
        """
        # by name: what a schema is knows of no mechanism, and must not
        inference = import_module("oracledp.mechanisms.private_schema")
        found: Schema = inference.infer_schema(data, epsilon=epsilon, delta=delta, **options).schema
        return found

    # ---- columns ---------------------------------------------------------------------------------
    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names in order."""
        return tuple(column.name for column in self.columns)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many codes each column has."""
        return tuple(column.size for column in self.columns)

    @property
    def domain_size(self) -> int:
        """How many different encoded records there could be."""
        return prod(self.sizes)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {column.name: position for position, column in enumerate(self.columns)}

    def position(self, name: str) -> int:
        """Where a column stands."""
        if name not in self._positions:
            raise ParameterError(f"the schema has no column {name!r}; it has {', '.join(self.names)}")
        return self._positions[name]

    def __getitem__(self, name: str) -> Column:
        return self.columns[self.position(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def without(self, *names: str) -> Schema:
        """The schema without some columns, and without the deny rules that speak of them: features without a target.

        >>> Schema({"age": "integer 0..9", "sick": "boolean"}).without("sick").names
        ('age',)
        """
        dropped = {self.position(name) for name in names}
        if len(dropped) == len(self.columns):
            raise ParameterError("a schema needs at least one column: not all of them can be left out")
        definition = self.to_json()
        columns = {name: definition["columns"][name] for name in self.names if name not in names}
        kept = [
            written
            for rule, written in zip(self.deny, definition.get("deny", ()), strict=True)
            if not {literal.column for literal in rule} & set(names)
        ]
        return Schema({**definition, "columns": columns, "deny": kept, "constraints": None})

    # ---- literals --------------------------------------------------------------------------------
    @cached_property
    def literals(self) -> Literals:
        """All literals of all columns, in order."""
        return Literals(tuple(literal for column in self.columns for literal in column.literals))

    def literal(self, text: str) -> Literal:
        """The literal that a text means, such as ``age >= 25``, ``income = >50K`` or ``not married``."""
        return parse_literal(text, self.columns)

    def literal_table(self, name: str) -> NDArray[np.uint8]:
        """Which of a column's literals hold at each of its codes: size × literals, 0 or 1."""
        return self[name].literal_table()

    # ---- codes -----------------------------------------------------------------------------------
    @property
    def code_dtype(self) -> np.dtype[Any]:
        """The smallest unsigned type that holds every code."""
        return np.min_scalar_type(max(self.sizes) - 1)

    def decode(self, codes: Codes, places: NDArray[np.float64] | None = None) -> dict[str, NDArray[Any]]:
        """Records of codes (rows × columns) back to values: one array per column, None for missing.

        ``places`` (rows × columns, in [0, 1)) say where inside its bin each number lies; the middle by default.
        """
        if codes.ndim != 2 or codes.shape[1] != len(self.columns):
            raise ParameterError("codes need one column per column of the schema")
        return {
            column.name: column.decode(codes[:, index], None if places is None else places[:, index])
            for index, column in enumerate(self.columns)
        }

    def denied(self, codes: Codes) -> NDArray[np.bool_]:
        """Which records satisfy some deny rule."""
        broken = np.zeros(len(codes), dtype=np.bool_)
        for rule in self.deny:
            broken |= np.all([self.holds(literal, codes) for literal in rule], axis=0)
        return broken

    def holds(self, literal: Literal, codes: Codes) -> NDArray[np.uint8]:
        """The value of one literal on each record of codes."""
        position = self.position(literal.column)
        return self.columns[position].holds(literal)[codes[:, position]]

    def packed(self, literals: Sequence[Literal], codes: Codes) -> PackedRecords:
        """The values of literals on records of codes, in packed words: each code stands for some bits."""
        tables = []
        for name, places in _by_column(literals).items():
            column = self[name]
            held = np.zeros((column.size, len(literals)), dtype=np.uint8)
            for place in places:
                held[:, place] = column.holds(literals[place])
            tables.append((self.position(name), PackedRecords.of(held).words))
        return PackedRecords.of_codes(codes, tables, len(literals))

    def literal_values(self, literals: Sequence[Literal], codes: Codes) -> NDArray[np.uint8]:
        """The same as a matrix: rows × literals, 0 or 1."""
        return self.packed(literals, codes).matrix()


def _parse_file(entry: object, columns: Sequence[Column]) -> FileFormat:
    try:
        file = FileFormat.parse(entry)
    except ParameterError as error:
        raise SchemaError(f"key 'file': {error}") from None
    for column in columns:
        _refuse_letters(column, file.encoding)
        if column.mark is not None and is_value(column, column.mark, file.marks):
            raise SchemaError(f"column {column.name!r}, key 'missing': {NO_MARK}")
    for column in columns if file.names is not None else ():
        if column.name not in (file.names or ()):
            raise SchemaError(f"key 'file': column {column.name!r} is not among the names of the file's columns")
    return file


def _refuse_letters(column: Column, encoding: str) -> None:
    """What a schema lists must be able to stand in its files."""
    words = [column.name, column.mark or "", *(column.value_labels if isinstance(column, Categorical) else ())]
    try:
        "".join(words).encode(encoding)
    except UnicodeEncodeError:
        raise SchemaError(f"column {column.name!r}: {encoding} has no letters for one of its texts") from None


def _by_column(literals: Sequence[Literal]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for place, literal in enumerate(literals):
        groups.setdefault(literal.column, []).append(place)
    return groups
