"""What there is to draw of a query: lines of text, a table of points, the branches of a tree. No markup here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


@dataclass(frozen=True)
class Branching:
    """A test with what follows where it holds and where it does not; or, without a test, a label."""

    test: str = ""
    held: Branching | None = None
    other: Branching | None = None
    label: int = 0

    def leaves(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """The conditions on the way to each leaf, from left to right, and its label."""
        if self.held is None or self.other is None:
            yield (), self.label
            return
        yield from (((self.test, *rest), label) for rest, label in self.held.leaves())
        yield from (((f"not ({self.test})", *rest), label) for rest, label in self.other.leaves())


Picture = Sentence | Card | Lines | Branching


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
    if isinstance(drawn, Branching):
        return branches_in_words(drawn, (other, label))
    return f"predict {label} if {drawn.text}, otherwise {other}"


def branches_in_words(drawn: Branching, labels: Sequence[object], notes: Sequence[str] = ()) -> str:
    """A tree, one line for each test and each leaf; ``notes`` may say more about each leaf, from left to right.

    >>> print(branches_in_words(Branching("smoker", Branching(label=1), Branching(label=0)), ("well", "sick")))
    predict by these tests:
      if smoker: sick
      otherwise: well
    """
    said = iter(notes)
    if drawn.held is None:
        return f"predict {labels[drawn.label]}{next(said, '')}"
    return "\n".join(["predict by these tests:", *_branch_lines(drawn, labels, said, "  ")])


def _branch_lines(drawn: Branching, labels: Sequence[object], notes: Iterator[str], indent: str) -> Iterator[str]:
    for words, child in ((f"if {drawn.test}", drawn.held), ("otherwise", drawn.other)):
        assert child is not None
        if child.held is None:
            yield f"{indent}{words}: {labels[child.label]}{next(notes, '')}"
        else:
            yield f"{indent}{words}:"
            yield from _branch_lines(child, labels, notes, indent + "  ")


def _signed(points: Fraction) -> str:
    return f"{'+' if points > 0 else '-'}{abs(points)}"
