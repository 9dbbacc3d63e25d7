"""What ``fit`` is given, in public terms: rows without their target, labels, weights that have a bound."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Schema
from oracledp.data.table.frames import encode_frame
from oracledp.errors import DataError, ParameterError
from oracledp.exact.capacity import MOST_UNIT
from oracledp.exact.numbers import positive
from oracledp.learners.cuts import as_numbers
from oracledp.learners.encoding import each_alone, feature_schema

CLASSES_READ = "the set of labels in y is public (declare it with classes=)"
WEIGHTS_READ = "the largest sample weight is public (declare it with max_sample_weight=)"
FINE = 20  # the largest weight has at least about so many steps below it


class TargetAmongFeaturesWarning(UserWarning):
    """The target's own column is among the features."""


@dataclass(frozen=True, eq=False)
class Question:
    """Features and labels apart; ``classes`` where a schema says which labels there can be. Rows are **private**."""

    rows: Any
    labels: Any
    schema: Schema | None
    classes: tuple[Any, ...] | None = None


def question(X: Any, y: Any, schema: Schema | None, target: str | None, stacklevel: int = 5) -> Question:
    """``y`` beside its features, or ``target``: a column of the frame ``X``, or a literal of its schema."""
    if schema is not None and not isinstance(schema, Schema):
        raise ParameterError(
            "schema must be an oracledp.Schema: Schema.load(path) reads a file, Schema({...}) makes one"
        )
    if target is not None:
        if y is not None:
            raise ParameterError("pass y or target=, not both")
        return _within(X, schema, target)
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    name = getattr(y, "name", None)
    if name is not None and name in names_of(X):
        warnings.warn(
            f"the column {name!r} is among the features and is also the target: it will be learned from itself",
            TargetAmongFeaturesWarning,
            stacklevel=stacklevel,
        )
    return Question(X, y, None if schema is None else feature_schema(schema, X, name))


def names_of(X: Any) -> tuple[str, ...]:
    """The columns of a frame; none of an array."""
    named = getattr(X, "column_names", None)  # pyarrow
    return tuple(getattr(X, "columns", ()) if named is None else named)


def columns_of(X: Any, names: Sequence[str]) -> Any:
    """Some columns of a frame of any library."""
    return X.select(list(names)) if hasattr(X, "select") else X[list(names)]


def _within(X: Any, schema: Schema | None, target: str) -> Question:
    names = names_of(X)
    if not names:
        raise ParameterError("target= names a column: X must be a frame")
    column = target if target in names or schema is None else schema.literal(target).column
    if column not in names:
        raise DataError(f"column {column!r}, the target, is missing from the frame")
    rows = columns_of(X, [name for name in names if name != column])
    if schema is None or column not in schema:
        return Question(rows, X[column], schema)
    labels, classes = _said(X, schema, column, target)
    return Question(rows, labels, schema.without(column), classes)


def _said(X: Any, schema: Schema, column: str, target: str) -> tuple[Any, tuple[Any, ...] | None]:
    """A literal's truth, a category by its label; a number stays as it is."""
    kind, alone = schema[column].to_json()["kind"], schema.without(*(name for name in schema.names if name != column))
    if column == target and kind not in ("boolean", "categorical"):
        return X[column], None
    codes = np.stack(encode_frame(X, alone).settled(strict=False), axis=1).astype(alone.code_dtype)
    if column == target and kind == "categorical":
        labels = schema[column].labels
        return np.array(labels, dtype=object)[codes[:, 0]], labels
    return alone.holds(schema.literal(target), codes).astype(bool), (False, True)


@dataclass(frozen=True, eq=False)
class RowWeights:
    """Whole weights of the rows, **private**, and the largest that a row may have, public: 1 where none are given."""

    of_rows: NDArray[np.int64] | None
    heaviest: int = 1
    assumes: tuple[str, ...] = ()


def row_weights(given: Any, rows: int, most: Any) -> RowWeights:
    """``sample_weight`` in whole steps of its public bound ``most``, each weight by itself: none is refused.

    What lies outside 0 and the bound is moved there, and what is no number weighs nothing. Whole weights stay exact
    where the bound is whole.

    >>> found = row_weights([1, 5, 7], 3, 6)
    >>> found.of_rows.tolist(), found.heaviest
    ([3, 15, 18], 18)
    """
    if given is None:
        return RowWeights(None)
    values = as_numbers(np.asarray(each_alone(given)))
    if values.ndim > 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    values = np.broadcast_to(values, (rows,)) if values.ndim == 0 else values
    if len(values) != rows:
        raise ValueError(f"sample_weight.shape == {values.shape}, expected {(rows,)}!")
    held = np.nan_to_num(values, nan=0.0, posinf=np.finfo(float).max, neginf=0.0)
    read, largest = most is None, float(held.max(initial=0.0))
    if read and len(held) and largest <= 0:
        raise ValueError("no row has a sample weight above zero: declare max_sample_weight if that may be so")
    bound = positive(repr(largest or 1.0) if read else most, "max_sample_weight")
    steps = _steps(bound)
    found = np.rint(np.clip(held, 0.0, float(bound)) * float(Fraction(steps) / bound)).astype(np.int64)
    return RowWeights(np.minimum(found, steps), steps, (WEIGHTS_READ,) if read else ())


def _steps(bound: Fraction) -> int:
    """How many whole steps the largest weight is: itself where it is whole and fine enough."""
    if bound.denominator != 1 or bound > MOST_UNIT:
        return FINE
    return int(bound) if bound >= FINE else int(bound) * (FINE // int(bound))
