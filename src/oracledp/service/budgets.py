"""What a budget is, what is gone of it, and what that means for one person: the words follow the numbers."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil

from oracledp.exact.numbers import show
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Charge, Ledger, Spending
from oracledp.privacy.ledger.totals import total
from oracledp.report.page import Html, bar, grid
from oracledp.report.words import odds, protection
from oracledp.service.store import DataSet

TOGETHER = "Together: by the tightest accountant, had all charges been fixed in advance; it lets nothing through."


def budget_table(known: DataSet, ledger: Ledger) -> str:
    """Whole, spent and left, and what the first two mean for one person: the words follow the numbers."""
    one = "row" if known.person is None else "person"
    relation = Neighbours.parse(ledger.terms.neighbours)

    def meaning(pair: tuple[Fraction, Fraction]) -> tuple[str, str]:
        if pair[0] == 0:
            return "50 %", "nothing can be learned"
        promised = Guarantee(epsilon=pair[0], delta=pair[1], neighbours=relation, proof="composition")
        return odds(promised), protection(pair[0])

    terms, made = ledger.terms, ledger.charges
    spent = Spending.of(made)
    whole, sums = (terms.epsilon, terms.delta), (spent.epsilon, spent.delta)
    rows = [("whole", *_pair(whole), *meaning(whole)), ("spent, plain sums", *_pair(sums), *meaning(sums))]
    if terms.delta > 0 and len(made) > 1:
        together = _together(made, terms.delta)
        rows.append(("spent, together", *_pair(together), *meaning(together)))
    if terms.accountant == "plain":
        rows.append(("left", *_pair((whole[0] - sums[0], whole[1] - sums[1])), "", ""))
    note = f"A guess: someone who knows every other {one} tosses a coin about this one, and is right half of the time."
    how = {
        "plain": "Releases are let through as long as plain sums stay within the whole.",
        "curves": "Releases are let through by plain sums or by their curves, whichever bears more.",
    }[terms.accountant]
    full = used(spent.used(terms)).text
    table = grid(("", "ε", "δ", "guess right at most", ""), rows, numbers=(1, 2, 3), caption="Whole and spent")
    told = "" if len(rows) < 3 or "together" not in rows[2][0] else f" {TOGETHER}"
    return f"{full}{table}<p>{note} {how}{told}</p>"


@lru_cache(maxsize=64)
def _together(made: tuple[Charge, ...], delta: Fraction) -> tuple[Fraction, Fraction]:
    """What charges cost together, rounded up; kept, since a thousand of them take most of a second."""
    return Fraction(ceil(total(made, delta).epsilon * 10**4), 10**4), delta


def used(share: Fraction) -> Html:
    """How much of a budget is gone, as a bar and a number that is never rounded down."""
    percent = ceil(1000 * share) / 10
    return Html(f'<p class="used">{percent:g} % used</p><div class="track">{bar(float(share)).text}</div>')


def _pair(pair: tuple[Fraction, Fraction]) -> tuple[str, str]:
    return short(pair[0]), short(pair[1])


def short(number: Fraction) -> str:
    """A number as a reader takes it in; the ledger has it exactly."""
    return show(number) if number.denominator < 10**7 and len(show(number)) < 12 else f"{float(number):.4g}"
