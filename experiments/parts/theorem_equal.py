"""Theorems 2 to 4 of README.md: parts of equal size, one tolerance κ, tail bounds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from experiments.parts.ladder import PartsTheorem, Step, steps
from oracledp.exact.intervals import Interval
from oracledp.mechanisms.robust.delta import CERTAIN
from oracledp.mechanisms.robust.design import Design, Terms
from oracledp.privacy.guarantee import Neighbours


@dataclass(frozen=True)
class EqualParts(PartsTheorem):
    """Parts of equal size; but for an event of small probability the changed part is κ-like the others.

    ``own`` and ``others`` are the deviations of log-probabilities that are tolerated.
    """

    own: Fraction
    others: Fraction

    base_neighbours = Neighbours.REPLACE_ONE

    def parameters(self) -> dict[str, str]:
        """Both deviations."""
        return {"own": str(self.own), "others": str(self.others)}

    @abstractmethod
    def log_likeness(self, design: Design) -> Interval:
        """ln κ."""

    @abstractmethod
    def unlikely(self, design: Design) -> Interval:
        """The probability that the parts are not κ-like."""

    def own_terms(self, design: Design, epsilon: Fraction) -> Terms:
        """Parts that are not alike, and failures that went unseen (T2)."""
        enough = steps(design, epsilon)[self.minimum_passing :]
        likeness = self.log_likeness(design).exp().upper
        if any(likeness > step.likeness for step in enough if step.weight > 0):
            return {"parts not alike": CERTAIN, "unseen failures": CERTAIN}
        weight = max(step.weight for step in enough)
        return {
            "parts not alike": self.unlikely(design).upper * weight,
            "unseen failures": self.unseen(design, likeness, enough),
        }

    def unseen(self, design: Design, likeness: Fraction, enough: tuple[Step, ...]) -> Fraction:
        """(κ/R) max (K-N) h_N / N, and ((R-1)^(R-1)/R^R) max h_N for the changed part itself."""
        runs = design.runs_per_part
        others = max((design.parts - step.others) * step.weight / step.others for step in enough)
        own = ((runs - 1) * Interval.of(Fraction(runs - 1, runs)).log()).exp().upper / runs
        return likeness * others / runs + own * max(step.weight for step in enough)


@dataclass(frozen=True)
class EveryPart(EqualParts):
    """Theorem 3 of the theory note: every part within ``own`` of the common mean, on both sides."""

    name = "note"

    def log_likeness(self, design: Design) -> Interval:
        """2t."""
        return Interval.of(2 * self.own)

    def unlikely(self, design: Design) -> Interval:
        """2K exp(-2t²/(lε'²))."""
        return 2 * design.parts * _gaussian_tail(2 * self.own**2, design.part_size, design.epsilon_inner)

    def own_terms(self, design: Design, epsilon: Fraction) -> Terms:
        """The note's own, coarser accounting, with the exact tail of the test."""
        others, runs = self.minimum_passing, design.runs_per_part
        likeness = self.log_likeness(design).exp().upper
        if any(likeness > step.likeness for step in steps(design, epsilon)[others:] if step.weight > 0):
            return {"parts not alike": CERTAIN, "unseen failures": CERTAIN}
        inverse_e = Interval.of(-1).exp().upper
        failures = likeness * (design.parts - 1) / (runs * others) + Fraction(1, runs - 1)
        return {
            "too few parts passed": design.pass_probabilities[others],
            "parts not alike": self.unlikely(design).upper / (others + 1),
            "unseen failures": inverse_e * failures / (others + 1),
        }


@dataclass(frozen=True)
class OneSided(EqualParts):
    """T3: the changed part has no high deviation, the others no low one."""

    name = "T2+T3"

    def log_likeness(self, design: Design) -> Interval:
        """t1 + t2 + ε'."""
        return Interval.of(self.own + self.others + design.epsilon_inner)

    def unlikely(self, design: Design) -> Interval:
        """exp(-2t1²/((l-1)ε'²)) + (K-1) exp(-2t2²/(lε'²))."""
        size, inner = design.part_size, design.epsilon_inner
        own = _gaussian_tail(2 * self.own**2, size - 1, inner)
        return own + (design.parts - 1) * _gaussian_tail(2 * self.others**2, size, inner)


@dataclass(frozen=True)
class AgainstAverage(EqualParts):
    """T4: the changed part against the average of the others; ``others`` is r, the excess of D over its mean."""

    name = "T2+T4"

    def log_likeness(self, design: Design) -> Interval:
        """ε' + t + ((K-1) ε' sqrt(l)/4 + r)/N_min."""
        inner = design.epsilon_inner
        expected = Interval.of(design.part_size).sqrt() * ((design.parts - 1) * inner / 4)
        return inner + self.own + (expected + self.others) / self.minimum_passing

    def unlikely(self, design: Design) -> Interval:
        """exp(-2t²/((l-1)ε'²)) + exp(-r²/(2(K-1)lε'²))."""
        size, inner = design.part_size, design.epsilon_inner
        own = _gaussian_tail(2 * self.own**2, size - 1, inner)
        return own + _gaussian_tail(self.others**2 / (2 * (design.parts - 1)), size, inner)


def _gaussian_tail(square: Fraction, size: int, inner: Fraction) -> Interval:
    """exp(-square/(size · inner²)); a part of one record has nothing random in it."""
    return Interval.of(-square / (size * inner**2)).exp() if size > 0 else Interval.of(0)
