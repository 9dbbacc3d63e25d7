"""What the tests of PRSMA share: a small design, a table, rules, a base that counts."""

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from broken.hostile_oracles import FailsOnDemand
from oracledp.classes import Conjunctions
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.robust import Design, NothingReleased, prsma
from oracledp.mechanisms.robust.laplace_test import laplace_table
from oracledp.mechanisms.robust.runs import (
    Array,
    Run,
)
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import Randomness, SeededRandomness

ONE = Fraction(1)
REPLACE, ADD = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE


def a_design(**changes: object) -> Design:
    basis = Design(
        epsilon=Fraction(2),
        delta=Fraction(1, 100),
        rows=3000,
        parts=20,
        runs_per_part=30,
        epsilon_inner=Fraction(1, 20),
        pass_probabilities=tuple(min(p, Fraction(99, 100)) for p in laplace_table(20, Fraction(1, 4), 14)),
        theorem=TwoSamples(Fraction(1, 20)),
    )
    return replace(basis, **changes)  # type: ignore[arg-type]


def a_table(rows: int = 3000) -> Table:
    schema = Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}})
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    counts = np.array([rows // 2, rows // 4, rows // 8, rows - rows // 2 - rows // 4 - rows // 8], dtype=np.int64)
    return Table.from_codes(codes, schema, counts)


def rules() -> Conjunctions:
    return Conjunctions(a_table().literals, max_width=2)


@dataclass(frozen=True)
class ToyBase:
    """Returns how many records its sample holds, and fails on samples that hold a forbidden record."""

    forbidden: int = -1
    drawn: list[int] = field(default_factory=list, compare=False)

    def draw(self, runs: int, source: Randomness) -> Array:
        self.drawn.append(runs)
        return np.zeros((runs, 1), dtype=np.int64)

    def prepare(self, records: Array, counts: Array) -> Run[int]:
        fails = self.forbidden in records.tolist()
        return lambda noise: None if fails else int(counts.sum())


LIMITED = BranchAndBoundOracle(work_limit=10**6)  # our own search, and it may give up
ON_DATA = FailsOnDemand(when=lambda problem: len(problem.records) > 0)


def run(**changes: object) -> Release | NothingReleased:
    options: dict[str, object] = {
        "epsilon": 2,
        "delta": "1/100",
        "oracle": LIMITED,
        "design": a_design(),
        "source": SeededRandomness(5),
    }
    return prsma(a_table(), rules(), **(options | changes))  # type: ignore[arg-type]
