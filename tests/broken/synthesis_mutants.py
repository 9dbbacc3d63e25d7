"""Broken synthesis runs: each claims what the right one claims, and the front door must refute it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from broken.at_the_front_door import TIER, Change, seen, wrapped
from broken.mutants import Mutant
from oracledp.synthesis import measurements
from oracledp.synthesis.measurements import Meter


def _noise_for(squared: Any) -> Change:
    """Noise for another squared sensitivity than the right one."""
    return wrapped(Meter, "_noisy", lambda noisy, self, counts, right, rho: noisy(self, counts, squared(right), rho))


def _free_selection(charge: Any, self: Any, queries: Any, schema: Any, proposal: Any, total: int, rho: Fraction) -> Any:
    """A selection at many times what it is charged."""
    self.spent -= 8 * rho
    return charge(self, queries, schema, proposal, total, 9 * rho)


def _private_total(select: Any, self: Any, queries: Any, schema: Any, proposal: Any, total: int, rho: Fraction) -> Any:
    """A proposal weighted by the exact number of records (P8)."""
    return select(self, queries, schema, proposal, 3 * int(self._counted[1].sum()), rho)


ROUNDS_ADD, ROUNDS_REPLACE = "synthesizer / rounds / add-remove", "synthesizer / rounds / replace-one"
SYNTHESIS_MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "synthesis-half-sensitivity",
        "counts with noise for half their squared sensitivity",
        lambda: seen("synthesizer / replace-one", _noise_for(lambda right: Fraction(right, 2))),
        TIER,
    ),
    Mutant(
        "synthesis-one-change",
        "a replaced record taken for one change",
        lambda: seen("synthesizer / replace-one", _noise_for(lambda right: 1)),
        TIER,
    ),
    Mutant(
        "synthesis-free-selection",
        "selections that are not charged",
        lambda: seen(ROUNDS_ADD, wrapped(Meter, "select", _free_selection)),
        TIER,
    ),
    Mutant(
        "synthesis-private-total",
        "a proposal weighted by the private number of records (P8)",
        lambda: seen(ROUNDS_ADD, wrapped(Meter, "select", _private_total)),
        TIER,
    ),
    Mutant(
        "synthesis-selection-rate",
        "a selection at add/remove-one's rate under replace-one",
        lambda: seen(ROUNDS_REPLACE, wrapped(measurements, "sqrt_below", lambda root, square: 2 * root(square))),
        TIER,
    ),
)
