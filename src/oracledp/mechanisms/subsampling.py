"""Privacy amplification by subsampling: a mechanism that sees a secret random part of the rows may spend more there.

For classes too large to search on all rows. Pure epsilon stays pure (proofs/subsampling.md).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, expm1, floor, log

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.noise import coins
from oracledp.randomness.partition import hypergeometric_parts
from oracledp.randomness.source import Randomness

_BITS = 96
_MOST = 40  # exponents beyond this gain nothing and would strain the floating-point guess


def inner_epsilon(epsilon: Fraction, share: Fraction) -> Fraction:
    """The ε₀ that a mechanism may spend on a random share of the rows so that the whole costs at most ε.

    It satisfies share·(e^ε₀ - 1) <= e^ε - 1, checked in integers.

    >>> round(float(inner_epsilon(Fraction(1), Fraction(1, 10))), 6)  # ln(1 + 10(e - 1))
    2.900477
    """
    if not 0 < share <= 1:
        raise ParameterError("the share of rows must lie in (0, 1]")
    if share == 1:
        return epsilon
    guess = log(1 + expm1(min(float(epsilon), _MOST)) / float(share))
    for margin in (2.0**-40, 2.0**-30, 2.0**-20, 2.0**-10):
        candidate = Fraction(floor(guess * (1 - margin) * 2**50), 2**50)
        if candidate > epsilon and _allowed(candidate, epsilon, share):
            return candidate
    return epsilon  # always allowed: a part of the rows cannot cost more than all of them


def _allowed(inner: Fraction, epsilon: Fraction, share: Fraction) -> bool:
    """Whether share·(e^inner - 1) <= e^epsilon - 1, with the left side rounded up and the right side down."""
    lower, upper = exp_enclosure(inner, _BITS)[0], exp_enclosure(epsilon, _BITS)[1]
    if lower == 0:
        return False
    return share * (Fraction(1 << _BITS, lower) - 1) <= Fraction(1 << _BITS, upper) - 1


def random_rows(rows: int, share: Fraction, neighbours: Neighbours, source: Randomness) -> NDArray[np.intp]:
    """The secret sample: under replace-one ceil(share·rows) rows without replacement, else each row by its own coin."""
    if neighbours is Neighbours.REPLACE_ONE:
        return _without_replacement(rows, ceil(share * rows), source)
    return np.arange(rows) if share == 1 else np.flatnonzero(coins(share, rows, source))


def sampled_share(rows: int, share: Fraction, neighbours: Neighbours) -> Fraction:
    """The exact chance of a row to be in the sample: rounding the size up makes it a little larger than asked."""
    return Fraction(ceil(share * rows), rows) if neighbours is Neighbours.REPLACE_ONE else share


def _without_replacement(rows: int, count: int, source: Randomness) -> NDArray[np.intp]:
    """A uniform subset, in order."""
    ((chosen, _),) = hypergeometric_parts(np.ones(rows, dtype=np.int64), [count], source)
    return chosen.astype(np.intp)
