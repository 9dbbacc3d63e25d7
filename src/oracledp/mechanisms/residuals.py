"""Residuals of logistic regression in whole numbers: a public table of the exponential, softmax, and clipping.

Every record's residual is a function of that record and of the released weights alone, computed in integers, so that no
order of rows and no rounding of sums can tell about another record. Floating-point products are used where all
partial sums are integers below 2^53, which makes them exact.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from oracledp.exact.exponentials import exp_enclosure

Integers = NDArray[np.int64]

STEP_BITS = 6  # the exponential is tabled at multiples of 2^-6
REACH = 16  # and is nothing beyond 16: e^-16 is less than any residual's step


@cache
def exponential_table() -> Integers:
    """2^16 e^(-x) rounded down, at x = 0, 2^-6, ..., 16, and last 0 for all beyond; public.

    >>> exponential_table()[[0, 64, -1]].tolist()
    [65536, 24109, 0]
    """
    steps = REACH << STEP_BITS
    values = [exp_enclosure(Fraction(step, 1 << STEP_BITS), 16)[0] for step in range(steps)]
    return np.array([*values, 0], dtype=np.int64)


@cache
def odds_tables(fine: int) -> tuple[Integers, Integers]:
    """The second class's share where its score lies so many steps below, or above, that of the first."""
    table = exponential_table()
    whole = table[0] + table
    return (table << fine) // whole, (table[0] << fine) // whole


def chances(scores: Integers, bits: int, fine: int) -> Integers:
    """Each class's share of a row, in units of 2^-fine rounded down, from scores in multiples of 2^-bits.

    One column of scores is the log odds of the second of two classes: then one column of shares comes back.

    >>> chances(np.array([[0], [-(20 << 8)]]), 8, 12).tolist()
    [[2048], [0]]
    """
    if scores.shape[1] == 1:
        below, above = odds_tables(fine)
        steps = np.minimum(np.abs(scores) >> (bits - STEP_BITS), len(below) - 1)
        return np.asarray(np.where(scores < 0, below[steps], above[steps]))
    behind = scores.max(axis=1, keepdims=True) - scores
    table = exponential_table()
    parts = table[np.minimum(behind >> (bits - STEP_BITS), len(table) - 1)]
    return np.asarray((parts << fine) // parts.sum(axis=1, keepdims=True))


def lengths_above(rows: Integers) -> Integers:
    """The Euclidean length of each row of integers, rounded up.

    >>> lengths_above(np.array([[3, 4], [1, 1], [0, 0]])).tolist()
    [5, 2, 0]
    """
    squares = (rows * rows).sum(axis=1).astype(np.int64)
    roots = np.sqrt(squares).astype(np.int64)  # off by one at most, as squares are below 2^53; then made right
    roots += roots * roots < squares
    roots -= (roots > 0) & ((roots - 1) ** 2 >= squares)
    return np.asarray(roots)


def clipped(residuals: Integers, caps: Integers) -> Integers:
    """Rows of residuals shortened to Euclidean lengths of at most ``caps``, each entry towards zero.

    >>> clipped(np.array([[8], [-8], [2]]), np.array([4, 4, 4])).tolist()
    [[4], [-4], [2]]
    """
    if residuals.shape[1] == 1:
        return np.asarray(np.clip(residuals, -caps[:, None], caps[:, None]))
    lengths = np.maximum(lengths_above(residuals), 1)
    shorter = np.abs(residuals) * np.minimum(caps, lengths)[:, None] // lengths[:, None]
    return np.asarray(np.sign(residuals) * shorter)


def shortened(residuals: Integers, most: int) -> Integers:
    """Rows of residuals whose absolute values add up to at most ``most``, each entry towards zero.

    >>> shortened(np.array([[6, -2], [1, 2]]), 4).tolist()
    [[3, -1], [1, 2]]
    """
    totals = np.maximum(np.abs(residuals).sum(axis=1, keepdims=True), 1)
    return np.asarray(np.sign(residuals) * (np.abs(residuals) * np.minimum(totals, most) // totals))
