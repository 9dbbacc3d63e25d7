"""Which rows a step reads, how much noise it adds to them and what it pays: privacy by the step, in hand-made cases.

Every one of these steps can be broken in a line that would otherwise be noticed by long runs only.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from refusals import refused

from oracledp.audit.robust_doors import two_samples
from oracledp.classes import Conjunctions
from oracledp.data.literals import Literals
from oracledp.data.schema import Schema
from oracledp.data.table.unit import Unit
from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.game import query_player
from oracledp.game.gaussian_player import GaussianPlayer
from oracledp.game.oracle_query import OracleQuery
from oracledp.game.query_player import ExponentialPlayer
from oracledp.game.robust_player import RobustPlayer
from oracledp.learners import selector
from oracledp.learners.chances import BandCounts
from oracledp.learners.fitting import LabelledRows
from oracledp.learning.aimed_cards import AimedCards
from oracledp.learning.blocks import Block
from oracledp.mechanisms import value_trees
from oracledp.mechanisms.class_sums import ClassSums
from oracledp.mechanisms.mapped_counts import MappedCounting
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.private_schema import SchemaInference
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.robust.mechanism import RobustMechanism
from oracledp.mechanisms.row_count import RowCount
from oracledp.mechanisms.subsampling import random_rows
from oracledp.mechanisms.value_trees import GRID, LeafMeans
from oracledp.oracles.base import Certificate, Trust
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.privacy.gaussian_accounting import GaussianBudget
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.persons import per_unit
from oracledp.randomness.source import SeededRandomness, SystemRandomness
from oracledp.synthesis import measurements
from oracledp.synthesis.counted import CountedQuery
from oracledp.synthesis.measurements import LATTICE, Meter, Records

EPSILON = Fraction(1)
ADD_REMOVE, REPLACE_ONE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE
CHANGED = {ADD_REMOVE: 1, REPLACE_ONE: 2}  # rows in which neighbours differ
SCHEMA = Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}})
QUERIES = Conjunctions(SCHEMA.literals)


# ---- the meter of a synthesis ----------------------------------------------------------------------------------------
def meter(relation: Neighbours, rho: Fraction = Fraction(2)) -> Meter:
    codes, counts = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.uint8), np.array([1, 2, 3])
    records = Records(codes, counts, (2, 2), (False, False), (False, False))
    return Meter(records, GaussianBudget(rho), relation, SeededRandomness(0))


@pytest.mark.parametrize("relation", Neighbours)
def test_every_measurement_has_the_noise_of_its_sensitivity_and_is_paid(relation: Neighbours) -> None:
    """At ρ = 1/2 the variance is Δ₂² itself: a signed count moves by 1, or by 2 where a row is replaced."""
    gauge, half, both = meter(relation), Fraction(1, 2), np.arange(2)
    queries = [CountedQuery.of(QUERIES.query(part), SCHEMA) for part in (0, 1)]
    assert gauge.queries(queries, half).variance == 2 * CHANGED[relation] ** 2
    assert gauge.table((0, 1), (-1, -1), [both, both], half).variance == CHANGED[relation]
    assert gauge.spent == 1
    gauge.select(QUERIES, SCHEMA, np.array([[0, 0]]), 6, half)
    assert gauge.spent == Fraction(3, 2)
    assert refused(lambda: gauge.select(QUERIES, SCHEMA, np.array([[0, 0]]), 6, EPSILON), BudgetExceeded)
    assert gauge.spent == Fraction(3, 2)


@pytest.mark.parametrize("total", [4, 6, 40])
def test_a_selection_compares_with_the_released_total(total: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the query that always holds the score is the released total less the rows: nothing else scales with them."""
    asked: list[Any] = []

    class Asked:
        def __init__(self, queries: Any, epsilon: Fraction, neighbours: Neighbours) -> None:
            self.always = next(parts for parts in queries.all_parts() if queries.evaluate(parts, ONES).all())

        def run(self, objective: Any, source: Any) -> Any:
            asked.append(objective.value(self.always))
            return self.always

    monkeypatch.setattr(measurements, "ExponentialMechanism", Asked)
    meter(ADD_REMOVE).select(QUERIES, SCHEMA, np.array([[0, 0], [1, 1]]), total, EPSILON)
    assert asked == [(total - 6) << LATTICE]


ONES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)


