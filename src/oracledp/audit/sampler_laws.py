"""The exact laws of the lattice samplers, at right scales and at wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt, sqrt

import numpy as np

from oracledp.audit.chi_square import IntegerLaw, decay
from oracledp.extras import optional
from oracledp.randomness import noise
from oracledp.randomness.source import SystemRandomness

SYSTEM = SystemRandomness()
TENTH = Fraction(11, 10)  # a scale that is 10 % wrong


def geometric(scale: Fraction) -> IntegerLaw:
    """One-sided noise. The floor of a geometric of scale t b divided by b is the geometric of scale t: any rational."""
    a, b = scale.numerator, scale.denominator
    return IntegerLaw(
        f"geometric {scale}",
        lambda count: noise.geometric(a, count, SYSTEM) // b,
        lambda x: decay(x / scale) if x > 0 else 1.0,
        int(60 * scale) + 60,
    )


def laplace_tail(scale: Fraction) -> Callable[[int], float]:
    """Pr[discrete Laplace >= x]."""
    total = 1 + decay(1 / scale)
    return lambda x: decay(x / scale) / total if x > 0 else 1 - decay((1 - x) / scale) / total


def laplace(scale: int) -> IntegerLaw:
    """Two-sided noise."""
    return IntegerLaw(
        f"laplace {scale}",
        lambda count: noise.discrete_laplace(scale, count, SYSTEM),
        laplace_tail(Fraction(scale)),
        60 * scale + 60,
    )


def rational_laplace(scale: Fraction) -> IntegerLaw:
    """The difference of two geometrics: a second road to the discrete Laplace law, at any rational scale."""
    one = geometric(scale)
    return IntegerLaw(
        f"laplace {scale}", lambda count: one.draw(count) - one.draw(count), laplace_tail(scale), int(60 * scale) + 60
    )


def gaussian(variance: Fraction) -> IntegerLaw:
    """The discrete Gaussian of this variance parameter."""
    sigma = sqrt(variance)
    reach = 15 * isqrt(int(variance) + 1) + 15
    if sigma > 300:  # the sum over a cell is the integral to within a relative 1 / (24 variance) of edge terms
        normal = optional("scipy.stats", extra="solvers").norm

        def tail(x: int) -> float:
            return float(normal.sf((x - 0.5) / sigma))
    else:
        weights = np.array([decay(Fraction(x * x) / (2 * variance)) for x in range(-reach, reach + 1)])
        tails = (weights[::-1].cumsum() / weights.sum())[::-1]

        def tail(x: int) -> float:
            return float(tails[x + reach])

    return IntegerLaw(
        f"gaussian {variance}", lambda count: noise.discrete_gaussian(variance, count, SYSTEM), tail, reach
    )


def right_and_wrong() -> list[tuple[IntegerLaw, IntegerLaw]]:
    """Each lattice sampler at small, large and awkward scales, beside the same at a scale 10 % wrong."""
    geometric_scales = (1, 2, 3, 10, 1000, 2**31, 2**40 + 7, 2**51)
    laplace_scales = (1, 2, 3, 10, 1000, 2**40 + 7, 2**51)
    variances = ("1/3", "1", "7/2", "100", "12345/7", str(2**80 + 1))
    return (
        [(geometric(Fraction(t)), geometric(t * TENTH)) for t in geometric_scales]
        + [(laplace(t), rational_laplace(t * TENTH)) for t in laplace_scales]
        + [(gaussian(v), gaussian(v * TENTH**2)) for v in map(Fraction, variances)]
    )
