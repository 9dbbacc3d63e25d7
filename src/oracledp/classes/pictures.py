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
