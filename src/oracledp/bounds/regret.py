"""The data player's average regret: Context-FTPL with explicit constants.

Follow-the-perturbed-leader's theorem (docs/barrier.md): a learner that plays the exact minimiser of past losses plus
fresh noise Z, and whose choice is ε-DP when one loss is *added*, has average regret at most (1 - e^-ε) + B/T with
B = max_q E[Z_q] - E[min_q Z_q], against adaptive adversaries too.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log1p, sqrt

from oracledp.errors import ParameterError


@dataclass(frozen=True)
class FtplRegret:
    """The scale μ of the Laplace noise and the average regret that it guarantees."""

    scale: float
    regret: float


def context_ftpl(elements: int, log_size: float, *, rounds: float, scale: float | None = None) -> FtplRegret:
    """Noise Lap(μ) on a separator of m elements is (m/μ)-DP for one added loss, so Reg/T <= m/μ + Bμ/T.

    Without ``scale`` the best one, μ = sqrt(mT/B).

    >>> round(context_ftpl(10, 7.0, rounds=10_000).regret, 3)
    0.139
    """
    if rounds <= 0:
        raise ParameterError("rounds must be positive")
    maximum = laplace_sum_maximum(elements, log_size)
    chosen = sqrt(elements * rounds / maximum) if scale is None else scale
    return FtplRegret(chosen, min(1.0, -expm1(-elements / chosen) + maximum * chosen / rounds))


def laplace_sum_maximum(terms: int, log_size: float) -> float:
    """An upper bound on E max of N sums of at most ``terms`` unit Laplace variables.

    The smaller of terms/2 (every positive part) and min over θ of (ln N - terms·ln(1-θ²))/θ (moments).
    """
    low, high = 1e-9, 1 - 1e-9

    def value(theta: float) -> float:
        return (log_size - terms * log1p(-(theta**2))) / theta

    for _ in range(100):
        third = (high - low) / 3
        low, high = (low, high - third) if value(low + third) < value(high - third) else (low + third, high)
    return min(terms / 2, value((low + high) / 2))
