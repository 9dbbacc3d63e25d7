"""Average regret of private leaders and of Hedge, and how long any player with an oracle needs.

The corrected theorem (docs/barrier.md): a learner that plays the exact minimiser of past losses plus fresh
noise Z, and whose choice is (ε,δ)-DP when one loss is *added*, has average regret at most
(1 - e^-ε) + e^-ε δ + B/T with B = max_q E[Z_q] - E[min_q Z_q], against adaptive adversaries too.
"""

from __future__ import annotations

from math import exp, expm1, inf, log, sqrt

from oracledp.bounds.order_statistics import harmonic
from oracledp.bounds.regret import laplace_sum_maximum


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


# ---- others --------------------------------------------------------------------------------------------
def multiplicative_weights(log_size: float, *, rounds: float) -> float:
    """Hedge with its best fixed rate: sqrt(ln N / (2T))."""
    return sqrt(log_size / (2 * rounds))


def multiplicative_weights_rounds(log_size: float, *, error: float) -> float:
    """The rounds after which Hedge's average regret is at most ``error``."""
    return log_size / (2 * error**2)


def hard_game_time(size: int) -> float:
    """The lower bound √N/log³N of the barrier with constant one: the time any oracle-efficient player needs."""
    return sqrt(size) / max(1.0, log(size)) ** 3 if size > 1 else inf
