"""The bands that rows fall into by released rules: what probabilities are counted by. Sees no labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import DecisionLists, Query
from oracledp.data.literals import Literals
from oracledp.learning import values_of

CUTS = (-1.0, -0.5, 0.0, 0.5, 1.0)  # of a card's margin, in its own length: a row is in one of six bands
Margins = Callable[[NDArray[np.uint8]], NDArray[np.float64]]


@dataclass(frozen=True)
class Bands:
    """A row's band by its record, what is predicted in each, and whether the second class grows along them."""

    of: Callable[[NDArray[np.uint8]], NDArray[np.intp]]
    predicted: tuple[int, ...]
    ordered: bool = False


def bands_of(classes: tuple[Any, ...], queries: tuple[Query, ...], literals: Literals, margins: Margins) -> Bands:
    """By a card's margin, by the line of a list that decides, or by the prediction."""
    if len(queries) != 1:
        return Bands(lambda records: _most(margins(records)), tuple(range(len(classes))))
    query = queries[0]
    if query.owner.as_halfspaces() is not None:
        labels = tuple(int(place > CUTS.index(0.0)) for place in range(len(CUTS) + 1))
        return Bands(lambda records: np.searchsorted(np.array(CUTS), margins(records)), labels, ordered=True)
    if isinstance(query.owner, DecisionLists):
        lines, default = query.owner.rules(query.parts)
        labels = (*(int(label) for _, label in lines), int(default))
        return Bands(lambda records: _line(values_of(records, literals, query.owner.literals), lines), labels)
    return Bands(lambda records: (margins(records) > 0).astype(np.intp), (0, 1))


def _most(margins: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.asarray(np.argmax(margins, axis=1), dtype=np.intp) if margins.ndim == 2 else np.zeros(len(margins), int)


def _line(values: NDArray[np.uint8], lines: list[tuple[tuple[int, ...], int]]) -> NDArray[np.intp]:
    """The number of the first line that holds on each record; that after the last is the default."""
    found = np.full(len(values), len(lines), dtype=np.intp)
    for number, (condition, _) in reversed(list(enumerate(lines))):
        found[np.all(values[:, list(condition)] != 0, axis=1)] = number
    return found
