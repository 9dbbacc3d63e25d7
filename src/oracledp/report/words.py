"""A guarantee for readers who have never met one."""

from __future__ import annotations

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
    """What (ε, δ) means for one record.

    >>> from fractions import Fraction
    >>> print(in_words(Guarantee(epsilon=Fraction(1), neighbours=Neighbours.ADD_REMOVE, proof="measured-synthesis")))
    Whether or not any one record is in the table, whatever this release could have said is at most 2.72 times as \
likely in one case as in the other. So hardly anything can be learned here about one record that could not be learned \
without it.
    """
    change = {
        Neighbours.ADD_REMOVE: "Whether or not any one record is in the table",
        Neighbours.REPLACE_ONE: "Whichever values any one record has",
    }[guarantee.neighbours]
    given = "Provided that what it assumes is true: " if guarantee.assumes else ""
    slack = f" (or {float(guarantee.delta):g} in probability apart)" if guarantee.delta else ""
    factor = _factor(float(guarantee.epsilon))
    return (
        f"{given}{change}, whatever this release could have said is at most {factor} times as likely in one case as in "
        f"the other{slack}. So hardly anything can be learned here about one record that could not be learned without "
        "it."
    )


def _factor(epsilon: float) -> str:
    """e^ε, rounded up so that the words promise no more than the proof."""
    return f"e^{epsilon:g}" if epsilon > 10 else f"{ceil(100 * exp(epsilon)) / 100:g}"
