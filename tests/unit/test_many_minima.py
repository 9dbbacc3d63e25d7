"""Runs in one call of the oracle are the runs one by one: the same queries, values and failures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from oracledp.classes import Conjunctions, Disjunctions, Halfspaces, Parities, ZeroOneLoss
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literals
from oracledp.mechanisms.many_minima import Minima, PricedBranch
from oracledp.mechanisms.objective import Minimum, Objective
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.robust.rspm_base import RspmBase
from oracledp.mechanisms.robust.runs import Batch, BatchResult, run_batch
from oracledp.oracles.base import Failed, Oracle
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.many import answers_many, ask_many
from oracledp.oracles.problem import LIMIT
from oracledp.oracles.redraws import Redrawn
from oracledp.oracles.sparse_parities import SparseParityOracle
from oracledp.oracles.transforms import TransformOracle
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness

NAMES = Literals.named("a", "b", "c", "d", "y")
FEATURES = NAMES.without("y")
SEARCHES: list[tuple[Oracle, Callable[..., QueryClass]]] = [
    (TransformOracle(), Conjunctions), (TransformOracle(), Parities), (BranchAndBoundOracle(), Disjunctions),
    (BranchAndBoundOracle(), Conjunctions), (SparseParityOracle(), Parities), (ExhaustiveOracle(), Conjunctions),
    (ExhaustiveOracle(), Parities),
]  # fmt: skip


def mechanism(queries: QueryClass, oracle: Oracle, embedding: str = "k-hot") -> ReportSeparatorPerturbedMin:
    relation = Neighbours.REPLACE_ONE
    return ReportSeparatorPerturbedMin.calibrate(
        queries, epsilon=Fraction(1, 20), neighbours=relation, oracle=oracle, embedding=embedding, rows_bound=1000
    )


def objective(queries: QueryClass, seed: int, resolution: int) -> Objective:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (30, queries.dimension)).astype(np.uint8)
    return Objective.of(queries, rows, rng.integers(-9, 10, 30), resolution=resolution)


def classes(kind: Callable[..., QueryClass]) -> list[QueryClass]:
    narrow: Any = kind(FEATURES, max_width=2)
    return [kind(FEATURES), narrow, ZeroOneLoss.of(narrow, NAMES[4]), kind(FEATURES).closure()]  # type: ignore[attr-defined]


@pytest.mark.parametrize("embedding", ["k-hot", "separator"])
@pytest.mark.parametrize(("oracle", "kind"), SEARCHES)
def test_a_batch_says_what_its_runs_say(oracle: Any, kind: Callable[..., QueryClass], embedding: str) -> None:
    for seed, queries in enumerate(classes(kind)):
        if not all(oracle.supports(branch.base, 0) for branch in queries.branches()):
            continue
        rspm = mechanism(queries, oracle, embedding)
        data = objective(queries, seed, rspm.perturbation.resolution)
        noise = rspm.perturbation.draw_many(40, SeededRandomness(seed))
        found = rspm.run_many_with(data, noise)
        assert isinstance(found, Minima)
        assert [found.at(run) for run in range(40)] == [rspm.run_with(data, row) for row in noise]
        assert len({found.at(run).parts for run in range(40)}) > 1  # type: ignore[union-attr]


def test_elements_that_cost_no_part_are_added_one_by_one() -> None:
    code = tuple(tuple(int(bit) for bit in row) for row in np.eye(4, dtype=int))
    rspm = mechanism(Parities(FEATURES, code=code), ExhaustiveOracle(), "separator")
    data = objective(rspm.queries, 0, rspm.perturbation.resolution)
    noise = rspm.perturbation.draw_many(3, SeededRandomness(0))
    assert rspm.run_many_with(data, noise) is None
    assert noise.shape == (3, rspm.perturbation.coordinates)


@pytest.mark.parametrize("embedding", ["k-hot", "separator"])
def test_halfspaces_have_costs_of_their_own(embedding: str) -> None:
    rspm = mechanism(Halfspaces(FEATURES[:3]), ExhaustiveOracle(), embedding)
    data = objective(rspm.queries, 1, rspm.perturbation.resolution)
    noise = rspm.perturbation.draw_many(20, SeededRandomness(1))
    found = rspm.run_many_with(data, noise)
    assert isinstance(found, Minima)
    assert [found.at(run) for run in range(20)] == [rspm.run_with(data, row) for row in noise]


def test_draws_of_a_batch_are_those_of_its_runs() -> None:
    """From the same bits the same numbers: nothing is drawn in between."""
    for embedding in ("k-hot", "separator"):
        noise = mechanism(Conjunctions(FEATURES), ExhaustiveOracle(), embedding).perturbation
        together = noise.draw_many(5, SeededRandomness(3))
        assert together.shape == (5, noise.coordinates)
        assert len(np.unique(together, axis=0)) == 5


def test_a_search_that_gives_up_fails_its_own_run_alone() -> None:
    queries = Conjunctions(FEATURES)
    rspm = mechanism(queries, BranchAndBoundOracle())
    data = objective(queries, 2, rspm.perturbation.resolution)
    noise = rspm.perturbation.draw_many(30, SeededRandomness(2))
    limits = range(1, 40)
    for limit in limits:
        limited = replace(rspm, oracle=BranchAndBoundOracle(work_limit=limit))
        alone = [limited.run_with(data, row) for row in noise]
        found = limited.run_many_with(data, noise)
        assert isinstance(found, Minima)
        assert found.answered.tolist() == [isinstance(one, Minimum) for one in alone]
        assert all(found.at(run) == one for run, one in enumerate(alone) if isinstance(one, Minimum))
        base, rows = RspmBase(limited, 1), data.pieces[0].problem.records
        batch = Batch(0, 0, rows, np.ones(len(rows), dtype=np.int64), noise, kept=7)
        outputs = [base.prepare(rows, batch.counts)(row) for row in noise]
        result = run_batch(base, batch)
        assert result.passed == all(output is not None for output in outputs)
        assert result.output == (outputs[7] if result.passed else None)


class Lies(TransformOracle):
    """Nobody's."""


