"""Composition in exact arithmetic: zCDP to (ε, δ), and many rounds of pure DP (proofs/composition.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, exp, inf, lgamma, log

from oracledp.errors import ParameterError
from oracledp.exact.exponentials import exp_enclosure

BITS = 128
GRID = 1 << 40  # parameters are rounded down to a relative 2^-40
_GRAIN = 2**40  # budgets are split into multiples of rho / 2^40, rounded down
_LARGEST = Fraction(2000)  # exponents: exact exponentials of larger ones take long and change nothing


def exp_above(x: Fraction) -> Fraction:
    """A fraction just above e^-x, for x >= 0; from x = 2000 on the same one, far below every delta."""
    x = min(x, _LARGEST)
    bits = BITS + 2 * int(x)
    return Fraction(exp_enclosure(x, bits)[1], 1 << bits)


def exp_below(x: Fraction) -> Fraction:
    """A fraction just below e^-x, for x >= 0; zero from x = 2000 on."""
    if x >= _LARGEST:
        return Fraction(0)
    bits = BITS + 2 * int(x)
    return Fraction(exp_enclosure(x, bits)[0], 1 << bits)


def zcdp_delta(rho: Fraction, epsilon: Fraction) -> Fraction:
    """An upper bound on the δ that ρ-zCDP gives at ε: min over integers α of e^{(α-1)(αρ-ε)} (α-1)^(α-1)/α^α.

    >>> float(zcdp_delta(Fraction(24, 1000), Fraction(1))) < 1e-6
    True
    """
    if rho == 0:
        return Fraction(0)
    best, guess = Fraction(1), max(2, round((epsilon + rho) / (2 * rho)))
    for alpha in range(max(2, guess - 2), guess + 3):
        exponent = (alpha - 1) * (epsilon - alpha * rho)
        if exponent > 0:
            best = min(best, exp_above(exponent) * _power_ratio(alpha))
    return best


def _power_ratio(alpha: int) -> Fraction:
    """An upper bound on (α-1)^(α-1)/α^α, with small numbers for large α."""
    if alpha > 2000:
        return Fraction(1, 2 * alpha)  # (1-1/α)^(α-1) <= 1/2 for α >= 2
    return Fraction((alpha - 1) ** (alpha - 1), alpha**alpha)


@lru_cache(maxsize=256)
def zcdp_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest ρ (rounded down) for which ρ-zCDP is certified to be (ε, δ)-DP.

    >>> round(float(zcdp_rho(Fraction(1), Fraction(1, 10**6))), 4)
    0.0244
    """
    return _largest(lambda rho: zcdp_delta(rho, epsilon) <= delta, float(epsilon))


def homogeneous_delta(per_round: Fraction, rounds: int, epsilon: Fraction) -> Fraction:
    """An upper bound on the exact δ at ε of ``rounds`` adaptive ``per_round``-DP mechanisms (Kairouz, Oh, Viswanath).

    Randomised response is the worst case: δ = sum_l C(T,l) [r^l - e^ε r^(T-l)]_+ / (1+r)^T with r = e^-ε0.
    """
    r = exp_below(per_round)  # a little more privacy loss per round: δ grows as r falls
    inverse = exp_above(epsilon)  # e^-ε from above, so e^ε from below
    a, b = r.numerator, r.denominator
    total = Fraction(0)
    for wins in range(rounds // 2 + 1):
        first = a**wins * b ** (rounds - wins)  # r^l, times b^T
        second = Fraction(a ** (rounds - wins) * b**wins) / inverse
        if first > second:
            total += comb(rounds, wins) * (first - second)
    return total / int((a + b) ** rounds)


@lru_cache(maxsize=256)
def homogeneous_epsilon(epsilon: Fraction, delta: Fraction, rounds: int) -> Fraction:
    """The largest ε0 (rounded down) such that ``rounds`` rounds of ε0-DP are certified to be (ε, δ)-DP.

    >>> round(float(homogeneous_epsilon(Fraction(1), Fraction(1, 10**6), 10)), 3)
    0.1
    """
    if rounds < 1:
        raise ParameterError("rounds must be at least 1")
    plain: Fraction = epsilon / rounds
    if delta == 0 or rounds == 1:
        return plain
    guess = _bisect(lambda e: _float_homogeneous(e, rounds, float(epsilon)) <= float(delta), float(epsilon))
    for slack in (20, 16, 12, 8):
        candidate = Fraction(int(guess * (1 - 2.0**-slack) * GRID), GRID)
        if candidate > plain and homogeneous_delta(candidate, rounds, epsilon) <= delta:
            return candidate
    return plain


def _float_homogeneous(per_round: float, rounds: int, epsilon: float) -> float:
    """The same δ in floats: a guess for the search, never a certificate."""
    total, norm = 0.0, rounds * log(1 + exp(-per_round))
    for wins in range(rounds // 2 + 1):
        ways = lgamma(rounds + 1) - lgamma(wins + 1) - lgamma(rounds - wins + 1) - norm
        gap = epsilon - (rounds - 2 * wins) * per_round
        if gap < 0:
            total += exp(ways - wins * per_round) * (1 - exp(gap))
    return total


def _bisect(fits: Callable[[float], bool], high: float) -> float:
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _largest(fits: Callable[[Fraction], bool], scale: float) -> Fraction:
    """The largest multiple of scale·2^-24 or so that fits, for a condition that small numbers meet."""
    high = Fraction(int(min(scale, inf) * GRID) + 1, GRID)
    low = Fraction(0)
    for _ in range(48):
        middle = Fraction(int((low + high) / 2 * GRID), GRID)
        low, high = (middle, high) if fits(middle) else (low, middle)
        if high - low <= max(low / (1 << 22), Fraction(1, GRID)):
            break
    if low == 0:
        raise ParameterError("epsilon and delta are too small for any noise")
    return low


def split(rho: Fraction, weights: Sequence[float]) -> list[Fraction]:
    """Exact parts of a budget in proportion to float weights; the meter refuses should their sum ever exceed it.

    >>> sum(split(Fraction(1), [3.0, 0.0, 1.0])) <= 1
    True
    """
    total = sum(weights)
    return [
        rho * Fraction(max(int(_GRAIN * weight / total * (1 - 1e-7)), 1), _GRAIN) if weight > 0 else Fraction(0)
        for weight in weights
    ]
