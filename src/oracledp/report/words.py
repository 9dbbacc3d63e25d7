"""A guarantee for readers who have never met one."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from math import ceil, exp

from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.report.page import box


def promise(guarantee: Guarantee) -> str:
    """The guarantee as stated, and what it means, as HTML."""
    if not guarantee.private:
        return box(str(guarantee), kind="warning")
    return box(str(guarantee), kind="promise") + f"<p>{escape(in_words(guarantee))}</p>"


def in_words(guarantee: Guarantee) -> str:
    """What (ε, δ) means for one record, or one person.

    >>> from fractions import Fraction
    >>> print(in_words(Guarantee(epsilon=Fraction(1), neighbours=Neighbours.ADD_REMOVE, proof="measured-synthesis")))
    Whether or not any one record is in the table, whatever this release could have said is at most 2.72 times as \
likely in one case as in the other. Someone who knows every other record and tosses a coin about this one is right \
50 % of the time, and after this release at most 73.2 %: moderate protection.
    """
    one = "record" if guarantee.unit.person is None else "person"
    change = {
        Neighbours.ADD_REMOVE: f"Whether or not any one {one} is in the table",
        Neighbours.REPLACE_ONE: f"Whichever values any one {one} has",
    }[guarantee.neighbours]
    given = "Provided that what it assumes is true: " if guarantee.assumes else ""
    slack = f" (or {float(guarantee.delta):g} in probability apart)" if guarantee.delta else ""
    factor = _factor(float(guarantee.epsilon))
    return (
        f"{given}{change}, whatever this release could have said is at most {factor} times as likely in one case as in "
        f"the other{slack}. Someone who knows every other {one} and tosses a coin about this one is right 50 % of the "
        f"time, and after this release at most {odds(guarantee)}: {protection(guarantee.epsilon)}."
    )


def protection(epsilon: Fraction) -> str:
    """What ε is worth in a word or two.

    >>> [protection(Fraction(number)) for number in ("0.1", "1", "3", "8", "20")]
    ['strong protection', 'moderate protection', 'weak protection', 'hardly any protection', 'hardly any protection']
    """
    levels = ((Fraction(1, 2), "strong"), (Fraction(1), "moderate"), (Fraction(4), "weak"))
    return next((word for most, word in levels if epsilon <= most), "hardly any") + " protection"


def odds(guarantee: Guarantee) -> str:
    """How often a guess between two neighbours can be right, (e^ε + δ)/(e^ε + 1), rounded up."""
    chance = 1 - (1 - float(guarantee.delta)) / (1 + exp(min(float(guarantee.epsilon), 700)))
    return f"{min(1000, ceil(1000 * chance)) / 10:g} %"


def _factor(epsilon: float) -> str:
    """e^ε, rounded up so that the words promise no more than the proof."""
    return f"e^{epsilon:g}" if epsilon > 10 else f"{ceil(100 * exp(epsilon)) / 100:g}"