def test_only_our_own_searches_are_asked_together() -> None:
    assert answers_many(TransformOracle())
    assert not answers_many(Lies())
    assert not answers_many(BranchAndBoundOracle(verify=True))
    rspm = mechanism(Conjunctions(FEATURES), Lies())
    data = objective(rspm.queries, 0, rspm.perturbation.resolution)
    assert rspm.run_many_with(data, rspm.perturbation.draw_many(2, SeededRandomness(0))) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda found: replace(found, values=found.values + 1),
        lambda found: replace(found, values=np.where(np.arange(len(found.values)) == 3, 0, found.values)),
        lambda found: replace(found, queries=tuple((9,) for _ in found.queries)),
        lambda found: replace(found, which=np.roll(found.which, 1)),
    ],
)
def test_a_wrong_value_or_query_fails_the_batch(
    change: Callable[[Redrawn], Redrawn], monkeypatch: pytest.MonkeyPatch
) -> None:
    rspm = mechanism(Conjunctions(FEATURES), TransformOracle())
    data = objective(rspm.queries, 4, rspm.perturbation.resolution)
    noise = rspm.perturbation.draw_many(20, SeededRandomness(4))
    right = TransformOracle.redraw
    monkeypatch.setattr(TransformOracle, "redraw", lambda *given: change(right(*given)))
    assert isinstance(rspm.run_many_with(data, noise), Failed)
    rows = data.pieces[0].problem.records
    batch = Batch(0, 0, rows, np.ones(len(rows), dtype=np.int64), noise, kept=0)
    assert run_batch(RspmBase(rspm, 1), batch) == BatchResult.failed(batch)


def test_memory_that_ran_out_in_a_batch_is_told_from_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def starve(*given: object) -> Redrawn:
        raise MemoryError("secret")

    rspm = mechanism(Conjunctions(FEATURES), TransformOracle())
    monkeypatch.setattr(TransformOracle, "redraw", starve)
    noise = rspm.perturbation.draw_many(2, SeededRandomness(0))
    batch = Batch(0, 0, np.ones((1, 4), dtype=np.uint8), np.array([1]), noise, kept=0)
    assert run_batch(RspmBase(rspm, 1), batch).lost


def test_values_beyond_64_bits_are_compared_in_python_integers() -> None:
    data = objective(Conjunctions(FEATURES), 0, 0)
    piece = replace(data.pieces[0], problem=replace(data.pieces[0].problem, constant=3 * LIMIT))
    nothing = np.zeros((2, 0), dtype=np.int64)
    priced = PricedBranch(piece, nothing, nothing, np.array([LIMIT - 1, -5]))
    found = Redrawn(((),), np.zeros(2, dtype=np.int64), np.array([LIMIT - 1, 7]))
    assert priced.totals(found).tolist() == [5 * LIMIT - 2, 3 * LIMIT + 2]


def test_sums_that_could_wrap_are_refused() -> None:
    problem = objective(Conjunctions(FEATURES), 0, 0).pieces[0].problem
    costs, sizes = np.full((1, 4), 1 << 60), np.zeros((1, len(problem.size_costs)), dtype=np.int64)
    with pytest.raises(Exception, match="2\\^62"):
        ask_many(TransformOracle(), problem, costs, sizes)
