"""Approval votes: every part hands in a short list, and one of the answers on it, or none, is drawn.

Nothing is assumed about how a part makes its list (proofs/vote.md, Theorem 6b).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TypeVar

from oracledp.errors import ParameterError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.exact.numbers import whole
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.choice import weighted_choice
from oracledp.randomness.source import Randomness

Answer = TypeVar("Answer", bound=Hashable)

BITS = 40  # the base of the weights is a multiple of 2^-40
MOST_APPROVED = MOST_VOTERS = 10_000


@dataclass(frozen=True)
class ApprovalVote:
    """Draws an answer with weight ``base``^votes, and ⊥ with weight ``silence``: (ε, δ)-DP by Theorem 6b.

    >>> vote = ApprovalVote.calibrate(epsilon=Fraction(1), delta=Fraction(1, 10**6), parts=64, most=20)
    >>> round(vote.chance([64] * 20), 4), f"{vote.chance([1] * 20):.1e}"
    (1.0, '1.0e-06')
    """

    epsilon: Fraction
    delta: Fraction
    parts: int
    most: int
    base: Fraction
    silence: int

    @classmethod
    def calibrate(cls, *, epsilon: Fraction, delta: Fraction, parts: int, most: int) -> ApprovalVote:
        """The largest base whose square, with the share that new answers take, stays below e^ε."""
        whole(parts, "parts", most=MOST_VOTERS)
        whole(most, "most", most=MOST_APPROVED)
        if not 0 < delta < 1:
            raise ParameterError("a vote needs a delta between 0 and 1, for instance 1e-6")
        low, high = 1 << BITS, (1 << BITS) * (1 + ceil(_growth(epsilon)))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _allowed(Fraction(middle, 1 << BITS), epsilon, delta) else (low, middle)
        base = Fraction(low, 1 << BITS)
        if not _allowed(base, epsilon, delta) or base <= 1:
            raise ParameterError("delta is too large for a vote at this epsilon: it must be well below epsilon")
        return cls(epsilon, delta, parts, most, base, ceil(most * base / delta))

    def __post_init__(self) -> None:
        if not _allowed(self.base, self.epsilon, self.delta) or self.silence * self.delta < self.most * self.base:
            raise ParameterError("the vote's (ε, δ) does not follow from its weights; nothing is run")

    def guarantee(self, neighbours: Neighbours, assumes: tuple[str, ...] = ()) -> Guarantee:
        """Under either relation: one record changes one list."""
        return Guarantee(epsilon=self.epsilon, delta=self.delta, neighbours=neighbours, assumes=assumes, proof="vote")

    def draw(self, lists: Sequence[Iterable[Answer]], source: Randomness) -> Answer | None:
        """One answer, or None for ⊥. A list that is longer than it may be counts up to its limit, an answer once."""
        votes = tally(lists, self.most)
        answers = list(votes)
        chosen = weighted_choice([*self._weights(list(votes.values())), self._silent], source)
        return answers[chosen] if chosen < len(answers) else None

    def chance(self, votes: Sequence[int]) -> float:
        """The probability that an answer is released when the answers have so many votes."""
        weights = self._weights(votes)
        return float(Fraction(sum(weights), sum(weights) + self._silent))

    def _weights(self, votes: Sequence[int]) -> list[int]:
        """base^votes in units of 2^(-BITS·parts): integers, so that the draw is exact."""
        return [int(self.base.numerator**n * self._one ** (self.parts - n)) for n in votes]

    @property
    def _one(self) -> int:
        return self.base.denominator

    @property
    def _silent(self) -> int:
        return int(self.silence * self._one**self.parts)


def tally(lists: Sequence[Iterable[Answer]], most: int) -> dict[Answer, int]:
    """How many lists each answer is on.

    >>> tally([["a", "b", "a"], ["b"], []], most=2)
    {'a': 1, 'b': 2}
    """
    votes: dict[Answer, int] = {}
    for answers in lists:
        for answer in list(dict.fromkeys(answers))[:most]:
            votes[answer] = votes.get(answer, 0) + 1
    return votes


def _allowed(base: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """b² + δb <= e^ε, with e^ε from below."""
    return base * base + delta * base <= _growth(epsilon)


def _growth(epsilon: Fraction) -> Fraction:
    """A lower bound on e^ε, as the inverse of an upper bound on e^-ε."""
    bits = 128 + 2 * ceil(epsilon)
    return Fraction(1 << bits, exp_enclosure(epsilon, bits)[1])
