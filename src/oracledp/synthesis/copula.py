"""Where a fit begins: columns that move together as the released counts say, by way of a few common factors.

Released counts give the correlation of every two columns' scores with a known noise; the eigenvalues that stand out
from that noise give factors, and a component is a draw of them. Without evidence of dependence there is no factor, and
every component begins as the columns' own distributions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from oracledp.synthesis.basis import Features
from oracledp.synthesis.bins import Floats, Integers
from oracledp.synthesis.measurements import NoisyParities, NoisyTable
from oracledp.synthesis.measuring import Measured
from oracledp.synthesis.scores import Scored

_MOST_FACTORS = 12
_COMMON = 0.97  # of a score's variance, at most, comes from factors
_ROUNDS, _SETTLED = 30, 1e-3  # of eigenvectors, until the diagonal agrees with them
_EVEN = 50  # rounds until the noise of all rows is alike
_SAFETY = 1.2  # beyond the largest eigenvalue that noise is expected to have
_STEEPEST = 1.5  # radians: beyond, the sine of an estimate would turn back
_LEAST_KEPT = 0.05  # of two scores' covariance that a table must tell apart
_NOTHING = 1e-9  # of a score's covariance with a feature: a column without order
_TINY = 1e-300


@dataclass(frozen=True)
class Factors:
    """The columns' scores and their loadings on the factors that were released."""

    columns: list[Scored]
    loadings: tuple[Floats, ...]  # of each column: scores × factors

    @classmethod
    def of(cls, measured: Measured, in_order: Sequence[int]) -> Factors:
        """Read off all counts of pairs, by the order of all values."""
        return cls._of(measured, _scored(measured, in_order, atoms=False))

    @classmethod
    def apart(cls, measured: Measured, in_order: Sequence[int]) -> Factors | None:
        """The same with the commonest values of ordered columns apart; None where no value is common enough."""
        columns = _scored(measured, in_order, atoms=True)
        return cls._of(measured, columns) if any(column.atom for column in columns) else None

    @classmethod
    def _of(cls, measured: Measured, columns: list[Scored]) -> Factors:
        loadings = _loadings(*_correlations(measured, columns))
        return cls(columns, tuple(np.split(loadings, _starts(columns)[1:-1])))

    @property
    def count(self) -> int:
        """How many factors there are."""
        return int(self.loadings[0].shape[1])

    def logits(self, count: int, generator: np.random.Generator) -> Floats:
        """The log distributions of ``count`` components, stacked over columns."""
        factors = generator.standard_normal((count, self.count))
        if count > 1:
            factors = (factors - factors.mean(axis=0)) / factors.std(axis=0)
        return np.concatenate(
            [
                column.given(factors @ loading.T, (loading**2).sum(axis=1))
                for column, loading in zip(self.columns, self.loadings, strict=True)
            ],
            axis=1,
        )


def _scored(measured: Measured, in_order: Sequence[int], *, atoms: bool) -> list[Scored]:
    return [
        Scored.of(measured.fine_marginal(column), measured.bins[column], ordered, atoms=atoms)
        for column, ordered in enumerate(in_order)
    ]


def _starts(columns: Sequence[Scored]) -> Integers:
    """Where the scores of each column begin, and where the last of them end."""
    return np.cumsum([0, *(column.scores.shape[1] for column in columns)])


def _correlations(measured: Measured, columns: Sequence[Scored]) -> tuple[Floats, Floats]:
    """Every pair's correlations of scores and their variances, zero where nothing was measured: by precision."""
    starts = _starts(columns)
    sums, precisions = np.zeros((2, int(starts[-1]), int(starts[-1])))
    for (first, second), estimate, variance in _estimates(measured, columns):
        block = slice(*starts[first : first + 2]), slice(*starts[second : second + 2])
        sums[block] += estimate / variance
        precisions[block] += 1 / variance
    known = np.where(precisions > 0, precisions, np.inf)
    found, variances = sums / known, 1 / known
    for products in _products(measured, columns):
        for (first, second), along, value, noise in products.lines(measured.features):
            block = slice(*starts[first : first + 2]), slice(*starts[second : second + 2])
            _learn(found[block], variances[block], along, value, noise)
    return found + found.T, variances + variances.T


def _learn(found: Floats, variances: Floats, along: Floats, value: float, noise: float) -> None:
    """Take in a linear combination of correlations that was counted: each moves as far as it was unsure."""
    gain = variances * along / ((variances * along**2).sum() + noise)
    found += gain * (value - (along * found).sum())
    variances *= 1 - gain * along


# Of two columns their scores' correlations and the variances of these, or of a sum of them its weights and variance.
_Found = tuple[tuple[int, int], Floats, Floats]
_Line = tuple[tuple[int, int], Floats, float, float]


def _estimates(measured: Measured, columns: Sequence[Scored]) -> Iterator[_Found]:
    """Of two columns, what one table or some parities say of the correlations of their scores, and how surely."""
    for table in measured.tables:
        if len(table.columns) == 2:
            yield _of_table(measured, table, columns)
    for products in _products(measured, columns):
        yield from products.estimates(measured.features)


def _products(measured: Measured, columns: Sequence[Scored]) -> Iterator[_Products]:
    return (_Products.of(measured, group, columns) for group in measured.parities if group.subsets.shape[1] == 2)


