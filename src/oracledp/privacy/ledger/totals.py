"""What all charges cost together, by the tightest of several certified accountants (proofs/budget.md, Theorem 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from oracledp.errors import BudgetExceeded
from oracledp.exact.numbers import show
from oracledp.privacy.ledger.entries import Charge
from oracledp.privacy.ledger.spending import Spending
from oracledp.privacy.loss_law import LossLaw

MOST_CHARGES = 20_000  # whose losses are laid on one grid: more take minutes


@dataclass(frozen=True)
class Total:
    """An ε at which charges whose parameters were fixed in advance are (ε, δ)-DP together, and who certified it.

    ``by`` is "sums" (Σε), "curves" (zero-concentrated) or "losses" (the law of privacy losses, which for pure charges
    is what Kairouz, Oh and Viswanath proved to be exact, rounded up).
    """

    epsilon: Fraction
    by: str


def total(charges: Sequence[Charge], delta: Fraction) -> Total:
    """The least that is certified; never above the plain sum, where that one's δ allows it.

    >>> pure = Charge(epsilon=Fraction(1, 10), delta=Fraction(0), mechanism="rspm")
    >>> found = total([pure] * 200, Fraction(1, 10**6))
    >>> round(float(found.epsilon), 1), found.by
    (7.2, 'losses')
    """
    spending = Spending.of(charges)
    found: list[Total] = []
    if spending.delta <= delta:
        found.append(Total(spending.epsilon, "sums"))
    curves = spending.concentrated_total(delta)
    found += [] if curves is None else [Total(curves, "curves")]
    if charges and delta > 0 and len(charges) <= MOST_CHARGES:
        found += [Total(losses, "losses") for losses in _by_losses(charges, delta)]
    if not found:
        raise BudgetExceeded(f"delta {show(delta)} is less than the charges cost: {show(spending.delta)}")
    return min(found, key=lambda one: one.epsilon)


def _by_losses(charges: Sequence[Charge], delta: Fraction) -> list[Fraction]:
    """With charges that have a curve beside the others, and with all of them by their ε and δ."""
    curved = Spending.of(charge for charge in charges if charge.rho is not None)
    plain = [charge for charge in charges if charge.rho is None]
    found: list[Fraction | None] = []
    if plain:
        left = delta - curved.rho_delta - sum((charge.delta for charge in plain), Fraction(0))
        found.append(_law(plain).epsilon(left, curved.rho) if left > 0 else None)
    if curved.rho and curved.epsilon <= 4 * len(charges):
        left = delta - sum((charge.delta for charge in charges), Fraction(0))
        found.append(_law(charges).epsilon(left) if left > 0 else None)
    return [epsilon for epsilon in found if epsilon is not None]


def _law(charges: Sequence[Charge]) -> LossLaw:
    return LossLaw.of([charge.epsilon for charge in charges])
