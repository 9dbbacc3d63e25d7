"""Decision trees: the proven optimum beside the specialists where they are installed, and exact private draws."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.labelled import Bits, Flags
from benchmarks.engine.measure import Row, Settings
from benchmarks.engine.specialists import fit
from benchmarks.engine.timing import best_of, timed
from oracledp.classes import DecisionTrees
from oracledp.data.literals import Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.mechanisms.private_trees import SPLITTING
from oracledp.mechanisms.sampling.decision_tree_sampler import TreeSampler
from oracledp.oracles.base import Failed
from oracledp.oracles.decision_tree_search import DecisionTreeSearchOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import SystemRandomness


def decision_trees(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """All features of the table, the number of errors as the objective; then smaller tables."""
    if settings.quick:
        yield tree_row(table.name, table.features[:, :12], table.feature_label, 2, settings)
        return
    for depth in (3, 4, 5):
        yield tree_row(table.name, table.features, table.feature_label, depth, settings)
    for name, features, label in table.others:
        yield tree_row(name, features, label, 4, settings)


def tree_row(name: str, features: Bits, label: Flags, depth: int, settings: Settings) -> Row:
    """CPU seconds with the merging of equal rows: the optimum, the first private draw, and another one."""
    trees = DecisionTrees(Literals.named(*(f"x{i}" for i in range(features.shape[1]))), depth=depth)
    signs = np.where(label, -1, 1).astype(np.int64)
    oracle = DecisionTreeSearchOracle()
    first, answer = best_of(lambda: oracle.solve(WeightedProblem.build(trees, features, signs)), most=5)
    assert not isinstance(answer, Failed)
    errors = answer.value + int(label.sum())
    prepare, sampler = timed(lambda: _sampler(trees, features, label))
    draw, _ = timed(lambda: sampler.draw(SystemRandomness()))
    again, _ = best_of(lambda: sampler.draw(SystemRandomness()))
    row: Row = {"case": f"{name} depth={depth} n={len(features)} literals={features.shape[1]}", "depth": depth}
    row |= {"name": name, "n": len(features), "literals": features.shape[1]}
    row |= {"oracle": oracle.name, "first": first, "again": first, "errors": errors}
    row |= {"draw": prepare + draw, "next_draw": again}
    names = settings.specialists if settings.peers else ()
    return {**row, "specialists": {peer: fit(peer, features, label, depth, settings) for peer in names}}


def _sampler(trees: DecisionTrees, features: Bits, label: Flags) -> TreeSampler:
    packed = PackedRecords.of(features)
    equal = packed.equal()
    weights = np.stack([equal.totals((label == value).astype(np.int64)) for value in (False, True)], axis=1)
    return TreeSampler.over(trees, packed[equal.first()], weights, Fraction(1), SPLITTING)
