"""Hard votes: every part names one answer, and a ladder says how likely an answer with c votes is (Theorem 6).

Half as many parts as approval votes need, where nearly all of them agree; proofs/vote.md has the theorem.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from oracledp.errors import ParameterError
from oracledp.exact.exponentials import growth
from oracledp.exact.numbers import whole
from oracledp.mechanisms.votes.approval import Answer, tally
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.noise import bernoulli
from oracledp.randomness.source import Randomness, below

MOST_ON_LADDERS = 400  # parts: to certify a ladder takes their square
GRAIN = 1 << 96  # rungs are multiples of its inverse, rounded down


@dataclass(frozen=True)
class LadderVote:
    """Draws a part, and releases its answer, which c parts gave, with probability ``rungs[c]``/c: (ε, δ)-DP.

    >>> vote = LadderVote.calibrate(epsilon=Fraction(1), delta=Fraction(1, 10**6), parts=20)
    >>> [round(vote.chance([votes]), 3) for votes in (8, 13, 16, 18, 20)]
    [0.001, 0.163, 0.745, 0.87, 0.971]
    """

    epsilon: Fraction
    delta: Fraction
    parts: int
    rungs: tuple[Fraction, ...]
    most: int = 1
    form: str = "hard"

    @classmethod
    def calibrate(cls, *, epsilon: Fraction, delta: Fraction, parts: int) -> LadderVote:
        """The highest ladder below the line ρc, rung by rung: no other with these (ε, δ) and this ρ has a higher one.

        ρ = gK/(gK + 1), g = e^ε - 1, is the slope at which parts that all agree are heard most.
        """
        whole(parts, "parts", most=MOST_ON_LADDERS)
        if not 0 < delta < 1:
            raise ParameterError("a vote needs a delta between 0 and 1, for instance 1e-6")
        e, gain = growth(epsilon), growth(epsilon) - 1
        slope = gain * parts / (gain * parts + 1)
        rungs = [Fraction(0), _down(min(delta * parts, slope))]
        for votes in range(1, parts):
            last = rungs[-1]
            unheard = (last + gain * (parts - slope * (parts - votes - 1))) / e
            rungs.append(max(last, _down(min(e * last, slope * (votes + 1), unheard))))
        return cls(epsilon, delta, parts, tuple(rungs))

    def __post_init__(self) -> None:
        if (
            self.most != 1
            or certified_delta(self.rungs, self.epsilon) > self.delta
            or len(self.rungs) != self.parts + 1
        ):
            raise ParameterError("the vote's (ε, δ) does not follow from its ladder; nothing is run")

    def guarantee(self, neighbours: Neighbours, assumes: tuple[str, ...] = ()) -> Guarantee:
        """Under either relation: one record changes one vote."""
        return Guarantee(epsilon=self.epsilon, delta=self.delta, neighbours=neighbours, assumes=assumes, proof="vote")

    def draw(self, lists: Sequence[Iterable[tuple[Answer, int]]], source: Randomness) -> Answer | None:
        """One answer, or None for ⊥. The first answer of a list is its part's vote."""
        named = [tally([approved], 1) for approved in lists]
        votes = [next(iter(one), None) for one in named]
        chosen = votes[below(source, self.parts)]
        if chosen is None:
            return None
        count = sum(vote == chosen for vote in votes)
        return chosen if bernoulli(self.rungs[count] / count, source) else None

    def chance(self, votes: Sequence[int]) -> float:
        """The probability that an answer is released when the answers have so many votes."""
        return float(sum((self.rungs[count] for count in votes), Fraction(0)) / self.parts)


@lru_cache(maxsize=256)
def certified_delta(rungs: tuple[Fraction, ...], epsilon: Fraction) -> Fraction:
    """B(1)/K and the excess of ⊥ over all pairs of neighbouring histograms, e^ε from below; 1 for what is no ladder.

    ``crowd[k]`` is the most that k votes can be worth together, whatever answers they are for.
    """
    parts, e = len(rungs) - 1, growth(epsilon)
    climbs = list(pairwise(rungs))
    if rungs[0] != 0 or any(low > high for low, high in climbs) or any(b > c for c, b in enumerate(rungs)):
        return Fraction(1)
    if any(high > e * low for low, high in climbs[1:]):
        return Fraction(1)
    crowd = [Fraction(0)]
    for votes in range(1, parts):
        crowd.append(max(rungs[own] + crowd[votes - own] for own in range(1, votes + 1)))
    silent = max(
        (high - low) - (e - 1) * (parts - high - crowd[parts - votes])
        for votes, (low, high) in enumerate(climbs, start=1)
    )
    return (rungs[1] + max(Fraction(0), silent)) / parts


def _down(value: Fraction) -> Fraction:
    return Fraction(value.numerator * GRAIN // value.denominator, GRAIN)
