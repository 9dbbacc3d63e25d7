"""Permute-and-flip without enumeration: who is visited first with success, found by trials.

Every query is visited at random times; it is out for good if its first visit fails. Trials (trials.py) are the
successful visits, and whether a query had failed before is only looked up when a trial ends at it. The law is exact:
proofs/exponential-mechanism.md (first visits).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from oracledp.classes.tables import Parts
from oracledp.errors import OracleFailure
from oracledp.exact.exponentials import exp_enclosure
from oracledp.mechanisms.sampling.tree_sampler import trials_over
from oracledp.mechanisms.sampling.trials import BITS, ONE, Draw, Trials, keep
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import Randomness, below, drawn


@drawn
def sample_permute_and_flip(
    problems: Sequence[WeightedProblem], rate: Fraction, least: int, source: Randomness
) -> tuple[int, Parts]:
    """A draw of permute-and-flip over all problems together, given the least value, which must be proved.

    Returns which problem the query belongs to, and its parts. The problems carry no costs on parts.
    """
    draw = first_success(trials_over(problems, rate), rate, least, source)
    return draw.problem, draw.parts


def first_success(trials: Trials, rate: Fraction, least: int, source: Randomness) -> Draw:
    """The first query in time whose first visit succeeds."""
    depth = least - trials.origin
    unit = exp_enclosure(depth * rate, BITS)[1]  # no query is visited more often than this, in units of 2^-63
    past: list[_Intervals] = []
    failed: set[tuple[int, Parts]] = set()
    while True:
        past.append(_Intervals(trials.total()))
        draw = trials.trial(source)
        if draw is None or (draw.problem, draw.parts) in failed:
            continue
        if draw.distance < depth:
            raise OracleFailure("a query is below the least value that an oracle claimed to have proved")
        arrivals = sum(intervals.arrivals(unit, source) for intervals in past)
        if not any(_fails(draw.distance, depth, rate, unit, source) for _ in range(arrivals)):
            return draw
        failed.add((draw.problem, draw.parts))


@dataclass
class _Intervals:
    """Independent exponential intervals between events of this rate, in units of 2^-63."""

    rate: int
    count: int = 1

    def arrivals(self, unit: int, source: Randomness) -> int:
        """How many events of another process of rate ``unit`` fall into them; they cut the intervals from now on."""
        found = 0
        for _ in range(self.count):
            while below(source, self.rate + unit) < unit:
                found += 1
        self.rate += unit
        self.count += found
        return found


def _fails(distance: int, depth: int, rate: Fraction, unit: int, source: Randomness) -> bool:
    """Whether an event at rate ``unit`` is a visit to the query, and one that its coin turns down."""
    visit = keep(depth * rate, ONE, unit, source)
    return visit and not keep((distance - depth) * rate, 1, 1, source)
