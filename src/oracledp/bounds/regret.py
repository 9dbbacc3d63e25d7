"""Average regret of online learners: follow the private leader, Context-FTPL, multiplicative weights.

The corrected theorem (docs/barrier.md): a learner that plays the exact minimiser of past losses plus fresh
noise Z, and whose choice is (ε,δ)-DP when one loss is *added*, has average regret at most
(1 - e^-ε) + e^-ε δ + B/T with B = max_q E[Z_q] - E[min_q Z_q], against adaptive adversaries too.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p, pow, sqrt

from oracledp.bounds.order_statistics import harmonic
from oracledp.errors import ParameterError

_EULER = 0.5772156649015329


def private_leader_paper(*, epsilon: float, delta: float, sup_norm: float, rounds: float) -> float:
    """The barrier section's theorem with its proof's constants: 2ε + δ + (2+4ε)·E||Z||_∞/T."""
    return 2 * epsilon + delta + (2 + 4 * epsilon) * sup_norm / rounds


def private_leader(
    *, epsilon: float, spread: float, rounds: float, delta: float = 0.0, best_loss: float | None = None
) -> float:
    """Corrected; ``spread`` is B, ``best_loss`` the average loss of the best query where it is known to be small.

    >>> round(private_leader(epsilon=0.1, spread=50.0, rounds=5000), 4)
    0.1052
    """
    always = -expm1(-epsilon) + exp(-epsilon) * delta + spread / rounds
    if best_loss is None:
        return always
    return min(always, expm1(epsilon) * best_loss + exp(epsilon) * spread / rounds + delta)


# ---- B for the perturbations of the library, ε-DP when one loss in [0,1] is added ---------------------
def noisy_min_spread(size: int, *, epsilon: float) -> float:
    """One-sided exponential noise of scale 1/ε on every query: (H_N - 1)/ε."""
    return (harmonic(size) - 1) / epsilon


def gumbel_spread(log_size: float, *, epsilon: float) -> float:
    """The exponential mechanism as a perturbation: Gumbel noise of scale 1/ε, spread ln N/ε."""
    return log_size / epsilon


def k_hot_spread(hot: int, parts: int, *, epsilon: float) -> float:
    """One-sided noise of scale k/ε on the parts: (k²/ε)(H_M - H_k)."""
    return hot**2 / epsilon * (harmonic(parts) - harmonic(hot))


def separator_spread(elements: int, log_size: float, *, epsilon: float) -> float:
    """Laplace noise of scale m/ε on a separator set: the maximum of N sums of at most m terms."""
    return elements / epsilon * laplace_sum_maximum(elements, log_size)


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


# ---- Context-FTPL -------------------------------------------------------------------------------------
@dataclass(frozen=True)
class FtplRegret:
    """The scale μ of the Laplace noise and the average regret that it guarantees."""

    scale: float
    regret: float


def context_ftpl_paper(elements: int, log_size: float, *, rounds: float) -> float:
    """m^{3/4}·sqrt(ln N / T), the paper's O(.) with constant one."""
    return pow(elements, 0.75) * sqrt(log_size / rounds)


def context_ftpl(elements: int, log_size: float, *, rounds: float, scale: float | None = None) -> FtplRegret:
    """Corrected: noise Lap(μ) on a separator of m elements is (m/μ)-DP for one added loss, so Reg/T <= m/μ + Bμ/T.

    Without ``scale`` the best one, μ = sqrt(mT/B).

    >>> round(context_ftpl(10, 7.0, rounds=10_000).regret, 3)
    0.139
    """
    if rounds <= 0:
        raise ParameterError("rounds must be positive")
    maximum = laplace_sum_maximum(elements, log_size)
    chosen = sqrt(elements * rounds / maximum) if scale is None else scale
    return FtplRegret(chosen, min(1.0, -expm1(-elements / chosen) + maximum * chosen / rounds))


def multiplicative_weights(log_size: float, *, rounds: float) -> float:
    """Hedge with its best fixed rate: sqrt(ln N / (2T))."""
    return sqrt(log_size / (2 * rounds))


def multiplicative_weights_rounds(log_size: float, *, error: float) -> float:
    """The rounds after which Hedge's average regret is at most ``error``."""
    return log_size / (2 * error**2)


def hard_game_time(size: int) -> float:
    """The lower bound √N/log³N of the barrier with constant one: the time any oracle-efficient player needs."""
    return sqrt(size) / max(1.0, log(size)) ** 3 if size > 1 else inf


def gumbel_sup_norm(log_size: float, *, epsilon: float) -> float:
    """E max Gumbel, (ln N + γ)/ε: what the paper's form is evaluated with."""
    return (log_size + _EULER) / epsilon
