"""Rows of persons for an estimator: bounded before anything is learned, so that a fit can speak of persons.

What is kept of a person follows from that person's own rows, encoded by public definitions, and the id alone
(proofs/persons.md). The column of ids is taken out of the features first.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from oracledp.data.table.persons import digests, kept_rows
from oracledp.data.table.unit import ROWS, Unit
from oracledp.errors import DataError, ParameterError
from oracledp.learners.encoding import Encoder, plain
from oracledp.learners.given import Question, columns_of, names_of

UNNAMED = "person"  # how a guarantee calls ids that were given as a list


@dataclass(frozen=True, eq=False)
class Persons:
    """Whose rows these are: a column of the frame, or an id for each row; ``person`` of ``fit``."""

    person: Any = None
    rows_per_person: int | None = None


@dataclass(frozen=True, eq=False)
class Bounded:
    """What is learned from: of each person so many rows at most. **Private**, but for the unit."""

    X: Any = field(repr=False)
    y: Any = field(repr=False)
    sample_weight: Any = field(repr=False)
    unit: Unit = ROWS


def told_apart(X: Any, persons: Persons, schema: Any) -> tuple[Any, list[object] | None, Unit]:
    """The features without the column of ids, the ids, and the unit."""
    person = persons.person
    if person is None or isinstance(person, str):
        unit = Unit.of(person, persons.rows_per_person, schema)
        if unit.person is None:
            return X, None, unit
        names = names_of(X)
        if person not in names:
            raise DataError(f"column {person!r}, which tells persons apart, is missing from the frame")
        return columns_of(X, [name for name in names if name != person]), _listed(X[person]), unit
    ids = _listed(person)
    name = getattr(person, "name", None)
    unit = Unit.of(name if isinstance(name, str) and name else UNNAMED, persons.rows_per_person, schema)
    return X, ids, unit


def kept_places(
    encoded: tuple[Encoder, NDArray[np.uint8], Question], ids: list[object], sample_weight: Any, unit: Unit
) -> NDArray[np.intp]:
    """The places of the rows that are kept, by digests of ids, encoded rows, labels and weights."""
    _, records, asked = encoded
    rows = len(records)
    if len(ids) != rows:
        raise ParameterError("person must name a column of the frame, or hold one id for each row")
    labels = _listed(asked.labels)
    if len(labels) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(labels)]}")
    told = [*records.T, digests(labels)]
    if sample_weight is not None and np.ndim(sample_weight) == 1 and len(sample_weight) == rows:
        told.append(digests(_listed(sample_weight)))
    return kept_rows(unit, ids, told)


def bounded(estimator: Any, X: Any, y: Any, sample_weight: Any, persons: Persons) -> Bounded:
    """The rows that are kept of each person; every row where no person is named."""
    features, ids, unit = told_apart(X, persons, estimator.schema)
    if ids is None:
        return Bounded(X, y, sample_weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit itself warns
        encoded = estimator._encode_training(features, y)
    places = kept_places(encoded, ids, sample_weight, unit)
    weights = sample_weight if np.ndim(sample_weight) == 0 else _taken(sample_weight, places)
    return Bounded(_taken(features, places), _taken(y, places), weights, unit)


def _taken(rows: Any, places: NDArray[np.intp]) -> Any:
    """Some rows of anything that ``fit`` takes."""
    if rows is None:
        return None
    if hasattr(rows, "take") and hasattr(rows, "to_pylist"):  # pyarrow
        return rows.take(places)
    return _safe_indexing(rows, places)


def _listed(column: Any) -> list[object]:
    """The values of a column of any library, each as it is."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(plain(column))
