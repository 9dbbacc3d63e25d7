"""Noise on Z^m for vectors whose every coordinate one record may move: the norm that fits is the largest coordinate."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError, ParameterError
from oracledp.noise import LARGEST_SCALE, geometric
from oracledp.randomness import Randomness, below


def cube_noise(scale: int, dimension: int, source: Randomness) -> NDArray[np.int64]:
    """A vector u of Z^m with ``Pr[u]`` proportional to ``e^(-max|u_i| / scale)``, exactly.

    Adding a vector whose largest coordinate is D changes the probability by at most ``e^(D/scale)``
    (proofs/surrogate.md, Lemma 1). Independent Laplace noise would have to pay for the sum of the
    coordinates instead, and is 2.4 times larger in each where m is large.

    >>> from oracledp.randomness import SystemRandomness
    >>> cube_noise(100, 3, SystemRandomness()).shape
    (3,)
    """
    if dimension < 1:
        raise ParameterError("dimension must be at least 1")
    if scale * (dimension + 1) > LARGEST_SCALE:
        raise CapacityError("the noise scale times the dimension exceeds 2^55; use a coarser lattice")
    radius = _radius(scale, dimension, source)
    return np.array([below(source, 2 * radius + 1) - radius for _ in range(dimension)], dtype=np.int64)


def _radius(scale: int, dimension: int, source: Randomness) -> int:
    """R >= 0 with mass proportional to (2R+1)^m e^(-R/scale): the u are uniform in the cube of that radius.

    A sum of m+1 geometric draws has mass proportional to (R+1)...(R+m) e^(-R/scale), so it is accepted with
    probability (2R+1)^m / ((2R+2)(2R+4)...(2R+2m)), a product of rationals that are at most one.
    """
    while True:
        radius = sum(geometric(scale, dimension + 1, source).tolist())
        factors = (Fraction(2 * radius + 1, 2 * radius + 2 * i) for i in range(1, dimension + 1))
        if all(below(source, factor.denominator) < factor.numerator for factor in factors):
            return radius
