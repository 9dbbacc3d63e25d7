"""The law of every primitive that draws: outcomes with rigorous bounds on their probabilities, the likeliest first.

Bounds are integers in units of 2^-BITS. Infinite supports are generators; who walks through them cuts them off and
accounts for what is left. The laws are those of proofs/noise.md, which other tests hold the samplers to.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import count, islice, pairwise, product
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.permute_and_flip import permute_and_flip_law
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.exponentials import exp_enclosure
from oracledp.mechanisms.block_noise import ball_size
from oracledp.mechanisms.row_count import rounded_size, sizes
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.values import all_values
from oracledp.randomness.choice import exponential_law
from oracledp.randomness.noise import coin_limit

BITS = 160
UNIT = 1 << BITS
Outcome = tuple[Any, int, int]  # a value and bounds on its probability
Outcomes = Iterator[Outcome]


def bounds(low: Fraction, high: Fraction | None = None) -> tuple[int, int]:
    """Fractions as integers in units of 2^-BITS, rounded outwards."""
    upper = low if high is None else high
    return low.numerator * UNIT // low.denominator, -(-upper.numerator * UNIT // upper.denominator)


@lru_cache(maxsize=1 << 17)
def decay(x: Fraction) -> tuple[int, int]:
    """e^-x."""
    return exp_enclosure(x, BITS)


def over(top: tuple[int, int], bottom: tuple[int, int]) -> tuple[int, int]:
    """A quotient of two positive enclosures."""
    return top[0] * UNIT // bottom[1], -(-top[1] * UNIT // bottom[0])


def geometric(scale: int) -> Outcomes:
    """(1 - e^(-1/scale)) e^(-x/scale) for x = 0, 1, 2, ..."""
    here = (UNIT, UNIT)
    for x in count():
        after = decay(Fraction(x + 1, scale))
        yield x, max(here[0] - after[1], 0), here[1] - after[0]
        here = after


def discrete_laplace(scale: int) -> Outcomes:
    """Proportional to e^(-|x|/scale)."""
    step = decay(Fraction(1, scale))
    total = UNIT + step[0], UNIT + step[1]
    gap = UNIT - step[1], UNIT - step[0]
    for x in count():
        power = decay(Fraction(x, scale))
        mass = over((power[0] * gap[0] >> BITS, (power[1] * gap[1] >> BITS) + 1), total)
        yield from ((value, *mass) for value in dict.fromkeys((x, -x)))


def laplace_between(low: int, high: int, scale: int) -> Outcomes:
    """Discrete Laplace noise of which all up to ``low`` is one outcome, and all from ``high`` on another: for code that
    does the same for all of either.
    """
    near = max(-low, high)
    inside = [outcome for outcome in islice(discrete_laplace(scale), 2 * near + 1) if low < outcome[0] < high]
    law = [*inside, (low, *laplace_tail(-low, scale)), (high, *laplace_tail(high, scale))]
    return iter(sorted(law, key=lambda outcome: -outcome[2]))


def noisy_size(rows: int, scale: int) -> Outcomes:
    """A rounded count with discrete Laplace noise: what lies between the least counts of two sizes."""
    edges = [bisect_left(range(MOST_ROWS + 1), size, key=rounded_size) for size in sizes()]
    above = [(UNIT, UNIT), *(laplace_tail(edge - rows, scale) for edge in edges[1:]), (0, 0)]
    masses = [(max(here[0] - after[1], 0), here[1] - after[0]) for here, after in pairwise(above)]
    law = [(size, *mass) for size, mass in zip(sizes(), masses, strict=True)]
    return iter(sorted(law, key=lambda outcome: -outcome[2]))


def laplace_tail(least: int, scale: int) -> tuple[int, int]:
    """The probability of at least so much: r^x/(1+r) from 1 on, by symmetry below, where r = e^(-1/scale)."""
    step = decay(Fraction(1, scale))
    if least <= 0:
        rest = laplace_tail(1 - least, scale)
        return UNIT - rest[1], UNIT - rest[0]
    return over(decay(Fraction(least, scale)), (UNIT + step[0], UNIT + step[1]))


def discrete_gaussian(variance: Fraction | int) -> Outcomes:
    """Proportional to e^(-x²/(2 variance))."""
    total = gaussian_total(Fraction(variance))
    for x in count():
        mass = over(decay(Fraction(x * x) / (2 * variance)), total)
        yield from ((value, *mass) for value in dict.fromkeys((x, -x)))


@lru_cache(maxsize=256)
def gaussian_total(variance: Fraction) -> tuple[int, int]:
    """The sum of e^(-x²/(2 variance)): the terms beyond the last fall at least by the ratio of the last two."""
    low, high, x = UNIT, UNIT, 0
    term = UNIT, UNIT
    while term[1] > 2:
        x += 1
        term = decay(Fraction(x * x) / (2 * variance))
        low, high = low + 2 * term[0], high + 2 * term[1]
    return low, high + 4 * int(variance + 2)


def block_noise(scale: int, sizes: tuple[int, ...]) -> Outcomes:
    """Proportional to e^(-N(u)/scale), N the greatest sum of absolute values of a block."""
    total = block_total(scale, sizes)
    for radius in count():
        mass = over(decay(Fraction(radius, scale)), total)
        yield from ((np.array(vector, dtype=np.int64), *mass) for vector in shell(sizes, radius))


def shell(sizes: tuple[int, ...], radius: int) -> Iterator[tuple[int, ...]]:
    """All integer vectors whose greatest block sum of absolute values is ``radius``."""
    inside = range(-radius, radius + 1)
    blocks = [[b for b in product(inside, repeat=size) if sum(map(abs, b)) <= radius] for size in sizes]
    for chosen in product(*blocks):
        if max(sum(map(abs, block)) for block in chosen) == radius:
            yield tuple(value for block in chosen for value in block)


@lru_cache(maxsize=256)
def block_total(scale: int, sizes: tuple[int, ...]) -> tuple[int, int]:
    """The sum of e^(-N(u)/scale) over all integer vectors."""
    low = high = before = 0
    for radius in range(2 * scale * BITS):  # what follows is below 2^-BITS many times over
        inside = prod(ball_size(size, radius) for size in sizes)
        term = decay(Fraction(radius, scale))
        low, high = low + (inside - before) * term[0], high + (inside - before) * term[1]
        before = inside
    return low, high + 1


def below(bound: int) -> Outcomes:
    """Uniform on 0 … bound - 1."""
    if bound > 1 << 20:
        raise ParameterError("a uniform draw from so many numbers cannot be walked through")
    return ((value, *bounds(Fraction(1, bound))) for value in range(bound))


def bernoulli(probability: Fraction | int) -> Outcomes:
    """True with this probability."""
    return coin(bounds(Fraction(probability)))


def bernoulli_exp(x: Fraction | int) -> Outcomes:
    """True with probability e^-x."""
    return coin(decay(Fraction(x)))


def word_coin(probability: Fraction) -> Outcomes:
    """One of ``coins``."""
    return coin(bounds(Fraction(coin_limit(probability), 1 << 64)))


def coin(mass: tuple[int, int]) -> Outcomes:
    """True with this probability, the likelier side first; a side of no probability is left out."""
    sides = [(True, *mass), (False, UNIT - mass[1], UNIT - mass[0])]
    return iter(sorted((side for side in sides if side[2] > 0), key=lambda side: -side[2]))


def binomial(trials: int, probability: Fraction) -> Outcomes:
    """How many of so many independent coins show heads."""
    ways = [
        (hits, comb(trials, hits) * probability**hits * (1 - probability) ** (trials - hits))
        for hits in range(trials + 1)
    ]
    return ((hits, *bounds(share)) for hits, share in sorted(ways, key=lambda way: -way[1]) if share)


def hypergeometric(rows: int, marked: int, chosen: int) -> Outcomes:
    """How many of ``chosen`` rows are marked, if ``marked`` of ``rows`` are."""
    ways = [
        (hits, Fraction(comb(marked, hits) * comb(rows - marked, chosen - hits), comb(rows, chosen)))
        for hits in range(max(0, chosen - rows + marked), min(marked, chosen) + 1)
    ]
    return ((hits, *bounds(share)) for hits, share in sorted(ways, key=lambda way: -way[1]))


def exponential_choice(scores: NDArray[np.int64], rate: Fraction | int) -> Outcomes:
    """The exponential mechanism."""
    law = [(index, *bounds(*pair)) for index, pair in enumerate(exponential_law(scores, rate, BITS))]
    return iter(sorted(law, key=lambda outcome: -outcome[2]))


def weighted_choice(weights: Sequence[int]) -> Outcomes:
    """Integers over their sum."""
    law = [(index, *bounds(Fraction(weight, sum(weights)))) for index, weight in enumerate(weights) if weight]
    return iter(sorted(law, key=lambda outcome: -outcome[2]))


def permute_and_flip_choice(scores: NDArray[np.int64], rate: Fraction | int) -> Outcomes:
    """Permute-and-flip, by quadrature with a bound on its rounding."""
    law = permute_and_flip_law(tuple(range(len(scores))), scores, Fraction(rate))
    outcomes = [
        (index, *bounds(Fraction(float(low)) * (1 - _ROUNDING), Fraction(float(high)) * (1 + _ROUNDING)))
        for index, low, high in zip(range(len(scores)), law.low, law.high, strict=True)
    ]
    return iter(sorted(outcomes, key=lambda outcome: -outcome[2]))


_ROUNDING = Fraction(1, 1 << 50)


def joint_scores(problems: Sequence[WeightedProblem]) -> tuple[list[tuple[int, Any]], NDArray[np.int64]]:
    """Every query of some problems, as a tree sampler names them, and its value."""
    names = [(place, parts) for place, problem in enumerate(problems) for parts in problem.query_class.all_parts()]
    return names, np.concatenate([all_values(problem) for problem in problems])
