"""From what a user passes to ``fit`` or ``predict`` to 0/1 literal values, by public definitions only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal, Literals
from oracledp.data.schema import Schema
from oracledp.data.table.frames import encode_frame
from oracledp.data.table.table import VALUES_IN_SCHEMA
from oracledp.errors import DataError, ParameterError
from oracledp.exact.numbers import exact, whole
from oracledp.learning.blocks import Block, pattern_blocks, schema_blocks


@dataclass(frozen=True)
class SchemaEncoder:
    """Rows to literals by a schema: the only way that takes texts, categories and missing values.

    Every row is one record whatever it holds (docs/schema.md); ``strict`` refuses what the schema does not know.
    """

    schema: Schema
    strict: bool = False

    @property
    def assumes(self) -> tuple[str, ...]:
        """What a guarantee about the encoded rows takes for granted."""
        return (VALUES_IN_SCHEMA,) if self.strict else ()

    @property
    def literals(self) -> Literals:
        """The schema's."""
        return self.schema.literals

    @property
    def blocks(self) -> tuple[Block, ...]:
        """One per column."""
        return schema_blocks(self.schema, self.literals)

    def encode(self, rows: Any) -> NDArray[np.uint8]:
        """The value of each literal on each row of a frame, or of an array in the schema's order of columns."""
        codes = encode_frame(self._frame(rows), self.schema).settled(strict=self.strict)
        return self.schema.literal_values(self.literals, np.stack(codes, axis=1).astype(self.schema.code_dtype))

    def _frame(self, rows: Any) -> Any:
        if hasattr(rows, "columns") or hasattr(rows, "column_names"):
            return rows
        import pandas

        array = rows if isinstance(rows, np.ndarray) else np.asarray(rows, dtype=object)  # each value as it is
        if array.ndim != 2 or array.shape[1] != len(self.schema.columns):
            raise DataError(f"the array needs {len(self.schema.columns)} columns, those of the schema in order")
        return pandas.DataFrame({name: array[:, place] for place, name in enumerate(self.schema.names)})

    def to_json(self) -> dict[str, Any]:
        """The schema."""
        return {"schema": self.schema.to_json()}


MOST_CUTS = 1000  # of one column
MOST_BOUND = 10**300


@dataclass(frozen=True)
class CutEncoder:
    """Numbers to literals ``x >= cut`` with the same public cuts for every column; nothing is read from the data.

    What is no number lies below every cut.

    >>> encoder = CutEncoder.evenly(("height",), (0, 4), 3)
    >>> [str(literal) for literal in encoder.literals], encoder.encode(np.array([[2.5]])).tolist()
    (['height >= 1', 'height >= 2', 'height >= 3'], [[1, 1, 0]])
    >>> [str(literal) for literal in CutEncoder.evenly(("smoker",), (0, 1), 1).literals]
    ['smoker']
    """

    names: tuple[str, ...]
    cuts: tuple[float, ...]

    @property
    def assumes(self) -> tuple[str, ...]:
        """Nothing: every number has its literals."""
        return ()

    @classmethod
    def evenly(cls, names: tuple[str, ...], bounds: Any, count: int) -> CutEncoder:
        """``count`` cuts that split the bounds into equal parts."""
        count = whole(count, "cuts", most=MOST_CUTS)
        try:
            low, high = (exact(bound, "bounds") for bound in bounds)
        except (TypeError, ValueError):
            raise ParameterError("bounds must be two numbers (low, high)") from None
        if max(abs(low), abs(high)) > MOST_BOUND:
            raise ParameterError("bounds must lie between -1e300 and 1e300")
        if low >= high:
            raise ParameterError("bounds must be two numbers (low, high) with low < high")
        return cls(names, tuple(float(low + (high - low) * Fraction(i, count + 1)) for i in range(1, count + 1)))

    @property
    def literals(self) -> Literals:
        """One per column and cut. A single cut at one half reads a column as true or false."""
        if self.cuts == (0.5,):
            return Literals.named(*self.names)
        return Literals(tuple(Literal(name, ">=", _short(cut)) for name in self.names for cut in self.cuts))

    @property
    def blocks(self) -> tuple[Block, ...]:
        """One per column: a number passes the lowest cuts first."""
        count = len(self.cuts)
        steps = np.tri(count + 1, count, -1, dtype=np.uint8)
        starts = range(0, count * len(self.names), count)
        return tuple(b for start in starts for b in pattern_blocks(tuple(range(start, start + count)), steps))

    def encode(self, rows: Any) -> NDArray[np.uint8]:
        """The value of each literal on each row of numbers."""
        values = as_numbers(np.asarray(rows))
        return np.asarray(values[:, :, None] >= np.array(self.cuts), dtype=np.uint8).reshape(
            len(values), len(self.literals)
        )

    def to_json(self) -> dict[str, Any]:
        """Names and cuts."""
        return {"names": list(self.names), "cuts": list(self.cuts)}


Encoder = SchemaEncoder | CutEncoder


def encoder_from_json(data: dict[str, Any]) -> Encoder:
    """Read what ``to_json`` of an encoder wrote."""
    if "schema" in data:
        return SchemaEncoder(Schema(data["schema"]))
    return CutEncoder(tuple(map(str, data["names"])), tuple(map(float, data["cuts"])))


def feature_schema(schema: Schema, rows: Any, target: str | None) -> Schema:
    """The schema without the target's column, if that is named and not among the features."""
    names = set(getattr(rows, "columns", ()))
    if target is None or target not in schema or target in names:
        return schema
    definition = schema.to_json()
    del definition["columns"][target]
    return Schema({"columns": definition["columns"]})


def as_numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    """An array as 64-bit floats, NaN for what is no number; each value alone decides what it becomes."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    return np.array([_as_number(value) for value in values.ravel()], dtype=np.float64).reshape(values.shape)


def _as_number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer beyond every float
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except (TypeError, ValueError):
        return math.nan


def _short(cut: float) -> float | int:
    return int(cut) if cut == int(cut) else cut


def as_given(X: Any) -> Any:
    """Lists of rows as objects: numpy would turn all of them into texts if one value is a text."""
    return X if hasattr(X, "shape") or hasattr(X, "__array__") else np.array(X, dtype=object)


def plain(y: Any) -> Any:
    """Labels as an array: polars and pyarrow columns included."""
    return y.to_numpy() if hasattr(y, "to_numpy") else y
