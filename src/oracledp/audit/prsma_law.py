"""The exact law of PRSMA's output against an oracle that fails as it likes (proofs/prsma.md).

Outputs are told apart by one event: *inside* it, outside it, or ⊥. All functions take floats, for searches, or
Fractions, for exact answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

Number = Any  # float or Fraction
Content = tuple[int, int]  # what a sample holds, in two numbers


@dataclass(frozen=True)
class Behaviour:
    """What one run on a sample does: it fails with some probability, else it is inside with another."""

    failure: Number
    inside: Number

    @classmethod
    def of(cls, perfect: Number, *, hide_inside: Number = 0, hide_outside: Number = 0) -> Behaviour:
        """A certifiable oracle on a sample whose perfect run is inside with probability ``perfect``.

        It fails with one probability when the perfect output is inside and with another when it is outside.
        """
        failure = perfect * hide_inside + (1 - perfect) * hide_outside
        answered = 1 - failure
        return cls(failure, perfect * (1 - hide_inside) / answered if answered else perfect * 0)

    def passes(self, runs: int) -> Number:
        """The probability that no run fails."""
        return (1 - self.failure) ** runs


@dataclass(frozen=True)
class Outcome:
    """The probabilities of the three outputs."""

    inside: Number
    outside: Number
    bottom: Number

    def excess(self, other: Outcome, growth: Number) -> Number:
        """The greatest Pr[out ∈ Ω] - e^ε Pr'[out ∈ Ω] over all events Ω: the hockey-stick divergence."""
        pairs = ((self.inside, other.inside), (self.outside, other.outside), (self.bottom, other.bottom))
        return sum(max(a - growth * b, 0 * a) for a, b in pairs)


@dataclass(frozen=True)
class Sampled:
    """What one subsample makes of the oracle, over all subsamples: how often a test passes, what the last run does."""

    passes: Number
    inside: Number
    outside: Number

    @classmethod
    def of(cls, samples: Iterable[tuple[Number, Behaviour]], runs: int) -> Sampled:
        """From the probability of each kind of subsample, and the oracle's behaviour on it."""
        passes = inside = outside = 0
        for chance, behaviour in samples:
            passes = passes + chance * behaviour.passes(runs)
            inside = inside + chance * (1 - behaviour.failure) * behaviour.inside
            outside = outside + chance * (1 - behaviour.failure) * (1 - behaviour.inside)
        return cls(passes, inside, outside)

    def law(self, table: Sequence[Number]) -> Outcome:
        """The law of the output when T passing tests are let through with probability table[T].

        >>> always = Sampled.of([(Fraction(1), Behaviour.of(Fraction(1, 4)))], runs=3)
        >>> print(always.law([Fraction(0), Fraction(1, 2), Fraction(9, 10)]))
        Outcome(inside=Fraction(9, 40), outside=Fraction(27, 40), bottom=Fraction(1, 10))
        """
        tests, passes = len(table) - 1, self.passes
        goes_on = sum(g * comb(tests, t) * passes**t * (1 - passes) ** (tests - t) for t, g in enumerate(table))
        inside, outside = goes_on * self.inside, goes_on * self.outside
        return Outcome(inside, outside, 1 - inside - outside)


def logistic_base(ratio: Fraction, centre: int, content: Content) -> Fraction:
    """A toy base: inside with probability r^m/(1+r^m), m = ones - zeros - centre; (ln r)-DP under add/remove-one.

    One record moves m by one, so both outcomes' probabilities change by a factor of at most r.

    >>> logistic_base(Fraction(2), 0, (1, 0)), logistic_base(Fraction(2), 0, (0, 0))
    (Fraction(2, 3), Fraction(1, 2))
    """
    odds = ratio ** (content[0] - content[1] - centre)
    return odds / (1 + odds)
