"""How far a privately chosen query is from the best one: one selection, error as a share of the rows.

``sensitivity`` is Δ, the comparison sensitivity: 2 under replace-one, 1 under add/remove-one (erratum E1).
Proofs are in docs/planning.md.
"""

from __future__ import annotations

from collections.abc import Callable
from math import erf, exp, expm1, log, log1p, pi, sqrt

from oracledp.bounds.order_statistics import (
    decreasing_root,
    gamma_quantile,
    gamma_tail,
    harmonic,
    top_sum_quantile,
    top_sum_tail,
    union_sum_quantile,
)
from oracledp.errors import ParameterError


# ---- Laplace noise on a separator set ------------------------------------------------------------
def rspm_separator(
    elements: int, *, epsilon: float, rows: float, beta: float, margin: int = 1, sensitivity: int = 2
) -> float:
    """The error is at most ||η||_1, a Gamma(m) in units of Δm/(rε); this is its exact quantile.

    >>> round(rspm_separator(10, epsilon=1, rows=10_000, beta=0.05), 4)
    0.0314
    """
    scale = sensitivity * elements / (margin * epsilon)
    return scale * gamma_quantile(elements, beta) / rows


def rspm_separator_mean(elements: int, *, epsilon: float, rows: float, margin: int = 1, sensitivity: int = 2) -> float:
    """The noise of the best query has mean zero and no query gains more than the negative part of η."""
    return sensitivity * elements**2 / (2 * margin * epsilon * rows)


# ---- one-sided noise on the parts of a query -------------------------------------------------------
def rspm_k_hot_union(hot: int, parts: int, *, epsilon: float, rows: float, beta: float, sensitivity: int = 2) -> float:
    """The note's form: (Δk²/ε) ln((m+k)/β)/n; ``parts`` is m + k, dummies counted."""
    return sensitivity * hot / epsilon * union_sum_quantile(hot, parts, beta) / rows


def rspm_k_hot(
    hot: int, parts: int, *, epsilon: float, rows: float, beta: float, sensitivity: int = 2, size: int | None = None
) -> float:
    """T6: (Δk/ε) times the exact quantile of the sum of the k greatest of ``parts`` exponentials.

    With the ``size`` of the class the union over its queries is tried too: better where few subsets are queries.

    >>> round(rspm_k_hot(3, 74, epsilon=1, rows=48842, beta=0.05), 5)
    0.00201
    """
    quantile = top_sum_quantile(hot, parts, beta)
    if size is not None:
        log_size = log(size)
        quantile = min(quantile, decreasing_root(lambda a: _union(hot, a, log_size), beta, start=quantile))
    return sensitivity * hot / epsilon * quantile / rows


def _union(hot: int, at: float, log_size: float) -> float:
    """|Q|·Pr[Gamma(k) > at], at most one."""
    tail = float(gamma_tail(hot, at))
    return exp(min(0.0, log_size + log(tail))) if tail > 0 else 0.0


def rspm_k_hot_tail(hot: int, parts: int, *, epsilon: float, rows: float, error: float, sensitivity: int = 2) -> float:
    """An upper bound on the probability of an error above ``error``: the inverse of :func:`rspm_k_hot`."""
    return top_sum_tail(hot, parts, error * rows * epsilon / (sensitivity * hot))


def rspm_k_hot_mean(hot: int, parts: int, *, epsilon: float, rows: float, sensitivity: int = 2) -> float:
    """The expected error: (Δk²/ε)(H_M - H_k)/n, as the best query's own noise has mean k."""
    return sensitivity * hot**2 / epsilon * (harmonic(parts) - harmonic(hot)) / rows


def report_noisy_min(size: int, *, epsilon: float, rows: float, beta: float, sensitivity: int = 2) -> float:
    """One-sided noise on every query: the k-hot bound with k = 1 and one part per query, in closed form.

    The best query's own noise counts for it, so the bound is on a difference: the greatest of |Q| - 1 others.
    """
    if size < 2:
        return 0.0
    return -sensitivity / epsilon * log(-expm1(log1p(-beta) / (size - 1))) / rows


# ---- Gaussian noise on a separator set ------------------------------------------------------------
def gaussian_rspm(elements: int, *, sigma: float, rows: float, beta: float) -> float:
    """For any σ: the error is at most ||η||_1, by Chernoff with E e^{θ|η|} = 2e^{θ²σ²/2}Φ(θσ)."""
    if sigma <= 0:
        raise ParameterError("sigma must be positive")
    return sigma * decreasing_root(lambda a: exp(-_rate(a / elements) * elements), beta, start=float(elements)) / rows


def gaussian_rspm_mean(elements: int, *, sigma: float, rows: float) -> float:
    """The expected error is at most the negative part of η: mσ/sqrt(2π)."""
    return elements * sigma / sqrt(2 * pi) / rows


def _rate(mean: float) -> float:
    """max over θ of θ·mean - ln(2e^{θ²/2}Φ(θ)), zero below the mean of |η|."""

    def value(theta: float) -> float:
        return theta * mean - theta**2 / 2 - log(1 + erf(theta / sqrt(2)))

    return max(0.0, value(_argmax(value, 0.0, mean + 1.0)))


def _argmax(value: Callable[[float], float], low: float, high: float) -> float:
    """The greatest of a concave function on an interval, by thirds."""
    for _ in range(100):
        third = (high - low) / 3
        low, high = (low + third, high) if value(low + third) < value(high - third) else (low, high - third)
    return (low + high) / 2


# ---- the exponential mechanism ---------------------------------------------------------------------
def exponential(log_size: float, *, epsilon: float, rows: float, beta: float, sensitivity: int = 2) -> float:
    """The exact worst case over all data: one query at the minimum, all others at the error that has tail β.

    >>> exponential(log(2), epsilon=1, rows=1, beta=0.5)
    0.0
    """
    others = log_size if log_size > 30 else log(max(exp(log_size) - 1, 1e-300))
    return max(0.0, sensitivity / epsilon * (others + log((1 - beta) / beta)) / rows)


def exponential_mean(log_size: float, *, epsilon: float, rows: float, sensitivity: int = 2) -> float:
    """E[error] <= (Δ/ε) ln|Q| / n: Gibbs' law minimises mean plus Δ/ε times minus entropy."""
    return sensitivity / epsilon * log_size / rows
