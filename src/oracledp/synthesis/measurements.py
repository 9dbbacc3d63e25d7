"""The only place where synthesis touches private counts: integer counts plus exact discrete Gaussian noise.

The meter holds a zCDP budget as a Fraction and charges each measurement before its noise is drawn
(proofs/measured-synthesis.md). What it returns is safe to publish; everything after it is post-processing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Query, QueryClass
from oracledp.data.schema import Schema
from oracledp.errors import BudgetExceeded
from oracledp.exact.capacity import refuse_rows
from oracledp.exact.roots import sqrt_below
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.objective import Objective
from oracledp.mechanisms.payoff import Payoff
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.sealed import Sealed
from oracledp.randomness.noise import noisy_counts
from oracledp.randomness.source import Randomness
from oracledp.synthesis.bins import Integers
from oracledp.synthesis.counted import CountedQuery

Counted = tuple[NDArray[np.integer[Any]], Integers]  # unique records, and how many rows each stands for
AddNoise = Callable[[Integers, Fraction, Randomness], Integers]
_BLOCK = 8192  # records in one step of counting parities
_CELLS = 1 << 22  # records times products in one step, so that memory does not grow with the columns
_GRAIN = 1024  # variances are rounded up to multiples of 1/1024: short fractions are drawn faster
LATTICE = 10  # a synthetic record weighs a multiple of 2^-10 records in a selection


@dataclass(frozen=True)
class Records:
    """Private data as unique encoded records with counts, under seal: only a meter opens it. The rest is public."""

    codes: InitVar[NDArray[np.integer[Any]]]  # of any width: millions of records stay as small as they came
    counts: InitVar[Integers]
    sizes: tuple[int, ...]
    ordered: tuple[bool, ...]
    missing: tuple[bool, ...]  # whether the last code of a column stands for no value
    sealed: Sealed[Counted] = field(init=False)

    def __post_init__(self, codes: NDArray[np.integer[Any]], counts: Integers) -> None:
        refuse_rows(counts)
        object.__setattr__(self, "sealed", Sealed((codes, counts)))

    @property
    def in_order(self) -> tuple[int, ...]:
        """How many codes of each column are in order: none of an unordered one, all but *missing* of an ordered one."""
        columns = zip(self.sizes, self.ordered, self.missing, strict=True)
        return tuple(size - missing if ordered else 0 for size, ordered, missing in columns)


@dataclass(frozen=True)
class NoisyTable:
    """A contingency table with noise: ``levels[i]`` is the bin level of ``columns[i]`` (-1: the values themselves)."""

    columns: tuple[int, ...]
    levels: tuple[int, ...]
    values: Integers
    variance: Fraction

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise on each cell."""
        return sqrt(self.variance)


@dataclass(frozen=True)
class NoisyParities:
    """Noisy parity counts: row i of ``subsets`` names the features whose product was counted into ``values[i]``."""

    subsets: NDArray[np.int64]
    values: Integers
    variance: Fraction

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise on each count."""
        return sqrt(self.variance)


@dataclass(frozen=True)
class NoisyQueries:
    """Noisy signed counts of boolean queries: ``values[i]`` is the sum over records of 2·q_i - 1, plus noise."""

    queries: tuple[CountedQuery, ...]
    values: Integers
    variance: Fraction

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise on each signed count; half of it is that of the query's count."""
        return sqrt(self.variance)


