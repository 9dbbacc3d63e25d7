"""Decision lists of any length with a penalty on each rule, as CORELS learns them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.engine.data import BenchmarkTable
from benchmarks.engine.labelled import Bits, Flags
from benchmarks.engine.measure import Row, Settings
from benchmarks.engine.specialists import fit_list
from benchmarks.engine.timing import timed
from oracledp.classes import DecisionLists
from oracledp.data.literals import Literals
from oracledp.oracles.base import Failed
from oracledp.oracles.long_list_search import LongListSearchOracle, rule_penalty
from oracledp.oracles.problem import WeightedProblem

PER_THOUSAND = 5  # of the rows, on each rule
LENGTH = 20
MOST_WORK = 1 << 31  # half a minute or so


def long_lists(table: BenchmarkTable, settings: Settings) -> Iterator[Row]:
    """Single literals and their negations, on the features of the table and on smaller tables."""
    if settings.quick:
        yield list_row(table.name, table.features[:, :12], table.feature_label, settings)
        return
    for name, features, label in (*table.others, (table.name, table.features, table.feature_label)):
        yield list_row(name, features, label, settings)


def list_row(name: str, features: Bits, label: Flags, settings: Settings) -> Row:
    """Errors a thousand times over, so that the penalty is a whole number."""
    both = np.concatenate([features, 1 - features], axis=1)
    lists = DecisionLists(Literals.named(*(f"x{i}" for i in range(both.shape[1]))), length=LENGTH)
    costs = rule_penalty(lists, PER_THOUSAND * len(label))
    weights = np.where(label, -1000, 1000).astype(np.int64)
    oracle = LongListSearchOracle(work_limit=MOST_WORK)
    seconds, answer = timed(lambda: oracle.solve(WeightedProblem.build(lists, both, weights).with_noise(costs)))
    facts: Row = {"n": len(label), "literals": both.shape[1]}
    row: Row = {"case": f"{name} n={len(label)} literals={both.shape[1]}", **facts, "oracle": oracle.name}
    peers = {"CORELS": fit_list(features, label, PER_THOUSAND, settings)} if settings.peers else {}
    if isinstance(answer, Failed):
        return {**row, "spent": seconds, "failed": answer.reason, "specialists": peers}
    row |= {"first": seconds, "again": seconds, "rules": len(lists.rules(answer.query.parts)[0])}
    objective = (answer.value + 1000 * int(label.sum())) / (1000 * len(label))
    return {**row, "objective": objective, "work": answer.certificate.work, "specialists": peers}
