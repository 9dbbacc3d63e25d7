"""Fixed-point numbers of any precision as rows of small digits, so that fast sums of doubles are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST_WEIGHT = 1 << 50  # digits have two bits at least
_HALF = 31  # bits of a whole part that are multiplied by themselves
_MOST_DIGIT = 36  # bits: with 2^16 numbers in a sum and signs, below 2^53


@dataclass(frozen=True, eq=False)
class Digits:
    """Numbers as columns: a whole part, then digits of ``size`` bits each, the first the largest.

    Digits times weights that sum to the ``total`` they were made for stay below 2^53: doubles add them exactly.
    """

    table: Integers  # (1 + digits) × numbers
    size: int

    @classmethod
    def of(cls, values: Sequence[int], bits: int, total: int) -> Digits:
        """Multiples of 2^-bits."""
        size = min(_MOST_DIGIT, 52 - total.bit_length())
        count = -(-bits // size)
        shifted = [value << (count * size - bits) for value in values]
        whole = [value >> count * size for value in shifted]
        mask = (1 << size) - 1
        rest = [[value >> place * size & mask for value in shifted] for place in range(count - 1, -1, -1)]
        if sum(map(abs, whole)) >= 1 << 61:  # never: minimisers, and what the search looks at, are far smaller
            raise CapacityError("a point of the search is too far from zero for exact sums")
        return cls(np.array([whole, *rest], dtype=np.int64), size)

    @property
    def count(self) -> int:
        """How many digits there are, the whole part among them."""
        return len(self.table)

    def products(self, features: Floats) -> Integers:
        """One number per row of features (of -1, 0 and 1), its digits not carried."""
        split = np.vstack([self.table[:1] >> _HALF, self.table[:1] & ((1 << _HALF) - 1), self.table[1:]])
        products = (features @ split.T.astype(np.float64)).astype(np.int64)
        products[:, 1] += products[:, 0] << _HALF
        return products[:, 1:]

    def clipped(self, margins: Integers) -> tuple[Integers, NDArray[np.bool_]]:
        """The numbers 1 + margin, cut to [0, 1], as digits; and where they lie in [0, 1)."""
        digits = margins.copy()
        digits[:, 0] += 1
        for place in range(self.count - 1, 0, -1):
            digits[:, place - 1] += digits[:, place] >> self.size
            digits[:, place] &= (1 << self.size) - 1
        inside = digits[:, 0] == 0
        digits[:, 1:] *= inside[:, None]
        digits[:, 0] = digits[:, 0] > 0
        return digits, inside

    def value(self, sums: NDArray[Any]) -> Fraction:
        """The number that a column of sums of digits stands for."""
        total = 0
        for digit in sums.tolist():
            total = (total << self.size) + int(digit)
        return Fraction(total, 1 << (self.size * (self.count - 1)))
