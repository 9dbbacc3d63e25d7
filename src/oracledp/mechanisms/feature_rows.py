"""Distinct vectors of whole features, and the two exact products that a gradient needs of them. **Private.**

Vectors are held as they are, or as the bits of which they are affine functions: eight bits of a row are one of 256
cases, so that a product looks up one number for eight. Which of the two is used changes no result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from oracledp.data.packed_records import PackedRecords
from oracledp.mechanisms.residuals import Integers, lengths_above

DIGIT = 24  # bits of a pull that are summed at a time
ROWS_AT_ONCE = 1 << 12  # small enough to stay near the processor between the two products of a step


class FeatureRows(Protocol):
    """Rows of features, in blocks."""

    @property
    def count(self) -> int:
        """How many features there are."""
        ...

    @property
    def blocks(self) -> list[slice]:
        """The rows that are looked at together."""
        ...

    def lengths(self) -> Integers:
        """The Euclidean length of each row, rounded up."""
        ...

    def scores(self, rows: slice, weights: Integers) -> Integers:
        """Some rows times weights (features × outputs), exactly."""
        ...

    def sums(self, rows: slice, pulls: Integers) -> Integers:
        """The features of some rows, each times its pulls, added up: features × outputs, exactly modulo 2^64."""
        ...


@dataclass(frozen=True, eq=False)
class PlainRows:
    """Features as they are: products of doubles whose partial sums are integers below 2^53."""

    features: NDArray[np.float64] = field(repr=False)

    @classmethod
    def of(cls, features: Integers) -> PlainRows:
        """From whole numbers."""
        return cls(features.astype(np.float64))

    @property
    def count(self) -> int:
        """How many features there are."""
        return int(self.features.shape[1])

    @property
    def blocks(self) -> list[slice]:
        """Few rows at a time."""
        return _blocks(len(self.features), ROWS_AT_ONCE)

    def lengths(self) -> Integers:
        """Of the features as whole numbers."""
        return lengths_above(self.features.astype(np.int64))

    def scores(self, rows: slice, weights: Integers) -> Integers:
        """One product."""
        return np.asarray((self.features[rows] @ weights.astype(np.float64)).astype(np.int64))

    def sums(self, rows: slice, pulls: Integers) -> Integers:
        """One product for every digit of the pulls."""
        total = np.zeros((self.count, pulls.shape[1]), dtype=np.int64)
        for place, digit in enumerate(_digits(pulls)):
            total += (self.features[rows].T @ digit).astype(np.int64) << (place * DIGIT)
        return total


@dataclass(frozen=True, eq=False)
class BitRows:
    """``features = slopes · bits + constants``, the bits eight by eight; for one output.

    Pulls of all records add up to less than 2^53 in absolute value (``NoisyGradients.check``), so that doubles add up
    those of any of the 256 cases exactly.
    """

    cases: tuple[NDArray[np.intp], ...] = field(repr=False)  # of each eight bits
    slopes: Integers
    constants: Integers

    @classmethod
    def of(cls, bits: PackedRecords | NDArray[np.uint8], slopes: Integers, constants: Integers) -> BitRows:
        """From rows of 0 and 1."""
        octets = PackedRecords.of(bits).octets()[:, : -(-bits.shape[1] // 8)]
        return cls(tuple(column.astype(np.intp) for column in octets.T), slopes, constants)

    def __len__(self) -> int:
        return len(self.cases[0])

    @property
    def count(self) -> int:
        """How many features there are."""
        return len(self.constants)

    @property
    def blocks(self) -> list[slice]:
        """Many rows at a time: a byte is held for eight bits."""
        return _blocks(len(self), ROWS_AT_ONCE << 3)

    def lengths(self) -> Integers:
        """By the features of a few rows at a time."""
        found = [np.zeros(0, dtype=np.int64)]
        slopes = np.zeros((8 * len(self.cases), self.count))
        slopes[: self.slopes.shape[1]] = self.slopes.T
        for rows in _blocks(len(self), ROWS_AT_ONCE >> 1):
            bits = np.hstack([_EIGHT[cases[rows]] for cases in self.cases])
            found.append(lengths_above(np.asarray(bits @ slopes, dtype=np.int64) + self.constants))
        return np.concatenate(found)

    def scores(self, rows: slice, weights: Integers) -> Integers:
        """A number is looked up for each eight bits."""
        found = np.full(len(self.cases[0][rows]), int(self.constants @ weights[:, 0]))
        by_bit = np.zeros(8 * len(self.cases), dtype=np.int64)
        by_bit[: self.slopes.shape[1]] = self.slopes.T @ weights[:, 0]
        for cases, table in zip(self.cases, by_bit.reshape(-1, 8) @ _EIGHT_WHOLE.T, strict=True):
            found += table[cases[rows]]
        return found[:, None]

    def sums(self, rows: slice, pulls: Integers) -> Integers:
        """The pulls of each case are added up, and the cases of each bit after them."""
        pulled = pulls[:, 0].astype(np.float64)
        of_cases = [np.bincount(cases[rows], pulled, minlength=256).astype(np.int64) for cases in self.cases]
        by_bit = (np.stack(of_cases) @ _EIGHT_WHOLE).ravel()[: self.slopes.shape[1]]
        return np.asarray(self.slopes @ by_bit + self.constants * pulls.sum())[:, None]


_EIGHT = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)
_EIGHT_WHOLE = _EIGHT.astype(np.int64)


def _blocks(rows: int, at_once: int) -> list[slice]:
    return [slice(begin, begin + at_once) for begin in range(0, rows, at_once)]


def _digits(pulls: Integers) -> Iterator[NDArray[np.float64]]:
    """Whole numbers as digits of 24 bits with signs, the lowest first: products with features are then exact."""
    left = pulls
    while left.any():
        high = (left + (1 << DIGIT - 1)) >> DIGIT
        yield (left - (high << DIGIT)).astype(np.float64)
        left = high