def _of_table(measured: Measured, table: NoisyTable, columns: Sequence[Scored]) -> _Found:
    (a, b), (x, y) = table.columns, table.levels
    rows, across = measured.bins[a].starts[x], measured.bins[b].starts[y]
    left, right = columns[a].at(rows), columns[b].at(across)
    kept = np.outer(columns[a].spread(rows), columns[b].spread(across))
    told = kept > _LEAST_KEPT
    kept = np.where(told, kept, 1.0)
    estimate = left.T @ (table.values / measured.total) @ right / kept
    noise = np.outer((left**2).sum(axis=0), (right**2).sum(axis=0)) * float(table.variance) / measured.total**2
    return (a, b), np.where(told, estimate, 0.0), np.where(told, noise / kept**2, np.inf)


@dataclass(frozen=True)
class _Products:
    """What parities of two features say of their columns' scores: the features' slopes along these, and covariances."""

    slopes: list[Floats]
    normal: list[bool]  # of each feature's column
    noise: float
    known: dict[tuple[int, int], dict[tuple[int, int], float]]  # by pair of columns: features and their covariance

    @classmethod
    def of(cls, measured: Measured, group: NoisyParities, columns: Sequence[Scored]) -> _Products:
        features = measured.features
        own = [columns[column] for column in features.columns.tolist()]
        means = [float(scored.mass @ signs) for scored, signs in zip(own, features.signs, strict=True)]
        known = dict[tuple[int, int], dict[tuple[int, int], float]]()
        for (one, two), value in zip(group.subsets.tolist(), (group.values / measured.total).tolist(), strict=True):
            pair = int(features.columns[one]), int(features.columns[two])
            known.setdefault(pair, {})[one, two] = value - means[one] * means[two]
        slopes = [scored.along(signs) for scored, signs in zip(own, features.signs, strict=True)]
        return cls(slopes, [scored.normal for scored in own], float(group.variance) / measured.total**2, known)

    def estimates(self, features: Features) -> Iterator[_Found]:
        """Halves of two normal scores agree by the arc sine of their correlation; other scores are sums of features."""
        for (a, b), found in self.known.items():
            rows, across = features.of(a), features.of(b)
            for (one, two), together in found.items():
                slope = np.outer(self.slopes[one], self.slopes[two])
                if self.normal[one] and self.normal[two] and abs(slope) > _NOTHING:
                    angle = np.clip(together / slope, -_STEEPEST, _STEEPEST)
                    yield (a, b), np.sin(angle), self.noise / slope**2
            if not self._halves(rows, across) and len(found) == len(rows) * len(across):
                left, right = (np.linalg.pinv(np.stack([self.slopes[f] for f in some])) for some in (rows, across))
                covariance = np.array([[found[one, two] for two in across] for one in rows])
                variance = self.noise * np.outer((left**2).sum(axis=1), (right**2).sum(axis=1))
                yield (a, b), left @ covariance @ right.T, np.where(variance > 0, variance, np.inf)

    def lines(self, features: Features) -> Iterator[_Line]:
        """Products that say one number of several correlations: those of features too few to tell the scores apart."""
        for (a, b), found in self.known.items():
            rows, across = features.of(a), features.of(b)
            if not self._halves(rows, across) and len(found) < len(rows) * len(across):
                for (one, two), together in found.items():
                    yield (a, b), np.outer(self.slopes[one], self.slopes[two]), together, self.noise

    def _halves(self, rows: Sequence[int], across: Sequence[int]) -> bool:
        return all(self.normal[feature] for feature in (*rows, *across))


def _loadings(correlations: Floats, variances: Floats) -> Floats:
    """Each score's loadings on the factors whose eigenvalues exceed those of noise alone, less what noise adds.

    Scores of light bins have more noise than others, which would hide what these have in common: they weigh less.
    """
    weights, edge = _even(variances), 2 * _SAFETY  # of the spectrum of symmetric noise whose rows add up to one
    common, found = np.zeros(len(variances)), np.zeros((len(variances), 0))
    for _ in range(_ROUNDS):
        values, vectors = np.linalg.eigh(np.outer(weights, weights) * correlations + np.diag(common * weights**2))
        kept = values[-_MOST_FACTORS:] > edge
        strong = values[-_MOST_FACTORS:][kept]
        scaled = vectors[:, -_MOST_FACTORS:][:, kept] * np.sqrt((strong + np.sqrt(strong**2 - edge**2)) / 2)
        found = np.where(weights[:, None] > 0, scaled / np.maximum(weights, _TINY)[:, None], 0.0)
        before, common = common, np.minimum((found**2).sum(axis=1), _COMMON)
        if np.abs(common - before).max(initial=0) < _SETTLED:
            break
    excess = np.sqrt(common / np.maximum((found**2).sum(axis=1), _TINY))
    return np.asarray(found * np.minimum(excess, 1.0)[:, None])


def _even(variances: Floats) -> Floats:
    """What scores are multiplied by so that the variances of every row add up to one; zero where nothing is known.

    >>> _even(np.array([[0, 4.0], [4.0, 0]])).round(6).tolist()
    [0.707107, 0.707107]
    """
    weights = np.ones(len(variances))
    for _ in range(_EVEN):
        sums = weights**2 * (variances @ weights**2)
        weights = np.where(sums > 0, weights / np.maximum(sums, _TINY) ** 0.25, 0.0)
    return weights
