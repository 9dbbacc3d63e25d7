"""Exact draws of decision trees: Pr[T] ∝ prior(T)·e^(-rate·errors(T)), over all trees at once.

Compiled code gives upper bounds on the weight of all trees below every node; a tree is grown from its root by these,
and kept with the probability that makes the law exact (proofs/private-trees.md). Every random decision is made here, on
integers, from the given source.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from oracledp._engine import TreeWeights
from oracledp.classes.decision_trees import DecisionTrees, Path, Tree
from oracledp.classes.tables import Parts
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import BrokenSearchTree
from oracledp.exact.exponentials import power_enclosure
from oracledp.randomness.source import Randomness, below, drawn

MOST_RATE = Fraction(64)  # more would change nothing but the length of the numbers; a smaller rate is more private
WEIGHT_BITS = 50  # of the errors of a tree: 2^40 rows of weight 1000
_EXTRA = 64  # digits drawn when a decision is open

Number = tuple[int, int]  # mantissa and exponent


@drawn
def sample_tree(
    trees: DecisionTrees,
    records: PackedRecords,
    weights: NDArray[np.int64],
    rate: Fraction,
    splitting: Fraction,
    source: Randomness,
) -> Parts:
    """A tree with probability exactly proportional to its prior times ``e^(-rate * errors)``.

    ``weights`` holds each record's weight under each label. A node at which tests are left is split with prior
    probability ``splitting``, by each of them alike; no label is preferred.
    """
    return TreeSampler.over(trees, records, weights, rate, splitting).draw(source)


@dataclass(frozen=True, eq=False)
class TreeSampler:
    """The bounds for one table, from which any number of trees can be grown."""

    trees: DecisionTrees
    records: PackedRecords
    weights: NDArray[np.int64]
    rate: Fraction
    splitting: Fraction
    bounds: TreeWeights

    @classmethod
    def over(
        cls,
        trees: DecisionTrees,
        records: PackedRecords,
        weights: NDArray[np.int64],
        rate: Fraction,
        splitting: Fraction,
    ) -> TreeSampler:
        """Everything that is worked out before the first draw."""
        bounds = TreeWeights(
            records,
            np.ascontiguousarray(weights, dtype=np.int64),
            trees.depth,
            trees.decided,
            _powers(rate),
            _up(1 - splitting),
            [_up(splitting / count) for count in range(1, trees.dimension + 1)],
        )
        return cls(trees, records, weights, rate, splitting, bounds)

    def draw(self, source: Randomness) -> Parts:
        """Trees are grown until one is kept: almost always the first."""
        while True:
            leaves: list[tuple[int, Number]] = []
            tree = self._grown((), leaves, source)
            if tree is None:
                continue
            parts = self.trees.parts_of_tree(tree)
            errors = sum(wrong for wrong, _ in leaves)
            if not self.trees.contains(parts) or self.errors(parts) != errors:
                raise BrokenSearchTree("a tree has other errors than were counted; nothing is released")
            if kept(self.rate, errors, [bound for _, bound in leaves], source):
                return parts

    def errors(self, parts: Parts) -> int:
        """The errors of a tree, from its records alone."""
        labels = self.trees.label(parts, self.records.matrix())
        right = self.weights[np.arange(len(labels)), labels]
        return int(self.weights.sum()) - int(right.sum())

    def _grown(self, path: Path, leaves: list[tuple[int, Number]], source: Randomness) -> Tree | None:
        """A subtree, and its leaves' errors with their bounds; None where the rounding of a bound rejects it."""
        errors, labels, tests, children, total = self.bounds.node(list(path))
        options = weighed(labels, children, self.splitting)
        scale = self.splitting.denominator * len(tests) if tests else 1
        choice = pick(options, (total[0] * scale, total[1]), source)
        if choice is None:
            return None
        if choice < len(labels):
            leaves.append((errors[choice], labels[choice]))
            return choice
        test = tests[choice - len(labels)]
        held = self._grown((*path, (test, True)), leaves, source)
        other = None if held is None else self._grown((*path, (test, False)), leaves, source)
        return None if held is None or other is None else (test, held, other)


def weighed(labels: list[Number], children: list[tuple[Number, Number]], splitting: Fraction) -> list[Number]:
    """The options of a node, labels first: prior times bounds, all times the prior's denominator and the open tests."""
    if not children:
        return labels
    top, bottom = splitting.numerator, splitting.denominator
    leaf = (bottom - top) * len(children)
    stopped = [(leaf * mantissa, exponent) for mantissa, exponent in labels]
    return stopped + [(top * a[0] * b[0], a[1] + b[1]) for a, b in children]


def pick(weights: list[Number], total: Number, source: Randomness) -> int | None:
    """An index, ``i`` with probability exactly ``weights[i] / total``; None with what is left of one."""
    bits, draw = _EXTRA, below(source, total[0] << _EXTRA)
    while True:
        unit, low, high = total[1] - bits, 0, 0
        inside: int | None = None
        open_decision = False
        for index, (mantissa, exponent) in enumerate(weights):
            before, shift = high, exponent - unit
            low += mantissa << shift if shift >= 0 else mantissa >> -shift
            high += mantissa << shift if shift >= 0 else -(-mantissa >> -shift)
            if inside is None and before <= draw < high:
                inside = index
                open_decision = draw + 1 > low
        if low > total[0] << bits:
            raise BrokenSearchTree("the options of a node weigh more than the node; nothing is released")
        if not open_decision:
            return inside
        bits, draw = bits + _EXTRA, (draw << _EXTRA) | below(source, 1 << _EXTRA)


def kept(rate: Fraction, errors: int, bounds: list[Number], source: Randomness) -> bool:
    """True with probability exactly ``e^(-rate * errors)`` over the product of the bounds, which is at most one."""
    whole, exponent = prod(mantissa for mantissa, _ in bounds), sum(place for _, place in bounds)
    bits, draw = _EXTRA, below(source, whole << _EXTRA)
    while True:
        low, high, place = power_enclosure(rate, errors, whole.bit_length() + bits + _EXTRA)
        shift = place - exponent + bits
        least = low << shift if shift >= 0 else low >> -shift
        most = high << shift if shift >= 0 else -(-high >> -shift)
        if least > whole << bits:
            raise BrokenSearchTree("the bound of a leaf is below its weight; nothing is released")
        if draw + 1 <= least:
            return True
        if draw >= most:
            return False
        bits, draw = bits + _EXTRA, (draw << _EXTRA) | below(source, 1 << _EXTRA)


@lru_cache(maxsize=16)
def _powers(rate: Fraction) -> list[Number]:
    """Upper bounds on e^(-rate·2^j)."""
    return [_up_power(rate, 1 << place) for place in range(WEIGHT_BITS)]


def _up_power(rate: Fraction, power: int) -> Number:
    _, high, exponent = power_enclosure(rate, power, 64)
    return _up(Fraction(high), exponent)


def _up(value: Fraction, exponent: int = 0) -> Number:
    """The least mantissa of 64 bits with an exponent that is not below the value.

    >>> _up(Fraction(1)) == (1 << 63, -63), _up(Fraction(1, 3))[1]
    (True, -65)
    """
    shift = 64 + value.denominator.bit_length() - value.numerator.bit_length()
    scaled = -(-(value.numerator << max(shift, 0)) // (value.denominator << max(-shift, 0)))
    while scaled >= 1 << 64:
        scaled, shift = -(-scaled >> 1), shift - 1
    return scaled, exponent - shift
