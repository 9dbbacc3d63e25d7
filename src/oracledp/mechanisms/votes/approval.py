"""Approval votes: every part approves of a few answers, wholly or in part, and one of these, or none, is drawn.

Nothing is assumed about how a part comes by what it approves of (proofs/vote.md, Theorem 6b).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TypeVar

from oracledp.errors import ParameterError
from oracledp.exact.exponentials import growth
from oracledp.exact.numbers import whole
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.choice import weighted_choice
from oracledp.randomness.source import Randomness, below

Answer = TypeVar("Answer", bound=Hashable)

GRADES = 8  # a whole vote is so many eighths
BITS = 32  # the weight of an eighth is a multiple of 2^-32
MOST_APPROVED = MOST_VOTERS = 10_000


@dataclass(frozen=True)
class ApprovalVote:
    """Draws an answer with weight ``base``^(eighths of votes), and ⊥ with weight ``silence``: (ε, δ)-DP by Theorem 6b.

    >>> vote = ApprovalVote.calibrate(epsilon=Fraction(1), delta=Fraction(1, 10**6), parts=64, most=20)
    >>> round(vote.chance([64 * GRADES] * 20), 4), f"{vote.chance([GRADES] * 20):.1e}"
    (1.0, '1.0e-06')
    """

    epsilon: Fraction
    delta: Fraction
    parts: int
    most: int
    base: Fraction
    silence: int
    form: str = "approval"

    @classmethod
    def calibrate(cls, *, epsilon: Fraction, delta: Fraction, parts: int, most: int) -> ApprovalVote:
        """The largest base for which two votes, with the share that new answers take, stay below e^ε."""
        whole(parts, "parts", most=MOST_VOTERS)
        whole(most, "most", most=MOST_APPROVED)
        if not 0 < delta < 1:
            raise ParameterError("a vote needs a delta between 0 and 1, for instance 1e-6")
        low, high = 1 << BITS, (1 << BITS) * (1 + ceil(growth(epsilon)))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _allowed(Fraction(middle, 1 << BITS), epsilon, delta) else (low, middle)
        base = Fraction(low, 1 << BITS)
        if not _allowed(base, epsilon, delta) or base <= 1:
            raise ParameterError("delta is too large for a vote at this epsilon: it must be well below epsilon")
        return cls(epsilon, delta, parts, most, base, ceil(most * base**GRADES / delta))

    def __post_init__(self) -> None:
        enough = self.silence * self.delta >= self.most * self.base**GRADES
        if not _allowed(self.base, self.epsilon, self.delta) or not enough:
            raise ParameterError("the vote's (ε, δ) does not follow from its weights; nothing is run")

    def guarantee(self, neighbours: Neighbours, assumes: tuple[str, ...] = ()) -> Guarantee:
        """Under either relation: one record changes what one part approves of."""
        return Guarantee(epsilon=self.epsilon, delta=self.delta, neighbours=neighbours, assumes=assumes, proof="vote")

    def draw(self, lists: Sequence[Iterable[tuple[Answer, int]]], source: Randomness) -> Answer | None:
        """One answer, or None for ⊥. A list that is longer than it may be counts up to its limit, an answer once.

        First the number of eighths is drawn, then one of the answers that have it: the same law as answer by answer.
        """
        levels: dict[int, list[Answer]] = {}
        for answer, eighths in tally(lists, self.most).items():
            levels.setdefault(eighths, []).append(answer)
        weights = [len(levels[eighths]) * self._weight(eighths) for eighths in levels]
        chosen = weighted_choice([*weights, self._silent], source)
        if chosen == len(levels):
            return None
        answers = list(levels.values())[chosen]
        return answers[below(source, len(answers))]

    def chance(self, eighths: Sequence[int]) -> float:
        """The probability that an answer is released when the answers have so many eighths of votes."""
        total = sum(map(self._weight, eighths))
        return float(Fraction(total, total + self._silent))

    def _weight(self, eighths: int) -> int:
        """base^eighths in units of 2^(-BITS·GRADES·parts): an integer, so that the draw is exact."""
        return int(self.base.numerator**eighths * self._one ** (GRADES * self.parts - eighths))

    @property
    def _one(self) -> int:
        return self.base.denominator

    @property
    def _silent(self) -> int:
        return int(self.silence * self._one ** (GRADES * self.parts))


def tally(lists: Sequence[Iterable[tuple[Answer, int]]], most: int) -> dict[Answer, int]:
    """How many eighths of votes each answer has: of each list the first ``most`` answers, each at most one vote.

    >>> tally([[("a", 8), ("b", 3), ("a", 8)], [("b", 99)], []], most=2)
    {'a': 8, 'b': 11}
    """
    votes: dict[Answer, int] = {}
    for approved in lists:
        counted: dict[Answer, int] = {}
        for answer, eighths in approved:
            if len(counted) < most and eighths > 0:
                counted.setdefault(answer, min(eighths, GRADES))
        for answer, eighths in counted.items():
            votes[answer] = votes.get(answer, 0) + eighths
    return votes


def _allowed(base: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """b² + δb <= e^ε for the weight b of a whole vote, with e^ε from below."""
    whole_vote = base**GRADES
    return whole_vote * whole_vote + delta * whole_vote <= growth(epsilon)
