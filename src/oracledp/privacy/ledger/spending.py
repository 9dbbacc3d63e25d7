"""How charges add up, and when one more is allowed: plain sums, and privacy filters on curves (proofs/budget.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from oracledp.errors import BudgetExceeded
from oracledp.exact.numbers import show
from oracledp.privacy.accounting import zcdp_delta, zcdp_rho
from oracledp.privacy.ledger.entries import Charge, Terms
from oracledp.privacy.ledger.limits import Limit, in_time

_GRID = 1 << 20  # totals are rounded up to multiples of 2^-20


@dataclass(frozen=True)
class Spending:
    """The sums of some charges: ε and δ, and ρ and δ as approximate zero-concentrated privacy.

    >>> Spending.of([Charge(epsilon=Fraction(1, 10), delta=Fraction(0), mechanism="rspm")] * 100).rho
    Fraction(1, 2)
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    rho_delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, charges: Iterable[Charge]) -> Spending:
        """Add up charges."""
        total = cls()
        for charge in charges:
            total = total.plus(charge)
        return total

    def plus(self, charge: Charge) -> Spending:
        """One charge more."""
        rho, rho_delta = concentrated(charge)
        return Spending(
            self.epsilon + charge.epsilon, self.delta + charge.delta, self.rho + rho, self.rho_delta + rho_delta
        )

    def within_sums(self, epsilon: Fraction, delta: Fraction) -> bool:
        """Whether basic composition keeps to (ε, δ)."""
        return self.epsilon <= epsilon and self.delta <= delta

    def within(self, terms: Terms) -> bool:
        """Whether the ledger's filter lets the charges through (proofs/budget.md, Theorem 1)."""
        if terms.accountant == "plain":
            return self.within_sums(terms.epsilon, terms.delta)
        quarter = terms.delta / 4
        return self.within_sums(terms.epsilon, terms.delta / 2) or (
            self.rho_delta <= quarter and self.rho <= zcdp_rho(terms.epsilon, quarter)
        )

    def used(self, terms: Terms) -> Fraction:
        """How much of the budget is gone: from 1 on the filter lets nothing more through."""
        sums = self.epsilon / terms.epsilon
        if terms.accountant == "plain":
            return max(sums, self.delta / terms.delta if terms.delta else Fraction(0))
        quarter = terms.delta / 4
        curves = max(self.rho / zcdp_rho(terms.epsilon, quarter), self.rho_delta / quarter)
        return min(curves, max(sums, 2 * self.delta / terms.delta))

    def concentrated_total(self, delta: Fraction) -> Fraction | None:
        """The smallest multiple of 2^-20 at which the charges are certified to be (ε, δ)-DP by their curves."""
        left = delta - self.rho_delta
        if left <= 0:
            return None
        high = 1
        while zcdp_delta(self.rho, Fraction(high, _GRID)) > left:
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if zcdp_delta(self.rho, Fraction(middle, _GRID)) <= left else (middle, high)
        return Fraction(high, _GRID)


def concentrated(charge: Charge) -> tuple[Fraction, Fraction]:
    """The ρ and δ of a charge as approximate zCDP: its own, or min(ε²/2, ε) and δ, which follow from (ε, δ)-DP."""
    if charge.rho is not None:
        return charge.rho, charge.rho_delta or Fraction(0)
    return min(charge.epsilon**2 / 2, charge.epsilon), charge.delta


def refuse_beyond(terms: Terms, limits: Sequence[Limit], charges: Sequence[Charge], new: Charge, place: str) -> None:
    """Refuse a charge that the budget or a limit does not bear."""
    spent = Spending.of(charges)
    if not spent.plus(new).within(terms):
        left = terms.epsilon - spent.epsilon, terms.delta - spent.delta
        curves = "" if terms.accountant == "plain" else " (in plain sums; the curves do not bear it either)"
        raise BudgetExceeded(
            f"the budget does not allow ({show(new.epsilon)}, {show(new.delta)}): "
            f"({show(left[0])}, {show(left[1])}) is left in {place}{curves}"
        )
    bound = [limit for limit in in_force(limits) if limit.covers(new)]
    *earlier, latest = in_time((*charges, new)) if bound else (new,)
    for limit in bound:
        counted = Spending.of(old for old in earlier if limit.shares(old, latest))
        if not counted.plus(new).within_sums(limit.epsilon, limit.delta):
            left = limit.epsilon - counted.epsilon, limit.delta - counted.delta
            raise BudgetExceeded(
                f"a limit does not allow ({show(new.epsilon)}, {show(new.delta)}): "
                f"({show(left[0])}, {show(left[1])}) is left of [{limit.words}] in {place}"
            )


def in_force(limits: Iterable[Limit]) -> tuple[Limit, ...]:
    """The last limit of every scope."""
    return tuple({limit.scope: limit for limit in limits}.values())
