"""Numbers without a schema: every column compared with public cuts, or held to be truth values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal, Literals
from oracledp.errors import DataError, ModelError, ParameterError
from oracledp.exact.numbers import exact, whole
from oracledp.learning.blocks import Block, pattern_blocks

ROWS_AT_ONCE = 1 << 11  # small enough to stay near the processor
TRUTH_VALUES = "it is public that every column holds only 0 and 1 (declare it with bounds=(0, 1), or pass a schema)"
MOST_CUTS = 1000  # of one column
MOST_BOUND = 10**300
Bounds = tuple[Any, Any] | Mapping[str, Any] | Sequence[Any]


@dataclass(frozen=True)
class CutEncoder:
    """Numbers to literals ``x >= cut`` with public cuts for each column; nothing is read from the data.

    What is no number lies below every cut.

    >>> encoder = CutEncoder.evenly(("height",), (0, 4), 3)
    >>> [str(literal) for literal in encoder.literals], encoder.encode(np.array([[2.5]])).tolist()
    (['height >= 1', 'height >= 2', 'height >= 3'], [[1, 1, 0]])
    >>> [str(literal) for literal in CutEncoder.evenly(("smoker",), (0, 1), 1).literals]
    ['smoker']
    """

    names: tuple[str, ...]
    cuts: tuple[tuple[float, ...], ...]

    @property
    def assumes(self) -> tuple[str, ...]:
        """Nothing: every number has its literals."""
        return ()

    @classmethod
    def evenly(cls, names: tuple[str, ...], bounds: Bounds, count: int | Mapping[str, int]) -> CutEncoder:
        """So many cuts that split the bounds of each column into equal parts.

        ``bounds`` are one pair for all columns, a dictionary by name, or one pair per column; ``count`` is one number
        or a dictionary.

        >>> CutEncoder.evenly(("age", "member"), {"age": (0, 90), "member": (0, 1)}, {"age": 2, "member": 1}).cuts
        ((30.0, 60.0), (0.5,))
        """
        pairs = _by_column(names, bounds)
        counts = [_named(count, name, "cuts") if isinstance(count, Mapping) else count for name in names]
        return cls(names, tuple(_even(*both) for both in zip(names, pairs, counts, strict=True)))

    @property
    def literals(self) -> Literals:
        """One per column and cut. A single cut at one half reads a column as true or false."""
        return Literals(
            tuple(
                Literal.boolean(name) if cuts == (0.5,) else Literal(name, ">=", _short(cut))
                for name, cuts in zip(self.names, self.cuts, strict=True)
                for cut in cuts
            )
        )

    @property
    def blocks(self) -> tuple[Block, ...]:
        """One per column: a number passes the lowest cuts first."""
        found: list[Block] = []
        start = 0
        for cuts in self.cuts:
            steps = np.tri(len(cuts) + 1, len(cuts), -1, dtype=np.uint8)
            found += pattern_blocks(tuple(range(start, start + len(cuts))), steps)
            start += len(cuts)
        return tuple(found)

    def encode(self, rows: Any) -> NDArray[np.uint8]:
        """The value of each literal on each row of numbers."""
        values = as_numbers(np.asarray(rows))
        column = np.array([place for place, cuts in enumerate(self.cuts) for _ in cuts], dtype=np.intp)
        least = np.array([cut for cuts in self.cuts for cut in cuts])
        found = np.empty((len(values), len(column)), dtype=np.uint8)
        for begin in range(0, len(values), ROWS_AT_ONCE):
            some = slice(begin, begin + ROWS_AT_ONCE)
            np.greater_equal(values[some].take(column, axis=1), least, out=found[some].view(np.bool_))
        return found

    def to_json(self) -> dict[str, Any]:
        """Names and cuts."""
        return {"names": list(self.names), "cuts": [list(cuts) for cuts in self.cuts]}


@dataclass(frozen=True)
class TruthEncoder(CutEncoder):
    """Columns of truth values for which no bounds were given: anything but 0, 1 and nothing was refused."""

    @property
    def assumes(self) -> tuple[str, ...]:
        """A refusal tells that some row holds a number."""
        return (TRUTH_VALUES,)

    @classmethod
    def checked(cls, names: tuple[str, ...], rows: NDArray[Any]) -> TruthEncoder:
        """One cut at a half for each column, unless a column holds numbers: they need bounds."""
        values = as_numbers(rows)
        odd = ~((values == 0) | (values == 1) | _nothing(rows))
        if odd.any():
            name = names[int(np.argmax(odd.any(axis=0)))]
            raise DataError(
                f"column {name!r} holds more than 0 and 1: say what it may hold with bounds=(low, high), with "
                f"bounds={{{name!r}: (low, high), ...}}, or with schema="
            )
        return cls(names, ((0.5,),) * len(names))


def _nothing(rows: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a value is missing."""
    if rows.dtype.kind in "biu":
        return np.zeros(rows.shape, dtype=np.bool_)
    return np.asarray(rows != rows) if rows.dtype.kind == "f" else np.vectorize(_missing, otypes=[bool])(rows)


def _missing(value: object) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _by_column(names: tuple[str, ...], bounds: Bounds) -> list[Any]:
    if isinstance(bounds, Mapping):
        return [_named(bounds, name, "bounds") for name in names]
    pairs = list(bounds) if isinstance(bounds, Sequence | np.ndarray) else [bounds]
    if pairs and all(isinstance(pair, Sequence | np.ndarray) and not isinstance(pair, str) for pair in pairs):
        if len(pairs) != len(names):
            raise ParameterError(f"bounds must be one pair, or one for each of the {len(names)} columns")
        return pairs
    return [bounds] * len(names)


def _named(given: Mapping[str, Any], name: str, option: str) -> Any:
    if name not in given:
        raise ParameterError(f"{option} say nothing of column {name!r}")
    return given[name]


def _even(name: str, bounds: Any, count: Any) -> tuple[float, ...]:
    count = whole(count, "cuts", most=MOST_CUTS)
    try:
        low, high = (exact(bound, "bounds") for bound in bounds)
    except (TypeError, ValueError):
        raise ParameterError(f"bounds of column {name!r} must be two numbers (low, high)") from None
    if max(abs(low), abs(high)) > MOST_BOUND:
        raise ParameterError("bounds must lie between -1e300 and 1e300")
    if low >= high:
        raise ParameterError(f"bounds of column {name!r} must be two numbers (low, high) with low < high")
    return tuple(float(low + (high - low) * Fraction(i, count + 1)) for i in range(1, count + 1))


def cuts_from_json(data: dict[str, Any]) -> CutEncoder:
    """Read what ``CutEncoder.to_json`` wrote."""
    names, cuts = tuple(map(str, data["names"])), data["cuts"]
    if not any(isinstance(one, list) for one in cuts):  # of the first version: the same for all columns
        cuts = [cuts] * len(names)
    if len(cuts) != len(names):
        raise ModelError("the model's cuts do not fit its columns")
    return CutEncoder(names, tuple(tuple(map(float, one)) for one in cuts))


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
