"""Scores of a column's bins: numbers by which it can be said how columns go together.

An ordered column, or one of two bins, has one: a normal number that may stand behind it. One most of whose records hold
one value, such as zero, may have two. A column without order has as many as tell its heaviest bins apart.
Post-processing of released counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from oracledp.synthesis.bins import ColumnBins, Floats, Integers

_MOST_APART = 6  # bins of a column without order that scores tell apart: more of them are too light
_ATOM = 0.5  # of the records, at one value of an ordered column: whether a value is that one is a score of its own
_LEAST_REST = 0.3  # of a score's variance that is not common, at least, where it is divided by
_LEVELLED = 15  # rounds until distributions given factors are the column's own on average
_TINY = 1e-12


@dataclass(frozen=True)
class Scored:
    """A column's distribution over its finest bins and their scores: zero on bins outside its order, if it has one."""

    mass: Floats
    scores: Floats  # bins × scores: uncorrelated, each with mean zero and variance one, or nothing but zeros
    normal: bool  # whether there is one score, of a normal number
    atom: bool = False  # whether one score says that a value is the commonest one, and one orders the others

    @classmethod
    def of(cls, mass: Floats, binning: ColumnBins, in_order: int, *, atoms: bool) -> Scored:
        """Of a column of which so many codes are in order; ``atoms`` asks for values that stand apart."""
        inside = len(np.unique(binning.fine[:in_order])) if in_order else len(mass) * (len(mass) == 2)
        if inside < 2 < len(mass) and not in_order:
            starts = next(level for level in binning.starts if len(level) <= _MOST_APART or level is binning.starts[-1])
            return cls(mass, np.repeat(contrasts(np.add.reduceat(mass, starts)), _widths(starts, mass), axis=0), False)
        if atoms and inside > 2 and mass[:inside].max() >= _ATOM:
            return cls(mass, _apart(mass, inside), False, True)
        scores = np.zeros((len(mass), 1))
        if inside >= 2:
            scores[:inside, 0] = normal_scores(mass[:inside])
        return cls(mass, scores, True)

    def at(self, starts: Integers) -> Floats:
        """The mean scores of the bins of a level: bins × scores."""
        held = np.add.reduceat(self.mass[:, None] * self.scores, starts, axis=0)
        return np.asarray(held / np.add.reduceat(self.mass, starts)[:, None])

    def spread(self, starts: Integers) -> Floats:
        """The variance of each score that a level still tells apart."""
        return np.asarray(np.add.reduceat(self.mass, starts) @ self.at(starts) ** 2)

    def along(self, signs: Integers) -> Floats:
        """The covariance of a feature with each score."""
        return np.asarray((self.mass * signs) @ self.scores)

    def given(self, means: Floats, common: Floats) -> Floats:
        """Log distributions given scores of these means, a line for each; ``common`` are the variances of the means."""
        if not self.normal:
            return self._levelled(means / np.maximum(1 - common, _LEAST_REST))
        (score,) = self.scores.T
        tilt = (score * means - common * score**2 / 2) / (1 - common)
        return _normalised(np.log(self.mass) + np.where(score == 0, 0.0, tilt))

    def _levelled(self, tilts: Floats) -> Floats:
        """Log-linear in the scores, such that the mean over all lines is the column's own distribution."""
        logits = _normalised(np.log(self.mass) + tilts @ self.scores.T)
        for _ in range(_LEVELLED):
            mean = np.exp(logits).mean(axis=0)
            logits = _normalised(logits + np.log(self.mass) - np.log(np.maximum(mean, _TINY)))
        return logits


def _apart(mass: Floats, inside: int) -> Floats:
    """Whether a value is the commonest one, and the order of the others: of zeros and amounts, for instance."""
    atom = int(mass[:inside].argmax())
    others = np.delete(np.arange(inside), atom)
    share, scores = mass[atom] / mass[:inside].sum(), np.zeros((len(mass), 2))
    scores[:inside, 0] = -np.sqrt(share / (1 - share))
    scores[atom, 0] = np.sqrt((1 - share) / share)
    scores[others, 1] = normal_scores(mass[others]) / np.sqrt(1 - share)
    return np.asarray(scores / np.sqrt(mass[:inside].sum()))


def normal_scores(mass: Floats) -> Floats:
    """Normal quantiles of the middles of bins, with mean zero and variance one."""
    share = mass / mass.sum()
    middles = np.clip(np.cumsum(share) - share / 2, 1e-6, 1 - 1e-6)
    score = np.array([NormalDist().inv_cdf(middle) for middle in middles.tolist()])
    score -= share @ score
    return np.asarray(score / np.sqrt(max(float(share @ score**2), _TINY)))


def contrasts(mass: Floats) -> Floats:
    """Uncorrelated scores that tell all bins apart, with mean zero and variance one: one fewer than there are bins.

    >>> found = contrasts(np.array([0.5, 0.25, 0.25]))
    >>> (found.T * [0.5, 0.25, 0.25] @ found).round(9).tolist(), found.shape
    ([[1.0, 0.0], [0.0, 1.0]], (3, 2))
    """
    root = np.sqrt(mass / mass.sum())
    basis, _ = np.linalg.qr(np.column_stack([root, np.eye(len(mass))[:, 1:]]))
    return np.asarray(basis[:, 1:] / root[:, None])


def _widths(starts: Integers, mass: Floats) -> Integers:
    return np.diff(np.append(starts, len(mass)))


def _normalised(logits: Floats) -> Floats:
    logits = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))
