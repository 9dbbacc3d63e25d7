"""What a logistic card sees of a record: whole numbers, affine in its literals, so that points come back out."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt, sqrt

import numpy as np
from numpy.typing import NDArray

from oracledp.data.packed_records import PackedRecords
from oracledp.learning.blocks import Block
from oracledp.mechanisms.feature_rows import BitRows
from oracledp.randomness.lattice import lattice

DETAIL = 0.5  # how much a single threshold weighs beside the position among all thresholds of its column


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """``features = slopes · literals + constants`` in whole numbers; public, as are its bounds."""

    slopes: NDArray[np.int64]  # features × literals
    constants: NDArray[np.int64]
    longest: int

    @property
    def count(self) -> int:
        """How many features there are."""
        return len(self.constants)

    @property
    def reach(self) -> int:
        """No feature of any record is larger."""
        return int((np.abs(self.slopes).sum(axis=1) + np.abs(self.constants)).max())

    def features(self, records: NDArray[np.uint8]) -> NDArray[np.int64]:
        """One vector per record."""
        return np.asarray(np.rint(records @ self.slopes.T.astype(np.float64)).astype(np.int64) + self.constants)

    def rows(self, records: PackedRecords | NDArray[np.uint8]) -> BitRows:
        """The same vectors, held as bits."""
        return BitRows.of(records, self.slopes, self.constants)

    def by_literal(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A score over features (features × outputs) as numbers per literal and a constant, for each output."""
        return self.slopes.T @ weights, self.constants @ weights


def feature_map(blocks: tuple[Block, ...], literals: int, length: int) -> FeatureMap:
    """The encoding of a table whose literals hang together in these blocks, with vectors of about this ``length``.

    A single literal becomes ±1, a category 0/1. A column of thresholds has one feature for the position among them,
    from -1 to 1, and small ones for each threshold: few rows teach the slope, many rows the steps.

    >>> found = feature_map((Block((0, 1), ((0, 0), (1, 0), (1, 1))), Block.single(2)), 3, 500)
    >>> found.features(np.array([[1, 0, 1]], dtype=np.uint8)).tolist()
    [[0, 98, -98, 278, 277]]
    """
    rows: list[tuple[dict[int, float], float]] = []
    for block in blocks:
        rows += _block_rows(block)
    rows.append(({}, 1.0))
    square = sum(_most_squared(block) for block in blocks) + 1
    unit = length / sqrt(square)
    slopes = np.zeros((len(rows), literals), dtype=np.int64)
    for place, (terms, _) in enumerate(rows):
        for literal, value in terms.items():
            slopes[place, literal] = round(unit * value)
    constants = np.array([round(unit * constant) for _, constant in rows], dtype=np.int64)
    return FeatureMap(slopes, constants, max(1, isqrt(round(unit * unit * square))))


def position_map(blocks: tuple[Block, ...], literals: int) -> tuple[FeatureMap, tuple[int, ...]]:
    """The same literals as few features, and the sizes of the blocks that these fall into, the last a constant one.

    A single literal is ±1, a column of thresholds one position from -1 to 1, and what else a column may show 0/1 in
    one block. One is 2^``sum_bits``.

    >>> found, sizes = position_map((Block((0, 1), ((0, 0), (1, 0), (1, 1))), Block.single(2)), 3)
    >>> (found.features(np.array([[1, 0, 1]], dtype=np.uint8)) / 2**16).tolist(), sizes
    ([[0.0, 1.0, 1.0]], (1, 1, 1))
    """
    one = 1 << lattice().sum_bits
    rows: list[tuple[dict[int, int], int]] = []
    sizes: list[int] = []
    for block in blocks:
        ordered = [block.literals[place] for place in block.chain] or list(block.literals[: len(block.literals) == 1])
        others = [literal for literal in block.literals if literal not in ordered]
        if ordered:
            step = 2 * one // len(ordered)
            rows.append((dict.fromkeys(ordered, step), -(step * len(ordered) // 2)))
            sizes.append(1)
        if others:
            places = [block.literals.index(literal) for literal in others]
            most = max(1, max(sum(pattern[place] for place in places) for pattern in block.patterns))
            rows += [({literal: one // most}, 0) for literal in others]
            sizes.append(len(others))
    rows.append(({}, one))
    slopes = np.zeros((len(rows), literals), dtype=np.int64)
    for place, (terms, _) in enumerate(rows):
        for literal, value in terms.items():
            slopes[place, literal] = value
    return FeatureMap(slopes, np.array([constant for _, constant in rows], dtype=np.int64), one), (*sizes, 1)


def _block_rows(block: Block) -> list[tuple[dict[int, float], float]]:
    """The features of one block: slopes by literal and a constant each."""
    if len(block.literals) == 1:
        return [({block.literals[0]: 2.0}, -1.0)]
    chain = block.chain
    others = [({literal: 1.0}, 0.0) for place, literal in enumerate(block.literals) if place not in chain]
    if not chain:
        return others
    ordered, share = [block.literals[place] for place in chain], DETAIL / sqrt(len(chain))
    position = ({literal: 2.0 / len(ordered) for literal in ordered}, -1.0)
    return [position, *(({literal: 2 * share}, -share) for literal in ordered), *others]


def _most_squared(block: Block) -> float:
    """The largest squared length that a block's features have, over its patterns."""
    place = {literal: number for number, literal in enumerate(block.literals)}
    lengths = [
        sum((sum(value * pattern[place[name]] for name, value in terms.items()) + constant) ** 2
            for terms, constant in _block_rows(block))
        for pattern in block.patterns
    ]  # fmt: skip
    return max(lengths)
