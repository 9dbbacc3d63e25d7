"""The exact law of a whole synthesis run on one boolean column: every noisy count and every selected query.

The counts, the variances and the selection's law come from the synthesizer's own meter; only the data player is a
stand-in, which answers the past as bluntly as it can. The privacy proof asks nothing of it
(proofs/measured-synthesis.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.exact_law import SLACK, DataSet, Finding, compare, law_of, neighbour_pairs
from oracledp.audit.law import ROUNDING, Law, Reals
from oracledp.classes import Conjunctions, Query
from oracledp.data.literals import Literals
from oracledp.data.schema import Schema
from oracledp.privacy.accounting import zcdp_rho
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import Randomness, SeededRandomness
from oracledp.synthesis.counted import CountedQuery
from oracledp.synthesis.measurements import Meter, Records

SCHEMA = Schema({"x": {"kind": "boolean"}})
QUERIES = Conjunctions(Literals.named("x"))
CLOSED = QUERIES.closure()
ROWS = 2
_DIGITS, _TAIL = 30.0, 1e-11  # noise is summed as far out as e^-30: a run leaves out less than 1e-11

Ints = NDArray[np.int64]
MakeMeter = Callable[[Records, Fraction, Neighbours], Meter]


def silent(counts: Ints, variance: Fraction, source: Randomness) -> Ints:
    """No noise: the meter then returns the exact counts with the variance it would have used."""
    return counts


def honest(records: Records, rho: Fraction, neighbours: Neighbours) -> Meter:
    """The synthesizer's meter."""
    return Meter(records, rho, neighbours, SeededRandomness(0), silent)


@dataclass(frozen=True)
class ConcentratedFinding:
    """The law against its (ε, δ) claim and, which is sharper, against the ρ-zCDP behind it: D₂ is at most 2ρ."""

    finding: Finding
    used: float  # the largest D₂ of two neighbours, over 2ρ

    @property
    def name(self) -> str:
        """What was audited."""
        return self.finding.name

    @property
    def holds(self) -> bool:
        """Whether both claims are confirmed."""
        return self.finding.holds and self.used <= 1 + SLACK

    @property
    def broken(self) -> bool:
        """Whether one of them is refuted beyond rounding."""
        return self.finding.broken or self.used > 1 + 1e-6

    def to_json(self) -> dict[str, Any]:
        """A row of the audit table."""
        return self.finding.to_json() | {"share_of_rho": self.used, "holds": self.holds}


def renyi(first: Law, second: Law) -> float:
    """The Rényi divergence of order 2, on the grid: what lies beyond it adds less than the slack."""
    inside = second.low > 0
    return float(np.log((first.high[inside] ** 2 / second.low[inside]).sum()))


@dataclass(frozen=True)
class Run:
    """A run to audit: the number of records, the one-way table, then rounds of selecting and counting."""

    rounds: int
    neighbours: Neighbours
    epsilon: Fraction
    delta: Fraction
    meter: MakeMeter = honest
    free_selections: bool = False  # a mutant's mistake: rounds that do not pay for choosing

    @property
    def share(self) -> Fraction:
        """The budget of one step."""
        first = 2 if self.neighbours is Neighbours.ADD_REMOVE else 1
        steps = first + self.rounds * (1 if self.free_selections else 2)
        return zcdp_rho(self.epsilon, self.delta) / steps

    def laws(self) -> list[tuple[Law, Law]]:
        """The laws of all pairs of neighbours of up to two rows."""
        pairs = list(neighbour_pairs(2, ROWS, self.neighbours))
        laws = {data: self.law(data) for data in {data for pair in pairs for data in pair}}
        return [(laws[a], laws[b]) for a, b in pairs]

    def finding(self, name: str) -> ConcentratedFinding:
        """The exact δ at the claimed ε, and how much of ρ the exact divergences take."""
        claimed = Guarantee(
            epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours, proof="measured-synthesis"
        )
        laws = self.laws()
        rho = float(zcdp_rho(self.epsilon, self.delta))
        both = [pair for first, second in laws for pair in ((first, second), (second, first))]
        share = max(renyi(first, second) / (2 * rho) for first, second in both)
        return ConcentratedFinding(compare(name, claimed, laws), share)

    def law(self, data: DataSet) -> Law:
        """The law of all that a run on one data set releases."""
        gauge = _Gauge(self, data)
        seen = Transcripts()
        total, variance = gauge.fresh().total(self.share)
        if variance:
            seen.count(total, variance)
        else:
            seen.known(total)
        table = gauge.fresh().table((0,), (-1,), [np.arange(2)], self.share)
        for value in table.values.tolist():
            seen.count(value, table.variance)
        for _ in range(self.rounds):
            keys = answer_key(seen.outcomes)
            seen.choose(np.stack([gauge.choice(int(key)) for key in range(12)])[keys])
            seen.count_given(*gauge.signed_counts())
        return seen.law()


