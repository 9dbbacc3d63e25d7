"""What there is to draw of a query: lines of text, a table of points, the branches of a list. No markup here."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Sentence:
    """A rule that is best read as it is: ``heading`` says how the ``items`` belong together, if there are any."""

    text: str
    heading: str = ""
    items: tuple[str, ...] = ()
    negated: bool = False


@dataclass(frozen=True)
class Card:
    """Points on conditions, and the sum from which the query holds."""

    points: tuple[tuple[str, Fraction], ...]
    threshold: Fraction


@dataclass(frozen=True)
class Lines:
    """Conditions looked at one after the other, each with what follows where it is the first to hold."""

    lines: tuple[tuple[str, bool], ...]
    otherwise: bool


Picture = Sentence | Card | Lines


def in_words(drawn: Picture, label: object, other: object) -> str:
    """What is predicted, line by line: a card as a table of points, a list as its lines, anything else as a sentence.

    >>> print(in_words(Lines((("smoker", True),), False), "sick", "well"))
    predict by the first line that holds:
      if smoker: sick
      otherwise: well
    """
    if isinstance(drawn, Card):
        lines = [f"predict {label} if these points add up to at least {drawn.threshold}, otherwise {other}:"]
        wide = max((len(_signed(points)) for _, points in drawn.points), default=0) + 2
        return "\n".join([*lines, *(f"{_signed(points):>{wide}}  {condition}" for condition, points in drawn.points)])
    if isinstance(drawn, Lines):
        lines = [f"  if {condition}: {label if value else other}" for condition, value in drawn.lines]
        return "\n".join(
            ["predict by the first line that holds:", *lines, f"  otherwise: {label if drawn.otherwise else other}"]
        )
    return f"predict {label} if {drawn.text}, otherwise {other}"


def _signed(points: Fraction) -> str:
    return f"{'+' if points > 0 else '-'}{abs(points)}"
