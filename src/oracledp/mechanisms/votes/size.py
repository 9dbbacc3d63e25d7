"""How many parts vote, and how long their lists are, where nobody says: public rules from public numbers.

The constants were chosen on six tables, each left out in turn (benchmarks/robust, docs/robust-measured.md).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log

from oracledp.errors import ParameterError

ROOM = 2.4  # times the votes at which an answer is as likely as silence: parts never agree in full
FEWEST_ROWS = 20  # per part: below this, lists are mostly luck
FEWEST, MOST = 12, 2000
LONGEST = 400
LADDER_ROOM = 1.4  # times the votes at which the ladder of hard votes begins to hear
HOPELESS = 1.2  # parts in units of the threshold: with fewer, even parts that agree mostly release nothing


def default_ballot(size: int, epsilon: Fraction) -> int:
    """Four hundred answers, more at a small ε, fewer where the class is small.

    Long lists find near-ties and cost little agreement; where many parts must be heard, parts are small and their lists
    need more room for luck.

    >>> default_ballot(9, Fraction(1)), default_ballot(10**6, Fraction(1)), default_ballot(10**6, Fraction(1, 2))
    (1, 400, 800)
    """
    return max(1, min(ceil(LONGEST / min(Fraction(1), max(epsilon, Fraction(1, 2)))), size // 8))


def threshold(epsilon: Fraction, delta: Fraction, most: int) -> float:
    """The votes at which one answer is as likely as silence: 1 + (2/ε) ln(m/δ).

    >>> round(threshold(Fraction(1), Fraction(1, 10**6), 400))
    41
    """
    return 1 + 2 / float(epsilon) * log(most / float(delta))


def default_parts(epsilon: Fraction, delta: Fraction, most: int, rows: int | None) -> int:
    """With room above the threshold; not so many that a part has hardly any rows, as far as their number is known.

    >>> default_parts(Fraction(1), Fraction(1, 10**6), 400, 40_000)
    98
    """
    wanted = ceil(ROOM * threshold(epsilon, delta, most))
    bearable = MOST if rows is None else max(FEWEST, rows // FEWEST_ROWS)
    return max(FEWEST, min(wanted, bearable, MOST))


def ladder_parts(epsilon: Fraction, delta: Fraction) -> int:
    """For hard votes: half as many as one answer needs by approval, and room for a few that disagree.

    >>> ladder_parts(Fraction(1), Fraction(1, 10**6)), ladder_parts(Fraction(2), Fraction(1, 10**6))
    (21, 12)
    """
    return max(FEWEST, ceil(LADDER_ROOM * (1 + log(1 / float(delta)) / float(epsilon))))


def bears_approval(epsilon: Fraction, delta: Fraction, most: int, rows: int) -> bool:
    """Whether so many rows make parts enough to be heard by approval."""
    return default_parts(epsilon, delta, most, rows) >= HOPELESS * threshold(epsilon, delta, most)


def refuse_hopeless(epsilon: Fraction, delta: Fraction, most: int, rows: int | None) -> None:
    """Refuse, by public numbers, where so few rows make so few parts that nothing would come of the vote."""
    votes = threshold(epsilon, delta, most)
    if rows is not None and not bears_approval(epsilon, delta, most, rows):
        raise ParameterError(
            f"{rows} rows are too few for a vote at this epsilon and delta: about {ceil(ROOM * votes * FEWEST_ROWS)} "
            "are needed; raise epsilon or delta, or set parts"
        )