@dataclass
class Meter:
    """Measures private records against a zCDP budget ``rho``; ``spent`` never exceeds it."""

    records: Records
    rho: Fraction
    neighbours: Neighbours
    source: Randomness
    add_noise: AddNoise = noisy_counts
    spent: Fraction = Fraction(0)

    def total(self, rho: Fraction) -> tuple[int, Fraction]:
        """The noisy number of records and its variance; exact and free when the number of records is public."""
        count = int(self._counted[1].sum())
        if self.neighbours is Neighbours.REPLACE_ONE:
            return count, Fraction(0)
        noisy, variance = self._noisy(np.array([count]), 1, rho)
        return int(noisy[0]), variance

    def table(
        self, columns: tuple[int, ...], levels: tuple[int, ...], groupings: Sequence[Integers], rho: Fraction
    ) -> NoisyTable:
        """The counts of the grouped values of some columns. One record is in one cell: Δ₂² is 1, or 2 if replaced."""
        codes, weights = self._counted
        index = np.zeros(len(weights), dtype=np.int64)
        shape = [int(grouping.max()) + 1 for grouping in groupings]
        for column, grouping, size in zip(columns, groupings, shape, strict=True):
            index = index * size + grouping[codes[:, column]]
        cells = int(np.prod(shape))
        counts = np.bincount(index, weights=weights, minlength=cells).astype(np.int64)
        squared = self.neighbours.comparison_sensitivity
        noisy, variance = self._noisy(counts, squared, rho)
        return NoisyTable(columns, levels, noisy.reshape(shape), variance)

    def parities(self, signs: Sequence[Integers], columns: Integers, subsets: Integers, rho: Fraction) -> NoisyParities:
        """The sum over records of the product of each subset's features.

        ``signs[f]`` is feature f's sign on each value of ``columns[f]``. One record moves each of M counts by one,
        so Δ₂² is M, or 4M if a record is replaced.
        """
        counts = _parity_counts(self._counted, signs, columns, subsets)
        squared = len(subsets) * self.neighbours.comparison_sensitivity**2
        noisy, variance = self._noisy(counts, squared, rho)
        return NoisyParities(subsets, noisy, variance)

    def queries(self, queries: Sequence[CountedQuery], rho: Fraction) -> NoisyQueries:
        """The signed counts of queries. One record moves each of M counts by one: Δ₂² is M, or 4M if replaced.

        Signed counts have half the noise of plain ones under add/remove-one, given the number of records.
        """
        codes, weights = self._counted
        counts = np.array(
            [(np.where(query.values(codes), 1, -1) * weights).sum() for query in queries],
            dtype=np.int64,
        )
        squared = len(queries) * self.neighbours.comparison_sensitivity**2
        noisy, variance = self._noisy(counts, squared, rho)
        return NoisyQueries(tuple(queries), noisy, variance)

    def select(self, queries: QueryClass, schema: Schema, proposal: Integers, total: int, rho: Fraction) -> Query:
        """A query of the class, or a negated one, on which synthetic records are most wrong: one exact draw."""
        mechanism, objective = self.selection(queries, schema, proposal, total, rho)
        return Query(mechanism.queries, mechanism.run(objective, self.source))

    def selection(
        self, queries: QueryClass, schema: Schema, proposal: Integers, total: int, rho: Fraction
    ) -> tuple[ExponentialMechanism, Objective]:
        """Charge rho for one selection and set it up: nothing is drawn yet.

        Score: the records that meet the query, less the synthetic ones scaled to ``total`` records in all, which is
        public. ε0 = sqrt(8 rho), so by bounded range the draw is rho-zCDP.
        """
        self._charge(rho)
        closed, (records, counts) = queries.closure(), self._counted
        private, public = (
            schema.literal_values(closed.literals, codes.astype(schema.code_dtype)) for codes in (records, proposal)
        )
        payoff = Payoff(closed, private, counts, (public,))
        objective = payoff.part(private, counts, total << LATTICE, LATTICE)
        return ExponentialMechanism(closed, sqrt_below(8 * rho), self.neighbours), objective

    @property
    def _counted(self) -> Counted:
        return self.records.sealed.unseal()

    def _charge(self, rho: Fraction) -> None:
        if rho <= 0 or self.spent + rho > self.rho:
            raise BudgetExceeded("a measurement would exceed the synthesizer's budget: nothing was sampled")
        self.spent += rho

    def _noisy(self, counts: Integers, squared_sensitivity: int, rho: Fraction) -> tuple[Integers, Fraction]:
        """Charge rho, then add discrete Gaussian noise of variance at least Δ₂²/(2 rho) to integer counts."""
        self._charge(rho)
        variance = Fraction(ceil(_GRAIN * squared_sensitivity / (2 * rho)), _GRAIN)
        return self.add_noise(counts, variance, self.source), variance


def _parity_counts(counted: Counted, signs: Sequence[Integers], columns: Integers, subsets: Integers) -> Integers:
    """Weighted sums of products of ±1 features. Doubles hold every partial sum exactly: integers below 2^53, since
    no table has more than 2^40 rows."""
    (records, counts), (heads, inverse) = counted, _heads(subsets)
    tables = [sign.astype(np.int8) for sign in signs]
    sums = np.zeros((len(heads), len(signs)))
    step = max(64, min(_BLOCK, _CELLS // len(heads)))
    for first in range(0, len(counts), step):
        block = slice(first, first + step)
        codes = records[block]
        features = np.stack([table[codes[:, c]] for table, c in zip(tables, columns, strict=True)], axis=1)
        left = np.ones((len(features), len(heads)), dtype=np.int8)
        for head in heads.T:
            left *= features[:, head]
        sums += left.T.astype(np.float64) @ (features * counts[block, None].astype(np.float64))
    return sums[inverse, subsets[:, -1]].astype(np.int64)


def _heads(subsets: Integers) -> tuple[Integers, Integers]:
    """The subsets without their last feature, each once, and which of them belongs to each subset."""
    if subsets.shape[1] == 1:
        return np.zeros((1, 0), dtype=np.int64), np.zeros(len(subsets), dtype=np.int64)
    heads, inverse = np.unique(subsets[:, :-1], axis=0, return_inverse=True)
    return heads, inverse.ravel()
