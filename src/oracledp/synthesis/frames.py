"""Synthetic rows in the user's own kind of frame: same library, column order and types as the data came in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from oracledp.extras import optional
from oracledp.schema import Schema


@dataclass(frozen=True)
class FrameShape:
    """A frame without its rows: the library, and the names and types of its columns, which count as public.

    The list of categories that a pandas categorical type carries is read from rows, so it is never kept.
    """

    library: str
    types: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, frame: Any, schema: Schema) -> FrameShape:
        """The shape of a frame, for the columns that the schema names."""
        native = nw.from_native(frame, eager_only=True)
        library = native.implementation.value
        types = dict(zip(frame.column_names, frame.schema.types, strict=True)) if library == "pyarrow" else None
        found = [(name, types[name] if types else frame[name].dtype) for name in native.columns if name in schema]
        return cls(library, tuple(found))

    @classmethod
    def default(cls, schema: Schema) -> FrameShape:
        """A pandas frame in the schema's order, with the types that the schema implies."""
        return cls("pandas", tuple((name, None) for name in schema.names))

    def build(self, columns: dict[str, NDArray[Any]]) -> Any:
        """A frame of this shape. A type that cannot hold a missing value gives way to one that can."""
        module = optional(self.library, extra="frames")
        if self.library == "pandas":
            return module.DataFrame({name: _pandas(module, columns[name], kind) for name, kind in self.types})
        if self.library == "polars":
            return module.DataFrame([_polars(module, name, columns[name], kind) for name, kind in self.types])
        arrays = [module.array(_plain(columns[name]), type=kind) for name, kind in self.types]
        return module.table(arrays, names=[name for name, _ in self.types])


def _plain(values: NDArray[Any]) -> list[Any]:
    return [value.item() if isinstance(value, np.generic) else value for value in values.tolist()]


def _pandas(module: Any, values: NDArray[Any], kind: Any) -> Any:
    series = module.Series(values)
    if kind is None:
        return series.convert_dtypes() if series.dtype == object else series
    try:
        return series.astype("category" if isinstance(kind, module.CategoricalDtype) else kind)
    except (TypeError, ValueError):
        return series.convert_dtypes()


def _polars(module: Any, name: str, values: NDArray[Any], kind: Any) -> Any:
    series = module.Series(name, _plain(values), strict=False)
    return series if kind is None else series.cast(kind)
