"""One binary learning problem in public terms, and what a learner for it looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from oracledp.classes import Query
from oracledp.data.literals import Literals
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import MOST_PARTS, whole_or_none
from oracledp.learning.blocks import Block
from oracledp.learning.sample import ClassSample, Sample
from oracledp.oracles.base import Certificate, Oracle
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class Task:
    """All that a learner may know before it sees a row, but for the size of the table, which a recipe stands for.

    No sample has more rows than ``rows_bound`` or a heavier record than ``unit``: what a lattice is chosen for.
    """

    literals: Literals
    blocks: tuple[Block, ...]
    epsilon: Fraction
    neighbours: Neighbours
    size: int | None
    oracle: str | Oracle
    rows_bound: int = MOST_ROWS
    unit: int = 1
    delta: Fraction | None = None
    classes: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", whole_or_none(self.size, "size", most=MOST_PARTS))


@dataclass(frozen=True)
class Learned:
    """A hypothesis (true where the positive label is predicted), why it should be believed, and who found it."""

    query: Query
    certificate: Certificate
    mechanism: str


@dataclass(frozen=True)
class Cards:
    """Scoring cards learned together: one for two classes, one per class for more, and the log odds of a point.

    ``clip`` is the largest residual that a record could pull with, where that bent the odds of two classes.
    """

    queries: tuple[Query, ...]
    certificate: Certificate
    logit: float
    clip: float = 1.0


class Learner(Protocol):
    """A calibrated learner: what it promises and what it refuses, before and whatever the rows."""

    @property
    def name(self) -> str:
        """How releases and the ledger name it."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What it promises, the measuring of the rows included."""
        ...

    @property
    def at_once(self) -> bool:
        """Whether one run settles all classes, instead of one per class."""
        ...

    def check(self, rows_bound: int, unit: int, /) -> None:
        """Refuse by a public bound on the rows and the largest weight of one."""
        ...

    def settled(self, rows: int, source: Randomness, /) -> RuleLearner:
        """The learner for a table of this many rows, a private number: what is settled by it was paid for."""
        ...


@dataclass(frozen=True)
class RuleLearner:
    """A learner with nothing left to settle: what it promises, and how it runs on a sample."""

    name: str
    guarantee: Guarantee
    run: Callable[[Sample, Randomness], Learned]
    check: Callable[[int, int], None]
    run_classes: Callable[[ClassSample, Randomness], Cards] | None = None

    @property
    def at_once(self) -> bool:
        """Whether one run settles all classes."""
        return self.run_classes is not None

    def settled(self, rows: int, source: Randomness, /) -> RuleLearner:
        """Itself, whatever the rows: nothing is drawn."""
        return self
