"""Synthetic rows in the user's own kind of frame: its library and order of columns, the schema's types."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from oracledp.data.output.rows import PlainRows, Spelling, moments_in
from oracledp.data.schema import Amount, Boolean, Categorical, Column, Moment, Numeric, Schema
from oracledp.extras import optional

# How each library stores what a column holds: the type without missing values, and the type with them. A frame's own
# types are not looked at: pandas stores integers as floats and truth values as objects as soon as one is missing.
# Microseconds count moments everywhere; pandas has no type for a day or a decimal, nor Parquet for a duration.
_PLAIN = "plain"
_TYPES: dict[str, dict[str, tuple[str, str]]] = {
    "pandas": {
        "truths": ("bool", "boolean"),
        "integers": ("int64", "Int64"),
        "numbers": ("float64",) * 2,
        "amounts": ("float64",) * 2,
        "texts": ("string",) * 2,
        "date": ("datetime64[us]",) * 2,
        "timestamp": ("datetime64[us]",) * 2,
        "duration": ("timedelta64[us]",) * 2,
    },
    "polars": {
        "truths": ("Boolean",) * 2,
        "integers": ("Int64",) * 2,
        "numbers": ("Float64",) * 2,
        "amounts": ("Decimal",) * 2,
        "texts": ("String",) * 2,
        "date": ("Date",) * 2,
        "timestamp": ("Datetime",) * 2,
        "duration": ("Duration",) * 2,
    },
    "pyarrow": {
        "truths": ("bool_",) * 2,
        "integers": ("int64",) * 2,
        "numbers": ("float64",) * 2,
        "amounts": ("decimal128",) * 2,
        "texts": ("string",) * 2,
        "date": ("date32",) * 2,
        "timestamp": ("timestamp",) * 2,
        "duration": ("duration",) * 2,
    },
    _PLAIN: {
        "truths": ("BOOLEAN",) * 2,
        "integers": ("BIGINT",) * 2,
        "numbers": ("DOUBLE",) * 2,
        "amounts": ("DECIMAL",) * 2,
        "texts": ("VARCHAR",) * 2,
        "date": ("DATE",) * 2,
        "timestamp": ("TIMESTAMP",) * 2,
        "duration": ("VARCHAR",) * 2,
    },
}
_MOST_DIGITS = 18  # of a decimal


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
        if self.library == _PLAIN:
            plain = {column.name: _plain(column, values[column.name]) for column in self.columns}
            stored = {column.name: self._sql_type(column) for column in self.columns}
            return PlainRows(plain, stored, {column.name: Spelling.of(column) for column in self.columns})
        module = optional(self.library, extra="frames")
        held = {column.name: self._held(column, values[column.name]) for column in self.columns}
        if self.library == "pandas":
            made = {
                column.name: module.Series(held[column.name], dtype=self._stored(column)) for column in self.columns
            }
            return module.DataFrame(made)
        types = {column.name: self._library_type(module, column) for column in self.columns}
        if self.library == "polars":
            return module.DataFrame(held, schema=types)
        return module.table(held, schema=module.schema(list(types.items())))

    def _stored(self, column: Column) -> str:
        return _TYPES[self.library][_content(column)][column.nullable]

    def _sql_type(self, column: Column) -> str:
        places = f"({_MOST_DIGITS}, {column.places})" if isinstance(column, Amount) else ""
        return self._stored(column) + places

    def _series(self, module: Any, column: Column, held: dict[str, list[Any]]) -> Any:
        """Moments by way of numpy, which knows all years in every version of pandas."""
        kind, values = self._stored(column), held[column.name]
        return module.Series(np.array(values, dtype=kind) if "64[" in kind else values, dtype=kind)

    def _library_type(self, module: Any, column: Column) -> Any:
        make = getattr(module, self._stored(column))
        if isinstance(column, Amount):
            return make(_MOST_DIGITS, column.places)
        return make("us") if _content(column) in ("timestamp", "duration") else make()

    def _held(self, column: Column, values: NDArray[Any]) -> list[Any]:
        """The values as the library takes them."""
        if isinstance(column, Moment) and column.typed:
            return moments_in(values.tolist(), column)
        plain = _plain(column, values)
        if isinstance(column, Amount) and self.library != "pandas":
            return [None if value is None else Decimal(f"{value:.{column.places}f}") for value in plain]
        return plain


def _content(column: Column) -> str:
    """What a column holds; whole numbers beside a text are texts."""
    if isinstance(column, Boolean):
        if column.spelling is None:
            return "truths"
        return "integers" if column.spelling == ("0", "1") else "texts"
    if isinstance(column, Moment):
        return column.kind if column.typed else "texts"
    if isinstance(column, Numeric):
        return "amounts" if isinstance(column, Amount) else "numbers"
    return (
        "texts" if isinstance(column, Categorical) and (column.other is not None or not column.numbers) else "integers"
    )


def _plain(column: Column, values: NDArray[Any]) -> list[Any]:
    """Plain values, with moments as texts."""
    listed = [value.item() if isinstance(value, np.generic) else value for value in values.tolist()]
    content = _content(column)
    if content == "integers" and isinstance(column, Boolean):
        return [value if value is None else int(value) for value in listed]
    if content != "texts":
        return listed
    return [value if value is None else str(value) for value in listed]
