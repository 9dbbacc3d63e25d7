"""Synthetic rows in the user's own kind of frame: its library and order of columns, the schema's types."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from oracledp.data.output.rows import PlainRows, Spelling
from oracledp.data.schema import Amount, Boolean, Categorical, Column, Date, Moment, Numeric, Schema, Timestamp
from oracledp.extras import optional

# How each library stores what a column holds: the type without missing values, and the type with them. A frame's own
# types are not looked at: pandas stores integers as floats and truth values as objects as soon as one is missing.
_PLAIN = "plain"
_TYPES: dict[str, dict[str, tuple[str, str]]] = {
    "pandas": {
        "truths": ("bool", "boolean"),
        "integers": ("int64", "Int64"),
        "numbers": ("float64", "float64"),
        "texts": ("string", "string"),
    },
    "polars": {
        "truths": ("Boolean",) * 2,
        "integers": ("Int64",) * 2,
        "numbers": ("Float64",) * 2,
        "texts": ("String",) * 2,
    },
    "pyarrow": {
        "truths": ("bool_",) * 2,
        "integers": ("int64",) * 2,
        "numbers": ("float64",) * 2,
        "texts": ("string",) * 2,
    },
    _PLAIN: {
        "truths": ("BOOLEAN",) * 2,
        "integers": ("BIGINT",) * 2,
        "numbers": ("DOUBLE",) * 2,
        "texts": ("VARCHAR",) * 2,
    },
}


@dataclass(frozen=True)
class FrameShape:
    """The kind of frame that synthetic rows come in.

    Of the frame that was fitted it keeps the library and the order of the schema's columns, which count as public, and
    nothing else: no type, no index, no list of categories. Types follow from the schema alone.
    """

    library: str
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, frame: Any, schema: Schema) -> FrameShape:
        """The shape of a frame, for the columns that the schema names."""
        native = nw.from_native(frame, eager_only=True)
        library = native.implementation.value
        columns = tuple(schema[name] for name in native.columns if name in schema)
        return cls(library if library in _TYPES else cls.default(schema).library, columns)

    @classmethod
    def plain(cls, schema: Schema) -> FrameShape:
        """Plain columns, which need no library."""
        return cls(_PLAIN, schema.columns)

    @classmethod
    def default(cls, schema: Schema) -> FrameShape:
        """A pandas frame in the schema's order; plain columns where pandas is not installed."""
        return cls("pandas" if find_spec("pandas") else _PLAIN, schema.columns)

    def build(self, values: dict[str, NDArray[Any]]) -> Any:
        """A frame of this shape from one array per column, None where a value is missing."""
        stored = {column.name: self._stored(column) for column in self.columns}
        plain = {column.name: _plain(column, values[column.name]) for column in self.columns}
        if self.library == _PLAIN:
            return PlainRows(plain, stored, {column.name: Spelling.of(column) for column in self.columns})
        module = optional(self.library, extra="frames")
        if self.library == "pandas":
            made = {name: module.Series(plain[name], dtype=kind) for name, kind in stored.items()}
            return module.DataFrame(made)
        if self.library == "polars":
            return module.DataFrame(plain, schema={name: getattr(module, kind) for name, kind in stored.items()})
        return module.table(plain, schema=module.schema([(n, getattr(module, kind)()) for n, kind in stored.items()]))

    def _stored(self, column: Column) -> str:
        if self.library == _PLAIN and isinstance(column, Amount):
            return f"DECIMAL(18, {column.places})"
        if self.library == _PLAIN and isinstance(column, Date | Timestamp) and column.format == column.usual:
            return column.kind.upper()
        return _TYPES[self.library][_content(column)][column.nullable]


def _content(column: Column) -> str:
    """What a column holds; whole numbers beside a text are texts."""
    if isinstance(column, Boolean):
        if column.spelling is None:
            return "truths"
        return "integers" if column.spelling == ("0", "1") else "texts"
    if isinstance(column, Moment):
        return "texts"
    if isinstance(column, Numeric):
        return "numbers"
    return (
        "texts" if isinstance(column, Categorical) and (column.other is not None or not column.numbers) else "integers"
    )


def _plain(column: Column, values: NDArray[Any]) -> list[Any]:
    listed = [value.item() if isinstance(value, np.generic) else value for value in values.tolist()]
    if _content(column) == "integers" and isinstance(column, Boolean):
        return [value if value is None else int(value) for value in listed]
    if _content(column) != "texts":
        return listed
    return [value if value is None else str(value) for value in listed]
