"""Decision lists: the first condition that holds decides; a default label decides when none does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass, Records, Separator, colex_subsets
from oracledp.classes.formulation import Formulation
from oracledp.classes.pictures import Lines, Picture
from oracledp.classes.tables import Bits, Parts, PartsTable
from oracledp.data.wording import ALWAYS, NEVER, all_of
from oracledp.errors import ParameterError
from oracledp.exact.numbers import MOST_PARTS, whole, whole_or_none


@dataclass(frozen=True)
class DecisionLists(QueryClass):
    """Lists of ``length`` rules, each a conjunction of at most ``width`` literals with a label, and a default.

    A rule may be skipped, so shorter lists are included; ``length=None`` is the paper's class of all
    k-decision lists (a list never needs a condition twice). One part per (position, condition, label), one
    per (position, skip), and two for the default, which must be a part (trap P4): every query has exactly
    ``length + 1`` parts.

    >>> from oracledp.data.literals import Literals
    >>> lists = DecisionLists(Literals.named("smoker", "adult"), length=2)
    >>> str(lists.query(1, 7, 10))
    'if smoker then 1; else if adult then 0; else 0'
    """

    kind = "decision-lists"
    length: int | None = 1
    width: int = 1

    def __post_init__(self) -> None:
        if len(self.literals) == 0:
            raise ParameterError("decision lists need at least one literal")
        object.__setattr__(self, "width", whole(self.width, "width", most=MOST_PARTS))
        object.__setattr__(self, "length", whole_or_none(self.length, "length", least=0, most=MOST_PARTS))

    @cached_property
    def conditions(self) -> tuple[Parts, ...]:
        """The conjunctions a rule may test, in order; the empty one is left to the default."""
        return tuple(colex_subsets(self.dimension, self.width))[1:]

    @property
    def positions(self) -> int:
        """How many rules a list has, skipped ones counted."""
        return len(self.conditions) if self.length is None else self.length

    @property
    def stride(self) -> int:
        """How many parts one position has: two labels per condition, and skip."""
        return 2 * len(self.conditions) + 1

    @property
    def part_count(self) -> int:
        """All rules at all positions, and the two defaults."""
        return self.positions * self.stride + 2

    @property
    def hot(self) -> int:
        """One part per position and one default."""
        return self.positions + 1

    @property
    def size(self) -> int:
        """Every choice at every position, times two defaults (many lists are the same function)."""
        return int(self.stride**self.positions) * 2

    def order_key(self, parts: Parts) -> tuple[int, ...]:
        """The first rule decides the order: a search grows a list from its front."""
        return parts

    def all_parts(self) -> Iterator[Parts]:
        """Every list, the first rule deciding the order."""
        starts = [range(p * self.stride, (p + 1) * self.stride) for p in range(self.positions)]
        default = range(self.positions * self.stride, self.part_count)
        return product(*starts, default)

    def contains(self, parts: Parts) -> bool:
        """Exactly one part per position, and one default."""
        if len(parts) != self.hot or not all(0 <= part < self.part_count for part in parts):
            return False
        return all(part // self.stride == p for p, part in enumerate(parts[:-1])) and (
            parts[-1] >= self.positions * self.stride
        )

    def rules(self, parts: Parts) -> tuple[list[tuple[Parts, int]], int]:
        """The rules that are not skipped, as (condition, label), and the default label."""
        chosen = [part % self.stride for part in parts[:-1]]
        rules = [(self.conditions[c // 2], c % 2) for c in chosen if c < self.stride - 1]
        return rules, parts[-1] - self.positions * self.stride

    def evaluate(self, parts: Parts, records: Records) -> NDArray[np.bool_]:
        """The label of the first rule that holds."""
        rules, default = self.rules(parts)
        result = np.full(len(records), bool(default))
        for condition, label in reversed(rules):
            holds = np.asarray(records[:, list(condition)] != 0, dtype=bool).all(axis=1)
            result[holds] = bool(label)
        return result

    def describe(self, parts: Parts) -> str:
        """``if a then 1; else if b and c then 0; else 1``."""
        rules, default = self.rules(parts)
        words = [f"if {all_of(self.literals[j] for j in condition)} then {label}" for condition, label in rules]
        return "; else ".join([*words, str(default)])

    def separator(self) -> Separator:
        """Records with at most 2·width ones: the union of the two conditions on which two lists bind."""
        ones = [
            chosen
            for count in range(min(2 * self.width, self.dimension) + 1)
            for chosen in combinations(range(self.dimension), count)
        ]
        return Separator(tuple(tuple(int(j in chosen) for j in range(self.dimension)) for chosen in ones))

    def dual_separator(self) -> tuple[Parts, ...]:
        """The lists that read one literal."""
        if self.positions == 0:
            raise ParameterError("decision lists of length 0 cannot tell records apart")
        skips = [p * self.stride + self.stride - 1 for p in range(1, self.positions)]
        singles = [c for c, condition in enumerate(self.conditions) if len(condition) == 1]
        return tuple((2 * c + 1, *skips, self.positions * self.stride) for c in singles)

    def constant_query(self) -> Parts:
        """Every rule skipped."""
        skips = (p * self.stride + self.stride - 1 for p in range(self.positions))
        return (*skips, self.positions * self.stride)

    # ---- what searches, solvers and pages read ---------------------------------------------------
    def as_decision_lists(self) -> DecisionLists:
        """The class itself."""
        return self

    def condition_bits(self, records: NDArray[np.uint8]) -> Bits:
        """One row per condition, and a last one for skip, which never holds."""
        rows = [(records[:, list(condition)] != 0).all(axis=1) for condition in self.conditions]
        return np.array([*rows, np.zeros(len(records), dtype=bool)], dtype=bool)

    def coverage(self, table: PartsTable, records: NDArray[np.uint8]) -> Bits:
        """All lists together, from the back."""
        holds = self.condition_bits(records)
        covered: Bits = np.repeat((table[:, -1:] % self.stride) == 1, len(records), axis=1)
        for column in reversed(table.T[:-1]):
            choice = column % self.stride
            covered = np.where(holds[choice // 2], (choice % 2 == 1)[:, None], covered)
        return covered

    def changed(self, parts: Parts) -> Iterator[Parts]:
        """Another rule at one position, or the other default."""
        for position in range(self.positions):
            for part in range(position * self.stride, (position + 1) * self.stride):
                yield (*parts[:position], part, *parts[position + 1 :])
        default = self.positions * self.stride
        yield from ((*parts[:-1], part) for part in (default, default + 1))

    def picture(self, parts: Parts) -> Picture:
        """The lines of the list that can ever be the first to hold."""
        rules, default = self.rules(parts)
        lines: list[tuple[str, bool]] = []
        for condition, label in rules:
            words = all_of(self.literals[j] for j in condition)
            if words == ALWAYS:
                return Lines(tuple(lines), bool(label))
            if words != NEVER:
                lines.append((words, bool(label)))
        return Lines(tuple(lines), bool(default))

    def formulate(self, records: NDArray[np.uint8], weights: NDArray[np.int64], model: Formulation) -> None:
        """One part per position and a default; the first rule that holds covers a record or not."""
        stride, default = self.stride, self.positions * self.stride
        for position in range(self.positions):
            model.exactly_one(range(position * stride, (position + 1) * stride))
        model.exactly_one((default, default + 1))
        holds = self.condition_bits(records)
        for i, weight in enumerate(weights.tolist()):
            rules = [(2 * int(c) + label, label) for c in np.flatnonzero(holds[:, i]) for label in (0, 1)]
            levels = [[(p * stride + rule, label) for rule, label in rules] for p in range(self.positions)]
            model.cover_by_first(weight, [*levels, [(default, 0), (default + 1, 1)]])

    def parameters(self) -> dict[str, Any]:
        """Length and width."""
        return {"length": self.length, "width": self.width}
