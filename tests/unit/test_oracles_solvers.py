"""Limits, refusals and settings of the outside solvers, and how oracles are found by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracledp.classes import Conjunctions, Disjunctions, Halfspaces, Parities, QueryClass, ReadOnceFormulas
from oracledp.data.literals import Literals
from oracledp.errors import CapacityError, MissingDependency, ParameterError
from oracledp.oracles import registry
from oracledp.oracles.base import Failed, Solution, Trust
from oracledp.oracles.cp_sat import CpSatOracle
from oracledp.oracles.door import ask
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.heuristics import HeuristicOracle, round_halfspace
from oracledp.oracles.maxsat import Clauses, MaxSatOracle
from oracledp.oracles.milp import MilpOracle
from oracledp.oracles.problem import WeightedProblem


def literals(count: int) -> Literals:
    return Literals.named(*(f"x{i}" for i in range(count)))


def noisy(queries: QueryClass, rows: int, seed: int) -> WeightedProblem:
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 2, (rows, queries.dimension)).astype(np.uint8)
    problem = WeightedProblem.build(queries, records, rng.integers(-50, 51, rows))
    return problem.with_noise(rng.integers(-50, 51, queries.part_count))


def close_call(seed: int) -> WeightedProblem:
    """A covering problem whose best values are near 2^58 and differ by less than 2^10: doubles cannot tell."""
    rng = np.random.default_rng(seed)
    queries = Disjunctions(literals(12))
    records = np.zeros((14, 12), dtype=np.uint8)
    for row in records:
        row[rng.integers(0, 12, 3)] = 1
    problem = WeightedProblem.build(queries, records, np.full(14, -(1 << 57)))
    return problem.with_noise((1 << 56) + rng.integers(0, 200, 12))


@pytest.mark.parametrize("oracle", [CpSatOracle(), MaxSatOracle()], ids=lambda oracle: oracle.name)
def test_values_beyond_double_precision_are_told_apart(oracle: Any) -> None:
    """CP-SAT's default gap limit compares doubles and reported wrong optima here: the gaps are set to 0."""
    for seed in range(40):
        problem = close_call(seed)
        answer, best = ask(oracle, problem), ask(ExhaustiveOracle(), problem)
        assert isinstance(answer, Solution)
        assert isinstance(best, Solution)
        assert answer.value == best.value


def test_cp_sat_fails_at_its_work_limit() -> None:
    problem = noisy(Conjunctions(literals(20)), 200, 0)
    assert isinstance(ask(CpSatOracle(work_limit=1e-4), problem), Failed)


def test_cp_sat_is_deterministic() -> None:
    problem = noisy(Parities(literals(8)), 40, 0)
    assert ask(CpSatOracle(), problem) == ask(CpSatOracle(), problem)


def test_cp_sat_refuses_coefficients_that_do_not_fit() -> None:
    formulas = ReadOnceFormulas(literals(4), gate="nand")
    records = np.ones((2, 4), dtype=np.uint8)
    records[1, 0] = 0
    weights = np.array([(1 << 60) + 1, (1 << 59) - 1])
    answer = ask(CpSatOracle(), WeightedProblem.build(formulas, records, weights))
    assert answer == Failed("the coefficients are too large for the solver")


@pytest.mark.parametrize(
    "make",
    [lambda: CpSatOracle(work_limit=0), lambda: MilpOracle(node_limit=0), lambda: HeuristicOracle(most_steps=-1)],
)
def test_senseless_limits_are_refused(make: Any) -> None:
    with pytest.raises(ParameterError):
        make()


def test_highs_is_only_ever_a_guess() -> None:
    answer = ask(MilpOracle(), noisy(Conjunctions(literals(6)), 20, 1))
    best = ask(ExhaustiveOracle(), noisy(Conjunctions(literals(6)), 20, 1))
    assert isinstance(answer, Solution)
    assert isinstance(best, Solution)
    assert (answer.value, answer.certificate.trust) == (best.value, Trust.GUESSED)


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_counters_count(most: int) -> None:
    for mask in range(16):
        clauses = Clauses(4)
        counts = clauses.at_least(range(1, 5), most)
        clauses.hard += [[v if mask >> (v - 1) & 1 else -v] for v in range(1, 5)]
        model = clauses.minimise()
        assert model is not None
        assert [count in model for count in counts] == [t < mask.bit_count() for t in range(min(most, 4))]


def test_linear_models_are_rounded_to_the_class() -> None:
    card = Halfspaces(literals(3), weights=(-2, -1, 0, 1, 2), max_nonzero=2, thresholds=(0, 1, 2))
    parts = round_halfspace(card, np.array([1.0, -0.6, 0.01]), 0.6, 1.0)
    assert str(card.query(*parts)) == "+2·x0 -1·x1 >= 1"
    dense = Halfspaces(literals(2), weights=(-1, 1))
    assert str(dense.query(*round_halfspace(dense, np.zeros(2), 0.0, 1.0))) == "-1·x0 -1·x1 >= 1"


def test_heuristics_find_a_planted_rule() -> None:
    rng = np.random.default_rng(3)
    records = rng.integers(0, 2, (200, 10)).astype(np.uint8)
    rule = Conjunctions(literals(10), max_width=3).query(1, 4, 7)
    problem = WeightedProblem.build(rule.owner, records, np.where(rule(records), -5, 3))
    answer = ask(HeuristicOracle(), problem)
    assert isinstance(answer, Solution)
    assert answer.query == rule


# ---- names ---------------------------------------------------------------------------------------------
def test_every_name_resolves_to_an_oracle_that_answers() -> None:
    problem = noisy(Conjunctions(literals(4)), 6, 0)
    best = ask(ExhaustiveOracle(), problem)
    assert isinstance(best, Solution)
    assert set(registry.available()) == set(registry.NAMES)
    with pytest.raises(CapacityError, match="'long-list-search' does not serve conjunctions"):
        registry.resolve("long-lists", problem.query_class, 6)
    for name in set(registry.NAMES) - {"long-lists"}:
        answer = ask(registry.resolve(name, problem.query_class, 6), problem)
        assert isinstance(answer, Solution)
        assert answer.value >= best.value


def test_auto_is_total_where_it_can_be_and_cp_sat_elsewhere() -> None:
    assert registry.resolve("auto", Conjunctions(literals(8)).closure()).total
    assert registry.resolve("auto", ReadOnceFormulas(literals(5))).name == "exhaustive"
    assert registry.resolve("auto", Parities(literals(60))).name == "cp-sat"


def test_an_oracle_is_its_own_name() -> None:
    oracle = CpSatOracle(work_limit=3)
    assert registry.resolve(oracle, Conjunctions(literals(2))) is oracle


def test_unknown_names_and_classes_out_of_reach_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"oracle must be one of auto, .*, got 'gurobi'"):
        registry.resolve("gurobi", Conjunctions(literals(2)))
    with pytest.raises(CapacityError, match="does not serve this query class"):
        registry.resolve("exhaustive", Parities(literals(60)))


@pytest.mark.parametrize("name", ["cp-sat", "maxsat", "milp", "heuristic"])
def test_a_missing_solver_names_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry.Entry, "present", lambda entry: False)
    assert name not in registry.available()
    with pytest.raises(MissingDependency, match=r'pip install "oracledp\[solvers\]"'):
        registry.resolve(name, Conjunctions(literals(2)))
