"""Exact noise on the integers: every law below is the stated one to the last bit, so it costs no delta.

Scales are integers in lattice units (a caller who works on 2^-s Z multiplies by 2^s and rounds the scale up).
Laws and proofs: proofs/noise.md. The draws come in vectors from compiled code that decides everything by
comparing lazily drawn digits of uniform reals; no floating point is involved anywhere.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from oracledp import _engine
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.randomness.choice import exponential_choice, exponential_law, permute_and_flip_choice
from oracledp.randomness.partition import hypergeometric_parts, hypergeometric_split
from oracledp.randomness.source import Randomness, below, drawn, reader, words

__all__ = [
    "LARGEST_SCALE",
    "bernoulli",
    "bernoulli_exp",
    "coins",
    "discrete_gaussian",
    "discrete_laplace",
    "exp_enclosure",
    "exponential_choice",
    "exponential_law",
    "geometric",
    "hypergeometric_parts",
    "hypergeometric_split",
    "noisy_counts",
    "permute_and_flip_choice",
    "rounded_counts",
    "uniform",
]

LARGEST_SCALE = 1 << 55
"""255 such scales fit in 63 bits, and a draw beyond 255 scales (probability e^-255) is refused, never wrapped."""


@drawn
def uniform(bound: int, count: int, source: Randomness) -> NDArray[np.int64]:
    """``count`` uniform integers in ``[0, bound)`` for a bound of at most 2^63 (Lemma 1 of proofs/noise.md).

    >>> from oracledp.randomness.source import SystemRandomness
    >>> uniform(1, 3, SystemRandomness())
    array([0, 0, 0])
    """
    if _positive_integer(bound, "bound") > 1 << 63:
        raise CapacityError("bound must be at most 2^63; randomness.below takes bounds of any size")
    return _engine.draw_uniform(bound, _count(count), reader(source))


@drawn
def geometric(scale: int, count: int, source: Randomness) -> NDArray[np.int64]:
    """One-sided noise: ``Pr[X = x] = (1 - e^(-1/scale)) e^(-x/scale)`` for x = 0, 1, 2, ... (Theorem 1).

    >>> from oracledp.randomness.source import SystemRandomness
    >>> bool((geometric(10, 1000, SystemRandomness()) >= 0).all())
    True
    """
    try:
        return _engine.draw_geometric(_scale(scale), _count(count), reader(source))
    except OverflowError as error:
        raise _too_large() from error


@drawn
def discrete_laplace(scale: int, count: int, source: Randomness) -> NDArray[np.int64]:
    """Two-sided noise: ``Pr[X = x]`` proportional to ``e^(-|x|/scale)`` on all integers (Theorem 2)."""
    try:
        return _engine.draw_laplace(_scale(scale), _count(count), reader(source))
    except OverflowError as error:
        raise _too_large() from error


@drawn
def discrete_gaussian(variance: Fraction | int, count: int, source: Randomness) -> NDArray[np.int64]:
    """Gaussian noise on the integers: ``Pr[X = x]`` proportional to ``e^(-x^2/(2 variance))`` (Theorem 3).

    ``variance`` is the parameter sigma^2 of zero-concentrated privacy; the law's own variance is at most that.
    A call costs a few microseconds before its first draw, so single draws of many variances are cheap.
    """
    a, b = _variance(variance)
    t = isqrt(a // b) + 1
    _scale(t)
    denominator = 2 * a * b * t * t  # below 2^237 where b t < 2^63, as a < b t^2 and t <= 2^55
    if b * t >= 1 << 63:
        return _wide_gaussian(a, b, t, _count(count), source)
    wide_a, wide_denominator = a.to_bytes(32, "little"), denominator.to_bytes(32, "little")
    try:
        return _engine.draw_gaussian(t, b * t, wide_a, wide_denominator, _count(count), reader(source))
    except OverflowError as error:
        raise _too_large() from error


@drawn
def noisy_counts(counts: NDArray[np.int64], variance: Fraction | int, source: Randomness) -> NDArray[np.int64]:
    """A release: integers plus independent discrete Gaussian noise. The one place where counts and such noise meet."""
    return counts + discrete_gaussian(variance, counts.size, source)


@drawn
def rounded_counts(
    counts: NDArray[np.int64], variance: Fraction | int, bits: int, source: Randomness
) -> NDArray[np.int64]:
    """A release: integers plus discrete Gaussian noise on the lattice 2^-bits Z, rounded to the nearest integers.

    The finer the lattice the closer to continuous noise, whose composition is known exactly. Halves go up.
    """
    noise = discrete_gaussian(Fraction(variance) * (1 << (2 * bits)), counts.size, source)
    return counts + ((noise + ((1 << bits) >> 1)) >> bits)


@drawn
def coins(probability: Fraction, count: int, source: Randomness) -> NDArray[np.bool_]:
    """Independent coins, each true with this probability rounded down to a multiple of 2^-64."""
    if not 0 <= probability < 1:
        raise ParameterError("the probability of a coin must lie in [0, 1)")
    return np.asarray(words(source, count) < np.uint64(coin_limit(probability)))


def coin_limit(probability: Fraction) -> int:
    """How many of the 2^64 words make a coin of :func:`coins` true."""
    return int(probability * (1 << 64))


@drawn
def bernoulli(probability: Fraction | int, source: Randomness) -> bool:
    """True with exactly this probability, a rational number in [0, 1]."""
    if not 0 <= probability <= 1:
        raise ParameterError("a probability must lie in [0, 1]")
    return below(source, probability.denominator) < probability.numerator


@drawn
def bernoulli_exp(x: Fraction | int, source: Randomness) -> bool:
    """True with probability exactly ``e^(-x)``, for a rational ``x >= 0`` of any size (Lemma 4).

    >>> from oracledp.randomness.source import SystemRandomness
    >>> bernoulli_exp(0, SystemRandomness())
    True
    """
    if x < 0:
        raise ParameterError("x must be at least 0")
    whole, rest = divmod(x.numerator, x.denominator)
    tosses = 0
    while tosses < whole and _exp_of_fraction(1, 1, source):
        tosses += 1
    return tosses == whole and _exp_of_fraction(rest, x.denominator, source)


def _exp_of_fraction(top: int, bottom: int, source: Randomness) -> bool:
    """True with probability ``e^(-top/bottom)``, for a fraction in [0, 1]."""
    length = 1
    while below(source, bottom * length) < top:
        length += 1
    return length % 2 == 1


def _wide_gaussian(a: int, b: int, t: int, count: int, source: Randomness) -> NDArray[np.int64]:
    """The discrete Gaussian of variance a/b in integers of any size: for fractions with huge terms."""
    draws: list[int] = []
    while len(draws) < count:
        proposals = discrete_laplace(t, count - len(draws), source).tolist()
        exponents = (Fraction((abs(y) * b * t - a) ** 2, 2 * a * b * t * t) for y in proposals)
        draws += [y for y, exponent in zip(proposals, exponents, strict=True) if bernoulli_exp(exponent, source)]
    return np.array(draws, dtype=np.int64)


def _positive_integer(value: int, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ParameterError(f"{name} must be a positive integer, got {value!r}")
    return int(value)


def _count(count: int) -> int:
    return 0 if count == 0 and not isinstance(count, bool) else _positive_integer(count, "count")


def _scale(scale: int) -> int:
    checked = _positive_integer(scale, "scale")
    if checked > LARGEST_SCALE:
        raise CapacityError("the noise scale exceeds 2^55 lattice units; use a coarser lattice")
    return checked


def _variance(variance: Fraction | int) -> tuple[int, int]:
    if isinstance(variance, bool) or not isinstance(variance, Fraction | int) or variance <= 0:
        raise ParameterError("variance must be a positive Fraction or integer")
    return variance.numerator, variance.denominator


def _too_large() -> CapacityError:
    return CapacityError("a noise draw exceeded 255 scales: nothing was released")