@dataclass
class _Gauge:
    """The steps of a run on one data set."""

    run: Run
    data: DataSet

    def fresh(self) -> Meter:
        """A meter with the whole budget: each step is set up on its own."""
        codes = np.array([[code] for code, count in enumerate(self.data) if count], dtype=np.int64).reshape(-1, 1)
        counts = np.array([count for count in self.data if count], dtype=np.int64)
        records = Records(codes, counts, (2,), (False,), (False,))
        return self.run.meter(records, zcdp_rho(self.run.epsilon, self.run.delta), self.run.neighbours)

    def choice(self, key: int) -> Reals:
        """The law of a selection against the proposal that a key stands for."""
        total, proposal = 1 + key % 4, PROPOSALS[key // 4]
        mechanism, objective = self.fresh().selection(QUERIES, SCHEMA, proposal, total, self.run.share)
        law = law_of(mechanism, objective)
        return np.asarray((law.low + law.high) / 2)

    def signed_counts(self) -> tuple[list[int], Fraction]:
        """The exact signed count of each query, and the variance of its noise."""
        found = [
            self.fresh().queries([CountedQuery.of(Query(CLOSED, parts), SCHEMA)], self.run.share)
            for parts in CLOSED.all_parts()
        ]
        return [int(noisy.values[0]) for noisy in found], found[0].variance


PROPOSALS = (np.array([[0]]), np.array([[1]]), np.array([[0], [1]]))


def answer_key(outcomes: list[Ints]) -> Ints:
    """What the stand-in proposes after each transcript: a total of 1 to 4 and one of three tables, in one number.

    It follows the noisy total and table, and turns round whenever the last count is positive.
    """
    total = np.clip(outcomes[0], 1, 4) - 1
    side = np.where(outcomes[1] == outcomes[2], 2, (outcomes[2] > outcomes[1]).astype(np.int64))
    if len(outcomes) > 3:
        turned = np.where(side == 2, outcomes[-2] % 2, 1 - side)
        side = np.where(outcomes[-1] > 0, turned, side)
    return np.asarray(side * 4 + total, dtype=np.int64)


@dataclass
class Transcripts:
    """Every sequence of releases so far, one array per release, and its probability."""

    mass: Reals = field(default_factory=lambda: np.ones(1, dtype=np.longdouble))
    outcomes: list[Ints] = field(default_factory=list)

    def known(self, value: int) -> None:
        """A release without noise."""
        self._grow(np.array([value]), np.ones((len(self.mass), 1), dtype=np.longdouble))

    def count(self, exact: int, variance: Fraction) -> None:
        """A noisy count."""
        grid, masses = noisy_counts((exact,), variance, 0)
        self._grow(grid, np.broadcast_to(masses[0], (len(self.mass), len(grid))))

    def choose(self, chances: Reals) -> None:
        """A choice among queries; one row of chances per transcript."""
        self._grow(np.arange(chances.shape[1]), chances)

    def count_given(self, exact: list[int], variance: Fraction) -> None:
        """A noisy count of the query that the last release chose."""
        grid, masses = noisy_counts(tuple(exact), variance, -ROWS)
        self._grow(grid, masses[self.outcomes[-1]])

    def law(self) -> Law:
        """Each mass is a product of a dozen factors, so its error is relative; what grids leave out is one output."""
        slack = 5000 * ROUNDING
        low, high = (np.append(self.mass * (1 + sign * slack), edge) for sign, edge in ((-1, 0), (1, _TAIL)))
        return Law((), low, high)

    def _grow(self, values: Ints, masses: Reals) -> None:
        self.outcomes = [np.repeat(earlier, len(values)) for earlier in self.outcomes]
        self.outcomes.append(np.tile(values, len(self.mass)))
        self.mass = (self.mass[:, None] * masses).ravel()


@cache
def noisy_counts(exact: tuple[int, ...], variance: Fraction, least: int) -> tuple[Ints, Reals]:
    """A grid of outcomes around ``least`` to ROWS, the same for every data set, and each count's law on it."""
    reach = int(np.ceil(np.sqrt(2 * _DIGITS * float(variance))))
    grid = np.arange(least - reach, ROWS + reach + 1)
    noise = np.arange(-2 * len(grid), 2 * len(grid) + 1)
    norm = _weights(noise, variance).sum()
    return grid, np.stack([_weights(grid - value, variance) / norm for value in exact])


def _weights(noise: Ints, variance: Fraction) -> Reals:
    scale = np.longdouble(variance.numerator) / np.longdouble(variance.denominator)
    return np.asarray(np.exp(-(noise.astype(np.longdouble) ** 2) / (2 * scale)))


def findings() -> list[ConcentratedFinding]:
    """Whole runs of no, one and two rounds under both neighbour relations."""
    return [
        Run(rounds, neighbours, Fraction(epsilon), Fraction(1, 1000)).finding(f"synthesizer / {rounds} rounds")
        for rounds, epsilon in ((0, 10), (1, 20), (2, 80))
        for neighbours in Neighbours
    ]
