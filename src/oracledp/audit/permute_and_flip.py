"""The exact law of permute-and-flip on a small class."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.law import Law
from oracledp.errors import CapacityError


def permute_and_flip_law(outputs: tuple[object, ...], scores: NDArray[np.int64], rate: Fraction) -> Law:
    """Pr[i] = w_i ∫_0^1 prod_{j≠i} (1 - u w_j) du with w = e^{-rate (score - min)}.

    The order is that of uniform arrival times; i is first to be accepted if everyone who arrived before it
    was refused. The integrand is a product of factors in [0, 1] summed by Gauss-Legendre quadrature, which is exact
    for polynomials of this degree.
    """
    if len(scores) > 60:
        raise CapacityError("the exact law of permute-and-flip is for small classes")
    weights = np.exp(-np.longdouble(rate.numerator) * (scores - scores.min()) / np.longdouble(rate.denominator))
    nodes, masses = np.polynomial.legendre.leggauss(len(scores) // 2 + 1)
    u, du = (nodes + 1) / 2, masses / 2
    factors = 1 - u[:, None] * weights[None, :]
    sums = np.array(
        [w * (np.delete(factors, i, axis=1).prod(axis=1) * du).sum() for i, w in enumerate(weights)],
        dtype=np.longdouble,
    )
    # The nodes are doubles: charge their rounding, far below the audit's slack.
    return Law.from_sums(outputs, sums, terms=1 << 20, tail=0.0)
