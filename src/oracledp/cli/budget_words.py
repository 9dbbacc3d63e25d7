"""What ``oracledp budget`` says about charges, in lines and in plain values."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from oracledp.privacy.ledger import Charge, Ledger
from oracledp.privacy.ledger.entries import Delivered
from oracledp.privacy.ledger.totals import total

NOTHING = "nothing delivered"


def delivery(charge: Charge, delivered: Mapping[str, Delivered]) -> dict[str, str]:
    """The digest of what came of a charge; nothing for charges of which the ledger expects no files."""
    found = delivered.get(charge.release or "")
    if found is None:
        return {"delivered": NOTHING} if charge.hashed else {}
    return {"delivered": found.digest}


def line_of(charge: Charge, delivery: Mapping[str, str]) -> str:
    """A charge in a line, with what a reader of the ledger must not overlook."""
    person = None if charge.person is None else f"per {charge.person}"
    said = [charge.time, charge.actor, charge.dataset, charge.purpose, person]
    seeded = "" if charge.private else " (seeded: that release is NOT PRIVATE)"
    about = ", ".join(part for part in said if part)
    spent = f"{charge.mechanism}: epsilon {charge.epsilon}, delta {charge.delta}{seeded}"
    unseen = f": {NOTHING}" if NOTHING in delivery.values() else ""
    return (f"{spent} [{about}]" if about else spent) + unseen


def composed_of(ledger: Ledger) -> dict[str, Any] | None:
    """What all charges cost together by the tightest accountant, beside their sum."""
    delta, charges = ledger.terms.delta, ledger.charges
    if delta == 0 or len(charges) < 2:
        return None
    found = total(charges, delta)
    rounded = ceil(found.epsilon * 10**6) / 10**6
    return {"epsilon": rounded, "delta": float(delta), "by": found.by, "sum": float(ledger.spent[0])}


def curves_of(ledger: Ledger) -> dict[str, float] | None:
    """How full the filter of curves is."""
    terms, spending = ledger.terms, ledger.spending
    if terms.accountant != "curves":
        return None
    return {"used": float(spending.used(terms)), "rho": float(spending.rho)}


def pair_of(pair: tuple[Fraction, Fraction]) -> dict[str, str]:
    """ε and δ as exact texts."""
    return {"epsilon": str(pair[0]), "delta": str(pair[1])}


def harmless(value: Any) -> Any:
    """A text that a spreadsheet does not take for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value[:1] else value
