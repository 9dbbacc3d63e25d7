"""From what a user passes to ``fit`` or ``predict`` to 0/1 literal values, by public definitions only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literals
from oracledp.data.schema import Schema
from oracledp.data.table.frames import encode_frame
from oracledp.data.table.table import VALUES_IN_SCHEMA
from oracledp.errors import DataError
from oracledp.learners.cuts import CutEncoder, cuts_from_json
from oracledp.learning.blocks import Block, schema_blocks


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


Encoder = SchemaEncoder | CutEncoder


def encoder_from_json(data: dict[str, Any]) -> Encoder:
    """Read what ``to_json`` of an encoder wrote."""
    if "schema" in data:
        return SchemaEncoder(Schema(data["schema"]))
    return cuts_from_json(data)


def feature_schema(schema: Schema, rows: Any, target: str | None) -> Schema:
    """The schema without the target's column, if that is named and not among the features."""
    names = set(getattr(rows, "columns", ()))
    return schema if target is None or target not in schema or target in names else schema.without(target)


def as_given(X: Any) -> Any:
    """Lists of rows as objects: numpy would turn all of them into texts if one value is a text."""
    return X if hasattr(X, "shape") or hasattr(X, "__array__") else np.array(X, dtype=object)


def plain(y: Any) -> Any:
    """Labels as an array: polars and pyarrow columns included."""
    return y.to_numpy() if hasattr(y, "to_numpy") else y


def each_alone(y: Any) -> Any:
    """The same where each value of a list stays as it is: one text would make texts of all others in numpy's hands.

    >>> each_alone([0, [1], "x"]).tolist()
    [0, 1, 'x']
    """
    if not isinstance(y, list | tuple):
        return plain(y)
    found = np.empty(len(y), dtype=object)
    for place, value in enumerate(y):
        found[place] = value[0] if isinstance(value, list | tuple) and len(value) == 1 else value
    return found