# ---- learners --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("relation", Neighbours)
def test_a_choice_is_made_on_rows_that_no_candidate_was_fitted_on(
    relation: Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, list[int]]] = []
    asked: list[tuple[list[int], Fraction]] = []

    class Candidate:
        fitting = SimpleNamespace(run=lambda data, source: seen.append(("fit", data.records[:, 0].tolist())))

        def errors(self, fitted: Any, data: LabelledRows) -> int:
            seen.append(("compare", data.records[:, 0].tolist()))
            return len(data)

    def choose(errors: Any, rate: Fraction, source: Any) -> int:
        asked.append((errors.tolist(), rate))
        return 1

    monkeypatch.setattr(selector, "permute_and_flip_choice", choose)
    promised = Guarantee(epsilon=EPSILON, neighbours=relation, proof="private-choice")
    rows = LabelledRows(np.arange(60, dtype=np.uint8)[:, None], np.zeros(60, dtype=np.intp))
    chosen, _ = selector.Selecting((Candidate(), Candidate()), promised).run(  # type: ignore[arg-type]
        [rows, rows], SystemRandomness()
    )
    fits, comparisons = ([rows for step, rows in seen if step == kind] for kind in ("fit", "compare"))
    assert fits[0] == fits[1]
    for fitted, compared in zip(fits, comparisons, strict=True):
        assert sorted(fitted + compared) == list(range(60))
    assert asked == [([len(comparisons[0])] * 2, EPSILON / CHANGED[relation])]
    assert chosen == 1


def test_a_sample_is_drawn_by_lot() -> None:
    """Two draws of 200 coins are alike with probability 2^-200, of half the rows with less than 10^-50."""
    for relation in Neighbours:
        first, second = (random_rows(200, Fraction(1, 2), relation, SystemRandomness()) for _ in range(2))
        assert first.tolist() != second.tolist()


