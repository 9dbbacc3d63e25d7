"""Read-once formulas of logarithmic depth: trees of one gate in which no literal appears twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass, Records, Separator
from oracledp.classes.separation import all_records, separating_rows
from oracledp.classes.tables import Parts
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.numbers import MOST_PARTS, whole_or_none

Tree = int | tuple["Tree", ...]
FAN_IN = {"majority": 3, "nand": 2}
MOST_FORMULAS = 200_000


@dataclass(frozen=True)
class ReadOnceFormulas(QueryClass):
    """Read-once formulas of one gate: ``majority`` (of three) or ``nand`` (of two), of depth at most ``depth``.

    The default depth is logarithmic in the number of literals. A formula has no smaller parts that carry
    noise on their own, so the embedding is one-hot: one part per formula. The identification set is the one
    of Goldman, Kearns and Schapire made definite: records drawn at the gate's balanced bias from a fixed
    public sequence, kept while they tell more formulas apart, until all are told apart.

    >>> from oracledp.data.literals import Literals
    >>> formulas = ReadOnceFormulas(Literals.named("a", "b", "c"), gate="nand")
    >>> formulas.size, str(formulas.query(5))
    (9, 'nand(b, c)')
    """

    kind = "read-once-formulas"
    gate: str = "majority"
    depth: int | None = None

    def __post_init__(self) -> None:
        if self.gate not in FAN_IN:
            raise ParameterError(f"gate must be one of {', '.join(FAN_IN)}, got {self.gate!r}")
        if len(self.literals) == 0:
            raise ParameterError("formulas need at least one literal")
        object.__setattr__(self, "depth", whole_or_none(self.depth, "depth", least=0, most=MOST_PARTS))

    @property
    def levels(self) -> int:
        """The greatest depth."""
        if self.depth is not None:
            return self.depth
        return ceil(log(self.dimension) / log(FAN_IN[self.gate]) - 1e-9) if self.dimension > 1 else 0

    @property
    def formulas(self) -> tuple[Tree, ...]:
        """Every formula, in order of depth."""
        return _formulas(self.dimension, self.gate, self.levels)

    @property
    def size(self) -> int:
        """The number of formulas."""
        return len(self.formulas)

    @property
    def part_count(self) -> int:
        """One part per formula."""
        return self.size

    @property
    def hot(self) -> int:
        """One."""
        return 1

    def all_parts(self) -> Iterator[Parts]:
        """Every formula by number."""
        return ((index,) for index in range(self.size))

    def contains(self, parts: Parts) -> bool:
        """One number of a formula."""
        return len(parts) == 1 and 0 <= parts[0] < self.size

    def evaluate(self, parts: Parts, records: Records) -> NDArray[np.bool_]:
        """The value of the tree."""
        return self._value(self.formulas[parts[0]], np.asarray(records != 0, dtype=bool))

    def _value(self, tree: Tree, bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
        if isinstance(tree, int):
            return np.asarray(bits[:, tree])
        return _gate(self.gate, np.array([self._value(child, bits) for child in tree]))

    def describe(self, parts: Parts) -> str:
        """``nand(a, nand(b, c))``."""
        return self._words(self.formulas[parts[0]])

    def _words(self, tree: Tree) -> str:
        if isinstance(tree, int):
            return str(self.literals[tree])
        return f"{self.gate}({', '.join(self._words(child) for child in tree)})"

    def separator(self) -> Separator:
        """Balanced records from a fixed public sequence, as many as tell all formulas apart."""
        return Separator(_identification_set(self.dimension, self.gate, self.levels))

    def dual_separator(self) -> tuple[Parts, ...]:
        """The formulas that are one literal."""
        return tuple((j,) for j in range(self.dimension))

    def parameters(self) -> dict[str, Any]:
        """Gate and depth."""
        return {"gate": self.gate, "depth": self.depth}


def _gate(gate: str, children: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(~children.all(axis=0) if gate == "nand" else children.sum(axis=0) >= 2, dtype=bool)


@cache
def _formulas(dimension: int, gate: str, levels: int) -> tuple[Tree, ...]:
    known: dict[Tree, frozenset[int]] = {j: frozenset({j}) for j in range(dimension)}
    for _ in range(levels):
        grown = dict(known)
        for children in combinations(known, FAN_IN[gate]):
            used = frozenset().union(*(known[child] for child in children))
            if len(used) == sum(len(known[child]) for child in children):
                grown.setdefault(children, used)
            if len(grown) > MOST_FORMULAS:
                raise CapacityError(f"more than {MOST_FORMULAS} formulas: use fewer literals or less depth")
        known = grown
    return tuple(known)


@cache
def _identification_set(dimension: int, gate: str, levels: int) -> tuple[tuple[int, ...], ...]:
    bias = {"majority": 0.5, "nand": (5**0.5 - 1) / 2}[gate]  # the fixed point of the gate: values stay balanced
    records = all_records(dimension)
    public = np.random.default_rng(0)  # public and fixed: an identification set holds nothing private
    draws = (public.random((64 * dimension * (levels + 1), dimension)) < bias).astype(np.uint8)
    candidates = np.concatenate([draws, records])
    table = _truth_table(dimension, gate, levels, candidates)
    return tuple(tuple(int(bit) for bit in candidates[row]) for row in separating_rows(table))


def _truth_table(dimension: int, gate: str, levels: int, records: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Records × formulas, each formula from its children."""
    values: dict[Tree, NDArray[np.bool_]] = {}
    for tree in _formulas(dimension, gate, levels):
        if isinstance(tree, int):
            values[tree] = np.asarray(records[:, tree] != 0)
        else:
            values[tree] = _gate(gate, np.array([values[child] for child in tree]))
    return np.array(list(values.values())).T
