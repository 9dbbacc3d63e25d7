"""Which form of vote, how many parts, how long the lists: public rules where nobody says (docs/robust-measured.md)."""

from __future__ import annotations

from fractions import Fraction

from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import whole_or_none
from oracledp.mechanisms.votes.approval import MOST_APPROVED, MOST_VOTERS, ApprovalVote
from oracledp.mechanisms.votes.ladder import MOST_ON_LADDERS, LadderVote
from oracledp.mechanisms.votes.size import (
    FEWEST_ROWS,
    bears_approval,
    default_ballot,
    default_parts,
    ladder_parts,
    refuse_hopeless,
    threshold,
)

FORMS = ("auto", "approval", "hard")
AnyVote = ApprovalVote | LadderVote


def calibrate_vote(
    epsilon: Fraction,
    delta: Fraction,
    *,
    size: int | None,
    parts: int | None = None,
    ballot: int | None = None,
    rows: int | None = None,
    form: str = "auto",
) -> AnyVote:
    """The vote with the numbers given, and a public rule for those that are not.

    ``size`` is that of the class, None where every part names one answer. Hard votes are taken where parts name one
    answer each and there are too few parts, or rows for them, to be heard by approval.

    >>> one = Fraction(1), Fraction(1, 10**6)
    >>> [(v.form, v.parts) for v in (calibrate_vote(*one, size=None, rows=n) for n in (500, 5000))]
    [('hard', 21), ('approval', 69)]
    """
    if form not in FORMS:
        raise ParameterError(f"form must be one of {', '.join(FORMS)}, got {form!r}")
    given = whole_or_none(ballot, "ballot", most=MOST_APPROVED)
    most = given or (1 if form == "hard" or size is None else default_ballot(size, epsilon))
    voters, rows = whole_or_none(parts, "parts", most=MOST_VOTERS), whole_or_none(rows, "rows", most=MOST_ROWS)
    if form == "hard" and most > 1:
        raise ParameterError("hard votes have one answer each: leave ballot out, or use form='approval'")
    if form == "hard" or (form == "auto" and most == 1 and _by_ladder(epsilon, delta, voters, rows)):
        return LadderVote.calibrate(epsilon=epsilon, delta=delta, parts=voters or ladder_parts(epsilon, delta))
    if voters is None:
        refuse_hopeless(epsilon, delta, most, rows)
        voters = default_parts(epsilon, delta, most, rows)
    return ApprovalVote.calibrate(epsilon=epsilon, delta=delta, parts=voters, most=most)


def _by_ladder(epsilon: Fraction, delta: Fraction, voters: int | None, rows: int | None) -> bool:
    """Whether so few parts are to be heard that only the ladder hears them."""
    if voters is not None:
        return voters < threshold(epsilon, delta, 1) and voters <= MOST_ON_LADDERS
    if rows is None or bears_approval(epsilon, delta, 1, rows):
        return False
    wanted = ladder_parts(epsilon, delta)
    return wanted <= MOST_ON_LADDERS and rows >= wanted * FEWEST_ROWS
