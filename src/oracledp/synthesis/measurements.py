"""The only place where synthesis touches private counts: integer counts plus exact discrete Gaussian noise.

The meter holds a budget as a Fraction and charges each measurement before its noise is drawn
(proofs/measured-synthesis.md). What it returns is safe to publish; everything after it is post-processing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import Query, QueryClass
from oracledp.data.schema import Schema
from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.exact.capacity import refuse_rows
from oracledp.exact.roots import sqrt_below
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.payoff import Payoff
from oracledp.privacy.gaussian_accounting import GaussianBudget
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.sealed import Sealed
from oracledp.randomness.noise import noisy_counts, rounded_counts
from oracledp.randomness.source import Randomness
from oracledp.synthesis.bins import Integers
from oracledp.synthesis.counted import CountedQuery

Counted = tuple[NDArray[np.integer[Any]], Integers]  # unique records, and how many rows each stands for
_BLOCK = 8192  # records in one step of counting parities
_CELLS = 1 << 22  # records times products in one step, so that memory does not grow with the columns
_GRAIN = 1024  # variances are rounded up to multiples of 1/1024: short fractions are drawn faster
_ROUNDING = Fraction(1, 12)  # what rounding to integers adds to the variance
LATTICE = 10  # a synthetic record weighs a multiple of 2^-10 records in a selection


@dataclass(frozen=True)
class Records:
    """Private data as unique encoded records with counts, under seal: only a meter opens it. The rest is public."""

    codes: InitVar[NDArray[np.integer[Any]]]  # of any width: millions of records stay as small as they came
    counts: InitVar[Integers]
    sizes: tuple[int, ...]
    ordered: tuple[bool, ...]
    missing: tuple[bool, ...]  # whether the last code of a column stands for no value
    fine: tuple[bool, ...] = ()  # whether a column is stored at its resolution; none by default
    coarse: tuple[Integers | None, ...] = ()  # the codes at which the cells of a first look begin; None: even cells
    steps: tuple[Integers | None, ...] = ()  # where codes in order begin, and the last ends; None: all are one wide
    other: tuple[int | None, ...] = ()  # the code of each column that stands for all values that are not listed
    sealed: Sealed[Counted] = field(init=False)

    def __post_init__(self, codes: NDArray[np.integer[Any]], counts: Integers) -> None:
        refuse_rows(counts)
        object.__setattr__(self, "sealed", Sealed((codes, counts)))

    @property
    def in_order(self) -> tuple[int, ...]:
        """How many codes of each column are in order: none of an unordered one, all but *missing* of an ordered one."""
        columns = zip(self.sizes, self.ordered, self.missing, strict=True)
        return tuple(size - missing if ordered else 0 for size, ordered, missing in columns)

    def doubtful(self, column: int) -> list[int]:
        """The codes of a column that stand for no value and for values that are not listed: it may have neither."""
        other = self.other[column] if self.other else None
        return ([] if other is None else [other]) + [self.sizes[column] - 1] * self.missing[column]

    def steps_of(self, column: int) -> Integers:
        """Where the codes of a column that are in order begin on the axis of its values, and where the last ends."""
        known = self.steps[column] if self.steps else None
        return np.arange(self.in_order[column] + 1) if known is None else known

    @property
    def fine_order(self) -> tuple[int, ...]:
        """The same for columns that are stored at their resolution, and 0 for the others."""
        fine = self.fine or (False,) * len(self.sizes)
        return tuple(order if its else 0 for order, its in zip(self.in_order, fine, strict=True))


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
    """Measures private records against a budget; ``spent`` never exceeds its ``rho``.

    Where the budget is one of Gaussian noise alone (``apart``), it allows for no selection. ``reach`` is what all
    records of one person weigh together, at most: counts are then of persons, to the nearest one
    (proofs/linked-tables.md).
    """

    records: Records
    budget: GaussianBudget
    neighbours: Neighbours
    source: Randomness
    spent: Fraction = Fraction(0)
    reach: int = 1

    @property
    def rho(self) -> Fraction:
        """The whole budget, as zCDP."""
        return self.budget.rho

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
        """A query of the class, or a negated one, on which synthetic records are most wrong: one exact draw.

        Score: the records that meet the query, less the synthetic ones scaled to ``total`` records in all, which is
        public. ε0 = sqrt(8 rho), so by bounded range the draw is rho-zCDP.
        """
        if self.budget.apart is not None or self.reach > 1:
            raise ParameterError("a budget of Gaussian noise alone allows for no selection")
        self._charge(rho)
        closed, (records, counts) = queries.closure(), self._counted
        private, public = (
            schema.packed(closed.literals, codes.astype(schema.code_dtype)) for codes in (records, proposal)
        )
        payoff = Payoff(closed, private, counts, (public,))
        objective = payoff.part(private, counts, total << LATTICE, LATTICE)
        mechanism = ExponentialMechanism(closed, sqrt_below(8 * rho), self.neighbours)
        return Query(closed, mechanism.run(objective, self.source))

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
        reached = variance * self.reach**2
        if self.budget.apart is None:
            noisy = noisy_counts(counts, reached, self.source)
        else:
            noisy = rounded_counts(counts, reached, self.budget.bits(counts.size), self.source)
        if self.budget.apart is None and self.reach == 1:
            return noisy, variance
        return (2 * noisy + self.reach) // (2 * self.reach), variance + _ROUNDING


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
