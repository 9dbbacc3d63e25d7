"""Where a fit begins: ordered columns that move together as the released counts say, by way of a few common factors.

Each ordered column, and each of two bins, has a normal score. Released counts give every pair's correlation of scores
with a known noise; the eigenvalues that stand out from that noise give factors, and a component is a draw of them.
Without evidence of dependence there is no factor, and every component begins as the columns' own distributions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from oracledp.synthesis.bins import Floats, Integers
from oracledp.synthesis.measurements import NoisyParities, NoisyTable
from oracledp.synthesis.measuring import Measured

_MOST_FACTORS = 12
_COMMON = 0.97  # of a column's variance, at most, comes from factors
_ROUNDS = 30  # of eigenvectors, until the diagonal agrees with them
_SAFETY = 1.2  # beyond the largest eigenvalue that noise is expected to have
_STEEPEST = 1.5  # radians: beyond, the sine of an estimate would turn back


@dataclass(frozen=True)
class Factors:
    """The columns' scores and their loadings on the factors that were released."""

    columns: list[_Scored]
    loadings: Floats  # columns × factors

    @classmethod
    def of(cls, measured: Measured, in_order: Sequence[int]) -> Factors:
        """Read off all counts of pairs."""
        columns = [_Scored.of(measured, column, ordered) for column, ordered in enumerate(in_order)]
        return cls(columns, _loadings(*_correlations(measured, columns)))

    def logits(self, count: int, generator: np.random.Generator) -> Floats:
        """The log distributions of ``count`` components, stacked over columns."""
        factors = generator.standard_normal((count, self.loadings.shape[1]))
        if count > 1:
            factors = (factors - factors.mean(axis=0)) / factors.std(axis=0)
        return np.concatenate(
            [
                column.given(factors @ loading, float(loading @ loading))
                for column, loading in zip(self.columns, self.loadings, strict=True)
            ],
            axis=1,
        )


@dataclass(frozen=True)
class _Scored:
    """A column's distribution over its finest bins and their scores: zero on bins outside its order, if it has one."""

    mass: Floats
    score: Floats

    @classmethod
    def of(cls, measured: Measured, column: int, in_order: int) -> _Scored:
        mass, fine = measured.fine_marginal(column), measured.bins[column].fine
        inside = len(np.unique(fine[:in_order])) if in_order else len(mass) * (len(mass) == 2)
        score = np.zeros(len(mass))
        if inside >= 2:
            score[:inside] = _normal_scores(mass[:inside])
        return cls(mass, score)

    def at(self, starts: Integers) -> Floats:
        """The mean score of the bins of a level."""
        return np.asarray(np.add.reduceat(self.mass * self.score, starts) / np.add.reduceat(self.mass, starts))

    def spread(self, starts: Integers) -> float:
        """The variance of the scores that a level still tells apart."""
        return float(np.add.reduceat(self.mass, starts) @ self.at(starts) ** 2)

    def given(self, means: Floats, common: float) -> Floats:
        """Log distributions given a normal score of these means, of which a share of the variance is common."""
        rest = 1 - common
        tilt = (self.score * means[:, None] - common * self.score**2 / 2) / rest
        logits = np.log(self.mass) + np.where(self.score == 0, 0.0, tilt)
        logits -= logits.max(axis=1, keepdims=True)
        return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))


def _normal_scores(mass: Floats) -> Floats:
    """Normal quantiles of the middles of bins, with mean zero and variance one."""
    share = mass / mass.sum()
    middles = np.clip(np.cumsum(share) - share / 2, 1e-6, 1 - 1e-6)
    score = np.array([NormalDist().inv_cdf(middle) for middle in middles.tolist()])
    score -= share @ score
    return np.asarray(score / np.sqrt(max(float(share @ score**2), 1e-12)))


def _correlations(measured: Measured, columns: Sequence[_Scored]) -> tuple[Floats, Floats]:
    """Every pair's correlation of scores and its variance, zero where nothing was measured: by precision, from all."""
    sums, precisions = np.zeros((2, len(columns), len(columns)))
    found = [_of_table(measured, table, columns) for table in measured.tables if len(table.columns) == 2]
    for group in measured.parities:
        if group.subsets.shape[1] == 2:
            found += _of_parities(measured, group, columns)
    for (first, second), estimate, variance in found:
        sums[first, second] += estimate / variance
        precisions[first, second] += 1 / variance
    sums, precisions = sums + sums.T, precisions + precisions.T
    known = np.where(precisions > 0, precisions, np.inf)
    return sums / known, 1 / known


_Found = tuple[tuple[int, int], float, float]
_NOTHING = 1e-9  # of a score's covariance with itself or a feature: a column without order


def _of_table(measured: Measured, table: NoisyTable, columns: Sequence[_Scored]) -> _Found:
    (a, b), (x, y) = table.columns, table.levels
    rows, across = measured.bins[a].starts[x], measured.bins[b].starts[y]
    left, right = columns[a].at(rows), columns[b].at(across)
    kept = columns[a].spread(rows) * columns[b].spread(across)
    if kept < _NOTHING:
        return (a, b), 0.0, np.inf
    estimate = float(left @ (table.values / measured.total) @ right) / kept
    noise = float(table.variance) / measured.total**2
    return (a, b), estimate, noise * float((left @ left) * (right @ right)) / kept**2


def _of_parities(measured: Measured, group: NoisyParities, columns: Sequence[_Scored]) -> list[_Found]:
    """Halves of two normal scores agree by the arc sine of their correlation."""
    features, found = measured.features, []
    means, slopes = [], []
    for column, signs in zip(features.columns.tolist(), features.signs, strict=True):
        scored = columns[column]
        means.append(float(scored.mass @ signs))
        slopes.append(float(scored.mass @ (signs * scored.score)))
    noise = float(group.variance) / measured.total**2
    for (one, two), value in zip(group.subsets.tolist(), group.values.tolist(), strict=True):
        slope = slopes[one] * slopes[two]
        if abs(slope) > _NOTHING:
            angle = (value / measured.total - means[one] * means[two]) / slope
            pair = int(features.columns[one]), int(features.columns[two])
            found.append((pair, float(np.sin(np.clip(angle, -_STEEPEST, _STEEPEST))), noise / slope**2))
    return found


def _loadings(correlations: Floats, variances: Floats) -> Floats:
    """Each column's loadings on the factors whose eigenvalues exceed those of noise alone, less what noise adds."""
    edge = _SAFETY * 2 * np.sqrt(variances.sum(axis=1).max())  # of the spectrum of symmetric noise
    common, found = np.zeros(len(variances)), np.zeros((len(variances), 0))
    for _ in range(_ROUNDS):
        values, vectors = np.linalg.eigh(correlations + np.diag(common))
        kept = values[-_MOST_FACTORS:] > max(edge, 1e-9)
        strong = values[-_MOST_FACTORS:][kept]
        found = vectors[:, -_MOST_FACTORS:][:, kept] * np.sqrt((strong + np.sqrt(strong**2 - edge**2)) / 2)
        common = np.minimum((found**2).sum(axis=1), _COMMON)
    excess = np.sqrt(common / np.maximum((found**2).sum(axis=1), 1e-12))
    return np.asarray(found * np.minimum(excess, 1.0)[:, None])
