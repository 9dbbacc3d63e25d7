"""Answers of solvers turned into proofs: the inner oracle is worth time and is never believed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from prsma_examples import REPLACE, a_design, rules

import oracledp as odp
from broken import hostile_oracles as hostile
from oracledp._engine import ConjunctionIndex, best_conjunctions
from oracledp.classes import Conjunctions, Disjunctions, Parities
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import CapacityError, ParameterError
from oracledp.mechanisms.perturbed_min import oracle_assumptions, rspm
from oracledp.mechanisms.robust.mechanism import RobustMechanism
from oracledp.oracles.base import Answer, Failed, Oracle, Solution, Trust
from oracledp.oracles.cp_sat import CpSatIncumbents, CpSatOracle
from oracledp.oracles.door import ask, public_certificate
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.heuristics import HeuristicOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.proved import ProvedOracle
from oracledp.oracles.registry import acts_alike, admit, owned, resolve
from oracledp.randomness.source import SeededRandomness

NAMES = Literals.named(*"abcde")
SCHEMA = odp.Schema({name: {"kind": "boolean"} for name in "ab"})


def a_problem(queries: QueryClass, seed: int) -> WeightedProblem:
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 2, (20, queries.dimension)).astype(np.uint8)
    problem = WeightedProblem.build(queries, records, rng.integers(-3, 4, 20))
    return problem.with_noise(rng.integers(-3, 4, problem.part_costs.shape))


STRANGERS: list[Oracle] = [
    hostile.FailsOnDemand(when=lambda problem: True),
    hostile.LiesAboutOptimality(),
    hostile.ReturnsSecondBest(),
    hostile.MisstatesValue(),
    hostile.ReturnsForeignQuery(),
    hostile.Raises(),
]
INNER: list[Oracle] = [CpSatOracle(), CpSatIncumbents(), HeuristicOracle(), *STRANGERS]


@pytest.mark.parametrize("inner", INNER, ids=lambda inner: type(inner).__name__)
@pytest.mark.parametrize("queries", [Conjunctions(NAMES), Disjunctions(NAMES, max_width=2)], ids=lambda one: one.kind)
def test_whatever_the_inner_oracle_says_the_answer_is_the_first_minimiser(inner: Oracle, queries: QueryClass) -> None:
    for seed in range(3):
        problem = a_problem(queries, seed)
        expected = ask(ExhaustiveOracle(), problem)
        assert isinstance(expected, Solution)
        for oracle in (ProvedOracle(inner), ProvedOracle(inner, work_limit=10**6, verify=True)):
            found = ask(oracle, problem)
            assert isinstance(found, Solution)
            assert (found.value, found.query) == (expected.value, expected.query)
            assert found.certificate.trust is Trust.PROVED


def test_a_work_limit_is_a_failure_and_other_classes_are_not_served() -> None:
    assert ask(ProvedOracle(HeuristicOracle(), work_limit=0), a_problem(Conjunctions(NAMES), 0)) == Failed(
        "work limit reached"
    )
    assert ask(ProvedOracle(HeuristicOracle()), a_problem(Parities(NAMES), 0)) == Failed("class not supported")


def test_what_a_guarantee_stands_on() -> None:
    assert oracle_assumptions(ProvedOracle(CpSatOracle())) == ()
    assert oracle_assumptions(ProvedOracle(CpSatOracle(), work_limit=5)) == (
        "cp-sat:proved answers whatever the data within its deterministic work limit (5)",
    )
    assert len(oracle_assumptions(ProvedOracle(STRANGERS[0]))) == 1  # it may never come back
    assert public_certificate(ProvedOracle(CpSatOracle())).method == "the minimum was proved by cp-sat:proved"
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    table, queries = odp.Table.from_codes(rows, SCHEMA), Conjunctions(SCHEMA.literals)
    for name, robust in (("cp-sat", False), ("cp-sat:proved", True), ("heuristic:proved", True)):
        found = rspm(table, queries, epsilon=1, oracle=name, source=SeededRandomness(1))
        assert (found.guarantee.assumes == ()) == robust, name


def test_prsma_is_robust_with_a_limited_proof_and_says_what_a_stranger_may_do() -> None:
    def assumed(oracle: Oracle) -> tuple[str, ...]:
        return RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=oracle).guarantee.assumes

    assert assumed(ProvedOracle(CpSatIncumbents(), work_limit=10**6)) == ()
    assert assumed(CpSatOracle()) != ()
    assert acts_alike(ProvedOracle(CpSatOracle()))
    assert not acts_alike(ProvedOracle(STRANGERS[0]))
    assert not acts_alike(admit(STRANGERS[0]))


def test_names() -> None:
    queries = Conjunctions(NAMES)
    found = resolve("milp:proved", queries)
    assert isinstance(found, ProvedOracle)
    assert (found.name, owned(found), found.total, found.fixed_ties) == ("milp:proved", True, True, True)
    assert resolve("auto:proved", queries) == resolve("auto", queries)
    assert resolve("search:proved", queries).name == "branch-and-bound"
    with pytest.raises(CapacityError, match="serves conjunctions and disjunctions, not parities"):
        resolve("cp-sat:proved", Parities(NAMES))
    with pytest.raises(ParameterError, match="oracle must be one of"):
        resolve("gurobi:proved", queries)


@dataclass
class Burglar:
    """Leaves nothing of what it finds in the problem's memory."""

    seen: list[str] = field(default_factory=list)
    name, trust, total, fixed_ties = "burglar", Trust.PROVED, True, True

    def solve(self, problem: WeightedProblem) -> Answer:
        self.seen += list(problem.cache)
        problem.cache.clear()
        return Failed("nothing")


def test_the_inner_oracle_cannot_reach_what_the_search_prepared() -> None:
    burglar, problem = Burglar(), a_problem(Conjunctions(NAMES), 1)
    for _ in range(2):
        assert isinstance(ask(ProvedOracle(burglar), problem), Solution)
    assert burglar.seen == []
    assert "conjunctions" in problem.cache


def test_a_start_changes_the_work_and_not_the_answer() -> None:
    rng = np.random.default_rng(5)
    records, weights = rng.integers(0, 2, (300, 12)).astype(np.uint8), rng.integers(-3, 4, 300)
    index, none = ConjunctionIndex(PackedRecords.of(records), weights), np.zeros((1, 0), dtype=np.int64)
    for _ in range(50):
        costs = rng.integers(-20, 21, (1, 12))
        plain = best_conjunctions(index, costs, none, 12, 1 << 60)[0]
        assert plain is not None
        for start in (plain[1], [0, 3, 7], list(range(12))):
            started = best_conjunctions(index, costs, none, 12, 1 << 60, start=start)[0]
            assert started is not None
            assert started[:2] == plain[:2]
            assert started[2] <= plain[2] or start != plain[1]
    for start in ([12], [-1], [1, 1]):
        with pytest.raises(ValueError, match="a set of the class"):
            best_conjunctions(index, costs, none, 12, 1 << 60, start=start)
