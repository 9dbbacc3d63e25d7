"""Noise on Z^m for vectors made of blocks, of each of which one record may move one unit: the norm that fits them.

A record has one code in each column, so it touches each block of code indicators in one place: the norm
N(u) = max over blocks of the sum of |u_i| in the block is at most one on it, whatever the number of codes.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError, ParameterError
from oracledp.randomness.noise import LARGEST_SCALE, geometric
from oracledp.randomness.source import Randomness, below, drawn


@drawn
def block_noise(scale: int, sizes: tuple[int, ...], source: Randomness) -> NDArray[np.int64]:
    """A vector u of Z^m, m = sum of sizes, with ``Pr[u]`` proportional to ``e^(-N(u)/scale)``, exactly.

    Adding v changes a probability by at most ``e^(N(v)/scale)`` (proofs/surrogate.md, Lemma 1). Independent
    Laplace noise would have to pay for the sum over the blocks instead of the largest.

    >>> from oracledp.randomness.source import SystemRandomness
    >>> block_noise(100, (1, 1, 3), SystemRandomness()).shape
    (5,)
    """
    if not sizes or min(sizes) < 1:
        raise ParameterError("blocks need at least one coordinate each")
    if scale * (sum(sizes) + 1) > LARGEST_SCALE:
        raise CapacityError("the noise scale times the dimension exceeds 2^55; use a coarser lattice")
    radius = _radius(scale, sizes, source)
    draws = [value for size in sizes for value in _in_ball(size, radius, source)]
    return np.array(draws, dtype=np.int64)


@drawn
def noisy_blocks(
    values: NDArray[np.int64], scale: int, sizes: tuple[int, ...], source: Randomness
) -> NDArray[np.int64]:
    """A release: integers plus block noise."""
    return np.asarray(values + block_noise(scale, sizes, source), dtype=np.int64)


def ball_size(size: int, radius: int) -> int:
    """How many integer vectors of this length have absolute values that sum to at most ``radius``.

    >>> ball_size(1, 5), ball_size(2, 1)
    (11, 5)
    """
    return sum(comb(size, used) * comb(radius, used) << used for used in range(size + 1))


def _radius(scale: int, sizes: tuple[int, ...], source: Randomness) -> int:
    """R >= 0 with mass proportional to (product of the balls' sizes at R) e^(-R/scale).

    A sum of m+1 geometric draws has mass proportional to C(R+m, m) e^(-R/scale), and so to the product of all
    (R+i); a block of k takes the factors C(R+k, k) 2^k, of which its ball is a part that is at most one.
    """
    dimension, blocks = sum(sizes), Counter(sizes)
    while True:
        radius: int = sum(geometric(scale, dimension + 1, source).tolist())
        accept = Fraction(1)
        for size, times in blocks.items():
            accept *= Fraction(ball_size(size, radius), comb(radius + size, size) << size) ** times
        accept *= _spread(radius, sizes)
        if below(source, accept.denominator) < accept.numerator:
            return radius


def _spread(radius: int, sizes: tuple[int, ...]) -> Fraction:
    """The product over blocks of (R+1)...(R+k), divided by (R+1)...(R+m): at most one."""
    top = bottom = 1
    for size, times in Counter(sizes).items():
        block = 1
        for step in range(1, size + 1):
            block *= radius + step
        top *= block**times
    for step in range(1, sum(sizes) + 1):
        bottom *= radius + step
    return Fraction(top, bottom)


def _in_ball(size: int, radius: int, source: Randomness) -> list[int]:
    """A uniform integer vector whose absolute values sum to at most ``radius``.

    With j entries that are not zero there are C(size,j) places, 2^j signs and C(radius,j) sizes: a set of j
    numbers up to the radius, whose differences are the entries.
    """
    used, rest = 0, below(source, ball_size(size, radius))
    while rest >= (count := comb(size, used) * comb(radius, used) << used):
        used, rest = used + 1, rest - count
    entries = [0] * size
    marks = [0, *sorted(_distinct(used, radius, source))]
    for order, place in enumerate(sorted(_distinct(used, size, source))):
        step = marks[order + 1] - marks[order]
        entries[place - 1] = step if below(source, 2) else -step
    return entries


def _distinct(count: int, bound: int, source: Randomness) -> set[int]:
    """A uniform set of ``count`` numbers from 1 to ``bound`` (Floyd's way)."""
    chosen: set[int] = set()
    for top in range(bound - count + 1, bound + 1):
        draw = 1 + below(source, top)
        chosen.add(top if draw in chosen else draw)
    return chosen
