"""Tails and quantiles of sums of exponentials: what one-sided noise can do at worst, exactly (T6).

The k largest of M independent exponentials sum to k·Y + G, with Y the (k+1)-th largest and G an independent
Gamma(k): past Y the k largest start afresh. So the tail is one integral of a smooth function, and needs none of the
alternating sums of the hypoexponential law.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import inf, lgamma, log

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_PANELS = 48
_REACH = 45.0  # e^-45 is below every probability that is asked for


def harmonic(count: int) -> float:
    """1 + 1/2 + … + 1/count.

    >>> round(harmonic(4), 6)
    2.083333
    """
    if count < 100:
        return sum(1 / i for i in range(1, count + 1))
    return log(count) + 0.5772156649015329 + 1 / (2 * count) - 1 / (12 * count**2)


def gamma_tail(shape: int, at: Floats | float) -> Floats:
    """Pr[G > at] for G the sum of ``shape`` unit exponentials.

    >>> round(float(gamma_tail(1, 2.0)), 6)
    0.135335
    """
    x = np.atleast_1d(np.asarray(at, dtype=np.float64))
    j = np.arange(shape)
    constants = np.array([lgamma(i + 1) for i in range(shape)])
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = j * np.log(np.maximum(x, 1e-300))[:, None] - x[:, None] - constants
    tail = np.where(x <= 0, 1.0, np.exp(np.minimum(terms, 0.0)).sum(axis=1))
    return np.asarray(np.minimum(tail, 1.0).reshape(np.shape(at)))


@lru_cache(maxsize=1024)
def gamma_quantile(shape: int, beta: float) -> float:
    """The a with Pr[G > a] = β for G the sum of ``shape`` unit exponentials."""
    return decreasing_root(lambda a: float(gamma_tail(shape, a)), beta, start=shape + 1.0)


def top_sum_mean(largest: int, count: int) -> float:
    """The mean of the sum of the ``largest`` greatest of ``count`` unit exponentials: k(1 + H_M - H_k).

    >>> top_sum_mean(2, 2)
    2.0
    """
    return largest * (1 + harmonic(count) - harmonic(largest))


def top_sum_tail(largest: int, count: int, at: float) -> float:
    """Pr[the ``largest`` greatest of ``count`` unit exponentials sum to more than ``at``], to about twelve digits.

    >>> round(top_sum_tail(1, 1000, 9.0), 6) == round(1 - (1 - 2.718281828459045**-9) ** 1000, 6)
    True
    """
    if not 1 <= largest <= count:
        raise ParameterError("a top sum needs 1 <= largest <= count")
    if at <= 0:
        return 1.0
    if largest == count:
        return float(gamma_tail(largest, at))
    edge = at / largest
    low = max(0.0, log(count / (largest + 1)) - 8.0)
    if edge <= low:
        return 1.0
    below = _integral(low, edge, lambda y: _density(largest, count, y) * gamma_tail(largest, at - largest * y))
    return min(1.0, below + _integral(edge, edge + _REACH, lambda y: _density(largest, count, y)))


def _density(largest: int, count: int, y: Floats) -> Floats:
    """The density of the (k+1)-th largest of M exponentials; its constant, M!/(k!(M-k-1)!), as a sum of logarithms."""
    constant = sum(log(count - i) for i in range(largest + 1)) - lgamma(largest + 1)
    with np.errstate(divide="ignore"):
        inner = np.log1p(-np.exp(-np.maximum(y, 1e-300)))
    return np.asarray(np.exp(constant - (largest + 1) * y + (count - largest - 1) * inner))


def _integral(low: float, high: float, function: Callable[[Floats], Floats]) -> float:
    edges = np.linspace(low, high, _PANELS + 1)
    half = (edges[1:] - edges[:-1])[:, None] / 2
    points = edges[:-1, None] + half * (1 + _NODES)
    values = function(points.ravel()).reshape(points.shape)
    return float((values * _WEIGHTS * half).sum())


@lru_cache(maxsize=1024)
def top_sum_quantile(largest: int, count: int, beta: float) -> float:
    """The a with Pr[the ``largest`` greatest of ``count`` unit exponentials sum to more than a] = β.

    >>> round(top_sum_quantile(3, 74, 0.05), 2)
    16.36
    """
    return decreasing_root(lambda a: top_sum_tail(largest, count, a), beta, start=top_sum_mean(largest, count))


def union_sum_quantile(largest: int, count: int, beta: float) -> float:
    """The union bound that T6 replaces: k·ln(M/β)."""
    return largest * log(count / beta)


def decreasing_root(tail: Callable[[float], float], beta: float, *, start: float) -> float:
    """Where a decreasing tail falls to β, rounded up: bisection to ten digits."""
    if not 0 < beta < 1:
        raise ParameterError("beta must lie in (0, 1)")
    low, high = 0.0, max(start, 1e-12)
    while tail(high) > beta:
        low, high = high, 2 * high
        if high == inf:
            raise ParameterError("this tail never falls to beta")
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > beta else (low, middle)
    return high