@pytest.mark.parametrize("relation", Neighbours)
def test_counts_and_sums_of_leaves_share_epsilon(relation: Neighbours, monkeypatch: pytest.MonkeyPatch) -> None:
    means, told = LeafMeans(EPSILON, relation), []

    def blocks(exact: Any, scale: int, sizes: Any, source: Any) -> Any:
        told.append((exact.tolist(), scale))
        return exact

    monkeypatch.setattr(value_trees, "noisy_blocks", blocks)
    far = np.array([10**9, -(10**9), 0])
    means.run(np.array([0, 0, 1]), far, np.array([0, GRID]), SystemRandomness())
    (counts, scale), (sums, sum_scale) = told
    assert (counts, sums) == ([2, 1], [0, -(GRID // 2)])  # a value counts within the grid
    spent = Fraction(CHANGED[relation], scale) + Fraction(CHANGED[relation] * GRID // 2, sum_scale)
    assert Fraction(99, 100) * EPSILON < spent <= EPSILON


@pytest.mark.parametrize("relation", Neighbours)
def test_bands_are_counted_with_noise(relation: Neighbours) -> None:
    """At scale 10^6 forty counts come out exact with probability below 10^-200."""
    counts = BandCounts(Fraction(1, 10**6), relation)
    assert counts.scale == CHANGED[relation] * 10**6
    zeros = np.zeros(3, dtype=np.intp)
    released = counts.run(zeros, zeros, (20, 2), SystemRandomness())
    assert released.shape == (20, 2)
    assert np.count_nonzero(released) > 1


def test_sums_need_a_feature_in_each_block_and_a_class() -> None:
    for sizes, classes in (((0, 1), 1), ((1, 0), 2), ((1,), 0), ((), 1)):
        assert refused(
            lambda sizes=sizes, classes=classes: ClassSums(sizes, classes, EPSILON, ADD_REMOVE), ParameterError
        )


def test_columns_pay_for_one_another() -> None:
    """Mapped rows are counted in every column, rows too where their number is private; rare texts in each column."""
    assert [MappedCounting(3, EPSILON, relation).scale for relation in (ADD_REMOVE, REPLACE_ONE)] == [4, 3]
    for relation in Neighbours:
        inference = SchemaInference(5, EPSILON, Fraction(1, 1000), relation)
        assert inference.rare * 5 * CHANGED[relation] == Fraction(1, 20_000)


@pytest.mark.parametrize("rows", [None, 100])
def test_a_card_for_numbers_follows_a_released_or_a_public_number_of_rows(
    rows: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def gradients(self: AimedCards, encoding: Any, size: int) -> None:
        asked.append(size)
        raise ParameterError("enough")

    monkeypatch.setattr(RowCount, "run", lambda self, rows, source: 4096)
    monkeypatch.setattr(AimedCards, "_gradients", gradients)
    literals = SCHEMA.literals
    blocks = tuple(Block.single(number) for number in range(len(literals)))
    cards = AimedCards(literals, blocks, EPSILON, Fraction(1, 1000), ADD_REMOVE, rows)
    records = np.zeros((7, 2), dtype=np.uint8)
    assert refused(
        lambda: cards.run(records, np.zeros(7, dtype=np.int64), 10, None, SystemRandomness()), ParameterError
    )
    assert asked == [4096 if rows is None else 100]


def test_a_robust_choice_is_made_for_the_weights_that_it_will_see(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def calibrate(queries: Any, *, rows_bound: int, unit: int, **more: Any) -> None:
        asked.append((rows_bound, unit))
        raise ParameterError("enough")

    monkeypatch.setattr(ReportSeparatorPerturbedMin, "calibrate", calibrate)
    design = two_samples()
    given = {"neighbours": ADD_REMOVE, "oracle": ExhaustiveOracle(), "unit": 4}
    assert refused(lambda: RobustMechanism.calibrate(QUERIES, design, **given), ParameterError)  # type: ignore[arg-type]
    assert asked == [(design.rows, 4)]


# ---- what is released ------------------------------------------------------------------------------------------------
def test_the_work_of_a_search_is_not_released() -> None:
    promised = Guarantee(epsilon=EPSILON, neighbours=ADD_REMOVE, proof="noise")
    released = Release(QUERIES.query(0), promised, Certificate(Trust.PROVED, "search", work=77), "rspm")
    assert released.certificate == Certificate(Trust.PROVED, "search", work=0)


# ---- the game --------------------------------------------------------------------------------------------------------
def test_a_player_with_a_scoreboard_draws_at_the_rate_of_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Fraction] = []

    def choice(values: Any, rate: Fraction, source: Any) -> int:
        asked.append(rate)
        return 0

    monkeypatch.setattr(query_player, "exponential_choice", choice)
    closed = Conjunctions(Literals.named("a", "b")).closure()
    player = ExponentialPlayer.calibrate(closed, 3, EPSILON, Fraction(1, 1000))
    board = SimpleNamespace(values=lambda resolution: np.zeros(1), parts_at=lambda index: (index,))
    player.respond(SimpleNamespace(board=board, resolution=7), SystemRandomness())  # type: ignore[arg-type]
    assert asked == [player.mechanism.epsilon / 2 / 2**7]  # a replaced row moves a payoff by two


def test_who_lists_all_queries() -> None:
    assert ExponentialPlayer.lists_queries
    assert not GaussianPlayer.lists_queries
    assert not RobustPlayer.lists_queries


def test_a_game_is_saved_where_it_was_asked_to() -> None:
    saved: list[str] = []
    fitted = SimpleNamespace(_model=lambda: SimpleNamespace(save=saved.append))
    OracleQuery.save(fitted, "game.json")  # type: ignore[arg-type]
    assert saved == ["game.json"]


@pytest.mark.parametrize("rho", [None, Fraction(1, 8)])
@pytest.mark.parametrize("unit", [Unit(), Unit("patient", 3)])
def test_a_guarantee_is_read_back_whole(rho: Fraction | None, unit: Unit) -> None:
    promised = Guarantee(epsilon=EPSILON, neighbours=ADD_REMOVE, proof="noise", rho=rho, unit=unit, assumes=("a", "b"))
    assert Guarantee.from_json(promised.to_json()) == promised


def test_what_a_row_promises_grows_for_a_person_with_three() -> None:
    row = Guarantee(epsilon=EPSILON, delta=Fraction(1, 10**6), neighbours=ADD_REMOVE, proof="noise", rho=Fraction(1, 8))
    person = per_unit(row, Unit("patient", 3))
    assert (person.epsilon, person.rho) == (3, Fraction(9, 8))
    assert float(person.delta) == pytest.approx(1e-6 * (1 + exp(1) + exp(2)), rel=1e-4)
