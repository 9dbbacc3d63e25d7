"""A certified upper bound on the delta of Gaussian RSPM: Theorem 2 in integers (proofs/gaussian-rspm.md)."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import erf, isqrt, log, sqrt

from oracledp.errors import ParameterError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.privacy.accounting import exp_above, zcdp_delta

BITS = 96
MOST_SUMMED = 1 << 22  # above this variance the norm's law is not summed up term by term: the union bound is left


def gaussian_delta(*, epsilon: Fraction, variance: int, shift: int, elements: int, size: int) -> Fraction:
    """An upper bound on delta for discrete Gaussian noise of this variance on a separator set.

    ``shift`` is the witness's step on each element, ``size`` the number of queries. The smaller of two bounds:
    a union over queries of one Gaussian shift each, and a Chernoff bound on the L1 norm of the noise.
    """
    return min(
        Fraction(1),
        _union_bound(epsilon, variance, shift, elements, size),
        _norm_bound(epsilon, variance, shift, elements),
    )


def _union_bound(epsilon: Fraction, variance: int, shift: int, elements: int, size: int) -> Fraction:
    """|Q| times the delta of one Gaussian shift, ρ = m·shift²/(2·variance)."""
    return size * zcdp_delta(Fraction(elements * shift * shift, 2 * variance), epsilon)


def _norm_bound(epsilon: Fraction, variance: int, shift: int, elements: int) -> Fraction:
    """Pr[||η||_1 > c] with c = (2·variance·ε - m·shift²)/(2·shift), by Chernoff at θ = s/variance, s an integer.

    E e^{θ|η|} <= 2 e^{s²/(2·variance)} (1 - tail(s+1)/Z), where tail and Z sum e^{-x²/(2·variance)}.
    """
    c = (2 * variance * epsilon - elements * shift * shift) / (2 * shift)
    if c <= 0 or variance > MOST_SUMMED:
        return Fraction(1)
    centre = _best_tilt(float(c) / elements, sqrt(variance))
    best = Fraction(1)
    for s in {max(1, centre + step) for step in (-1, 0, 1)}:
        exponent = s * c / variance - Fraction(elements * s * s, 2 * variance)
        if exponent > 0:
            factor = 2 * (1 - _tail_share_below(s + 1, variance))
            best = min(best, factor**elements * exp_above(exponent))
    return best


def _best_tilt(mean: float, sigma: float) -> int:
    """A float guess of the best s; any s gives a valid bound."""

    def exponent(s: float) -> float:
        share = 0.5 * (1 + erf(s / sigma / sqrt(2)))
        return s * mean / sigma**2 - s * s / (2 * sigma**2) - log(2 * share)

    grid = [sigma * k / 40 for k in range(1, 161)]
    best: float = max(grid, key=exponent)
    return max(1, round(best))


@lru_cache(maxsize=4096)
def _tail_share_below(start: int, variance: int) -> Fraction:
    """A lower bound on Pr[η >= start] for the discrete Gaussian: floors above, ceilings and a tail below."""
    reach = 12 * (isqrt(variance) + 1)
    floors = [exp_enclosure(Fraction(x * x, 2 * variance), BITS)[0] for x in range(reach + 1)]
    # Beyond the reach the terms fall faster than a geometric series of ratio e^{-reach/variance}.
    ratio = Fraction(exp_enclosure(Fraction(reach, variance), BITS)[1], 1 << BITS)
    beyond = int((floors[-1] + 1) / (1 - ratio)) + 1
    whole = 2 * sum(value + 1 for value in floors) + 2 * beyond
    return Fraction(sum(floors[start:]), whole)


def calibrate_variance(*, epsilon: Fraction, delta: Fraction, shift: int, elements: int, size: int) -> int:
    """The least integer variance (to one part in a hundred) whose certified delta is at most ``delta``."""

    def enough(variance: int) -> bool:
        return gaussian_delta(epsilon=epsilon, variance=variance, shift=shift, elements=elements, size=size) <= delta

    high = max(2, int((shift * elements / float(epsilon)) ** 2 / 4))
    while not enough(high):
        high *= 2
        if high > 1 << 60:
            raise ParameterError("no Gaussian noise of reasonable size reaches this delta")
    low = high // 2
    while low > 1 and enough(low):
        low, high = low // 2, low
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def paper_variance(*, epsilon: Fraction, delta: Fraction, elements: int) -> float:
    """The paper's σ² = (3.5)² m ln(1/δ)/ε², which does not give (ε, δ)-DP (erratum E2); for comparison only."""
    return 3.5**2 * elements * log(1 / float(delta)) / float(epsilon) ** 2
