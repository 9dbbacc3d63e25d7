"""One binary learning problem in public terms, and what a learner for it looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from oracledp.classes import Query
from oracledp.data.literals import Literals
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import MOST_PARTS, whole, whole_or_none
from oracledp.learning.blocks import Block
from oracledp.learning.sample import Sample
from oracledp.oracles.base import Certificate, Oracle
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import Randomness


@dataclass(frozen=True)
class Task:
    """All that a learner may know before it sees a row. ``rows`` sets recipes, never the privacy.

    No sample has more rows than ``rows_bound`` or a heavier record than ``unit``: what a lattice is chosen for.
    """

    literals: Literals
    blocks: tuple[Block, ...]
    rows: int
    epsilon: Fraction
    neighbours: Neighbours
    size: int | None
    oracle: str | Oracle
    rows_bound: int = MOST_ROWS
    unit: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", whole_or_none(self.size, "size", most=MOST_PARTS))
        object.__setattr__(self, "rows", whole(self.rows, "rows", most=MOST_ROWS))


@dataclass(frozen=True)
class Learned:
    """A hypothesis (true where the positive label is predicted) and why it should be believed."""

    query: Query
    certificate: Certificate


@dataclass(frozen=True)
class RuleLearner:
    """A calibrated learner: what it promises, and how it runs on a sample."""

    name: str
    guarantee: Guarantee
    run: Callable[[Sample, Randomness], Learned]
    check: Callable[[int, int], None]  # refuses, by a public bound on the rows and the largest weight of one
