"""How many parts vote, and how long their lists are, where nobody says: public rules from public numbers."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log

ROOM = 1.6  # times the votes at which an answer is as likely as silence: parts never agree in full
FEWEST_ROWS = 50  # per part: below this, lists are mostly luck
FEWEST, MOST = 12, 2000


def default_ballot(size: int) -> int:
    """Twenty answers, fewer where the class is small: long lists find near-ties, and cost a little more agreement.

    >>> default_ballot(9), default_ballot(10**6)
    (1, 20)
    """
    return max(1, min(20, size // 8))


def threshold(epsilon: Fraction, delta: Fraction, most: int) -> float:
    """The votes at which one answer is as likely as silence: 1 + (2/ε) ln(m/δ).

    >>> round(threshold(Fraction(1), Fraction(1, 10**6), 20))
    35
    """
    return 1 + 2 / float(epsilon) * log(most / float(delta))


def default_parts(epsilon: Fraction, delta: Fraction, most: int, rows: int | None) -> int:
    """With room above the threshold; not so many that a part has hardly any rows, as far as their number is known.

    >>> default_parts(Fraction(1), Fraction(1, 10**6), 20, 40_000)
    56
    """
    wanted = ceil(ROOM * threshold(epsilon, delta, most))
    bearable = MOST if rows is None else max(FEWEST, rows // FEWEST_ROWS)
    return max(FEWEST, min(wanted, bearable, MOST))
