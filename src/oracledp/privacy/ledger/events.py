"""Charges as events of other accountants."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any

from oracledp.extras import optional
from oracledp.privacy.ledger.entries import Charge


def event_of(charge: Charge) -> dict[str, Any]:
    """The name of a ``dp_accounting`` event and its arguments.

    A pure ε charge becomes randomised response on two values with the same ε, which dominates every ε-DP mechanism
    (give the accountant the relation REPLACE_ONE), a concentrated one its ρ; any other charge with δ > 0 becomes an
    event that accountants reject rather than guess at.

    >>> from fractions import Fraction
    >>> event_of(Charge(epsilon=Fraction(1), delta=Fraction(0), mechanism="synthesizer", rho=Fraction(1, 2)))
    {'event': 'ZCDpEvent', 'rho': 0.5}
    """
    if charge.rho is not None and not charge.rho_delta:
        return {"event": "ZCDpEvent", "rho": float(charge.rho)}
    if charge.delta:
        return {"event": "UnsupportedDpEvent"}
    noise = 2 / (1 + exp(float(charge.epsilon)))
    return {"event": "RandomizedResponseDpEvent", "noise_parameter": noise, "num_buckets": 2}


def as_event(charges: Sequence[Charge]) -> Any:
    """One composed event of ``dp_accounting``."""
    accounting = optional("dp_accounting", extra="accounting")

    def made(event: str, **arguments: Any) -> Any:
        return getattr(accounting, event)(**arguments)

    return accounting.ComposedDpEvent([made(**event_of(charge)) for charge in charges])
