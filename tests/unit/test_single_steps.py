"""One step of a mechanism at a time, on numbers that were worked out by hand."""

from __future__ import annotations

import signal
from fractions import Fraction
from math import isqrt
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from refusals import refused

from oracledp.classes import Conjunctions, DecisionTrees, Parities
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literals
from oracledp.data.schema import Schema
from oracledp.data.schema.text_kinds import spelled_numbers
from oracledp.data.table import Table
from oracledp.data.table.unit import Unit
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.capacity import MOST_ROWS, fits
from oracledp.game import match, players, robust_player
from oracledp.game.data_player import descend
from oracledp.game.gaussian_player import GaussianPlayer
from oracledp.game.settings import Rules
from oracledp.mechanisms import scoreboard
from oracledp.mechanisms.gradients import Descent, NoisyGradients
from oracledp.mechanisms.leaf_counts import LeafCounts
from oracledp.mechanisms.noisy_min import ReportNoisyMin
from oracledp.mechanisms.payoff import Payoff
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.mechanisms.private_trees import PrivateTrees
from oracledp.mechanisms.registry import Wanted, selector
from oracledp.mechanisms.robust import delta
from oracledp.mechanisms.robust.laplace_test import pass_probability
from oracledp.mechanisms.robust.rspm_base import RspmBase, output_of
from oracledp.mechanisms.sampling import parity_sampler, subset_sampler
from oracledp.mechanisms.sampling.tree_sampler import trials_over
from oracledp.mechanisms.sampling.trials import MOST_VALUE, ONE, check_problems, keep
from oracledp.mechanisms.scoreboard import Scoreboard
from oracledp.mechanisms.table_selection import TableSelection
from oracledp.mechanisms.votes.mechanism import Vote
from oracledp.oracles.base import OUT_OF_MEMORY, Certificate, Failed, Trust
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.guarded import guarded
from oracledp.oracles.problem import WeightedProblem
from oracledp.privacy.door import Facts
from oracledp.privacy.gaussian_accounting import gaussian_delta
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness, SystemRandomness, below

EPSILON = Fraction(1)
ONES = np.ones((1, 3), dtype=np.uint8)
ADD_REMOVE, REPLACE_ONE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE


def named(count: int) -> Literals:
    return Literals.named(*(f"x{j}" for j in range(count)))


def problem(queries: QueryClass, seed: int = 3) -> WeightedProblem:
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 2, (20, queries.dimension)).astype(np.uint8)
    return WeightedProblem.build(queries, records, rng.integers(-3, 4, 20))


# ---- selections ------------------------------------------------------------------------------------------------------
def test_a_part_of_the_rows_is_minimised_with_its_sign() -> None:
    rspm = ReportSeparatorPerturbedMin.calibrate(
        Conjunctions(named(2)), epsilon=EPSILON, neighbours=ADD_REMOVE, oracle=ExhaustiveOracle(), rows_bound=1000
    )
    run = RspmBase(rspm, -1).prepare(np.array([[1, 0]], dtype=np.uint8), np.array([5]))
    found = run(np.zeros(rspm.perturbation.coordinates, dtype=np.int64))
    assert found is not None
    assert found.value == -5 << rspm.perturbation.resolution


def test_a_run_without_memory_is_repeated_and_any_other_failure_is_not() -> None:
    assert output_of(Failed("work limit reached")) is None
    with pytest.raises(MemoryError):
        output_of(Failed(OUT_OF_MEMORY))


@pytest.mark.parametrize("name", ["exponential", "permute-and-flip", "rspm:separator", "report-noisy-min"])
def test_a_selection_is_what_its_name_says(name: str) -> None:
    wanted = Wanted(queries=Conjunctions(named(2)), epsilon=EPSILON, neighbours=ADD_REMOVE)
    assert selector(name, wanted).name == name


def test_gaussian_noise_needs_delta_and_takes_it() -> None:
    wanted = Wanted(queries=Conjunctions(named(2)), epsilon=EPSILON, neighbours=ADD_REMOVE)
    assert refused(lambda: selector("rspm:gaussian", wanted), ParameterError)
    given = Wanted(queries=wanted.queries, epsilon=EPSILON, neighbours=ADD_REMOVE, delta=Fraction(1, 10**6))
    assert selector("rspm:gaussian", given).guarantee.delta <= Fraction(1, 10**6)


def test_the_least_scale_is_one() -> None:
    scales = [ReportNoisyMin(Conjunctions(named(1)), Fraction(e), REPLACE_ONE, resolution=0).scale for e in (1, 2, 999)]
    assert scales == [2, 1, 1]


def test_a_selection_asks_its_selector_before_anything_is_paid() -> None:
    large = ReportNoisyMin(Conjunctions(named(60), max_width=8), EPSILON, ADD_REMOVE)
    assert refused(lambda: TableSelection(large).check(Facts(10)), CapacityError)


@pytest.mark.parametrize("steps", [1, 9])
@pytest.mark.parametrize("relation", Neighbours)
def test_the_noise_of_gradients_covers_every_step_of_a_record(relation: Neighbours, steps: int) -> None:
    """All steps together move by sqrt(steps)·C, by twice that if a record is replaced: δ at that shift, and no half."""
    descent, wanted = Descent(steps, 0.1, Fraction(1, 2), 1000), Fraction(1, 10**5)
    mechanism = NoisyGradients(3, 500, 400, 1, descent, EPSILON, wanted, relation)
    each = (2 if relation is REPLACE_ONE else 1) * mechanism.bound
    shift = Fraction(isqrt((steps * each**2 << 60) // mechanism.variance), 1 << 30)
    assert wanted / 2 < gaussian_delta(shift, EPSILON) < wanted


def test_a_unit_of_error_weighs_less_where_records_weigh_more() -> None:
    trees = DecisionTrees(named(2), depth=1)
    rates = [PrivateTrees(trees, EPSILON, relation).rate(unit) for relation in Neighbours for unit in (1, 3)]
    expected = {ADD_REMOVE: 1, REPLACE_ONE: 2}
    assert rates == [EPSILON / (expected[relation] * unit) for relation in Neighbours for unit in (1, 3)]


def test_counts_of_leaves() -> None:
    scales = [LeafCounts(Fraction(1, 4), relation).scale for relation in (ADD_REMOVE, REPLACE_ONE)]
    assert scales == [4, 8]
    released = LeafCounts(EPSILON, ADD_REMOVE).run(np.array([0]), np.array([0]), 4, 3, SystemRandomness())
    assert released.shape == (4, 3)


@pytest.mark.parametrize("ratio", [Fraction(1, 2), Fraction(9, 10)])
def test_the_test_passes_with_the_mass_of_its_noise(ratio: Fraction) -> None:
    """Pr[Z = z] = (1-r)/(1+r) r^|z|, summed from the other side in plain numbers."""
    r = float(ratio)
    for count in range(8):
        for threshold in range(8):
            failing = sum((1 - r) / (1 + r) * r ** abs(z) for z in range(-400, threshold - count + 1))
            assert float(pass_probability(count, ratio, threshold)) == pytest.approx(1 - failing, abs=1e-12)


def test_the_least_epsilon_that_is_certified_is_found_by_halving(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Fraction] = []
    for least in (1, 12_345, delta.GRID, 3_141_593):

        def certified(design: Any, epsilon: Fraction, least: int = least) -> Fraction:
            asked.append(epsilon)
            assert len(asked) < 300, "the search does not end"
            return Fraction(0) if epsilon * delta.GRID >= least else Fraction(1)

        monkeypatch.setattr(delta, "certified_delta", certified)
        assert delta.certified_epsilon(None, Fraction(1, 2)) == Fraction(least, delta.GRID)  # type: ignore[arg-type]


def test_every_record_chooses_its_part_by_itself() -> None:
    """No row is left out, and the sizes are those of independent choices: equal ones in every draw are out of reach."""
    table, voting = SimpleNamespace(counts=np.array([25, 1, 14])), SimpleNamespace(rule=SimpleNamespace(parts=4))
    sizes = []
    for _ in range(30):
        parts = list(Vote._split(voting, table, SystemRandomness()))  # type: ignore[arg-type]
        totals = np.zeros(3, dtype=np.int64)
        for records, counts in parts:
            np.add.at(totals, records, counts)
        assert totals.tolist() == [25, 1, 14]
        sizes.append(tuple(int(counts.sum()) for _, counts in parts))
    assert len(set(sizes)) > 1  # alike with probability below 10^-50


# ---- trees of the exponential mechanism ------------------------------------------------------------------------------
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    ("queries", "module"),
    [(Conjunctions(named(4)), subset_sampler), (Parities(named(4), max_width=2), parity_sampler)],
)
def test_a_leaf_is_kept_by_its_own_distance(
    queries: QueryClass, module: ModuleType, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Fraction, int]] = []

    def keeps(exponent: Fraction, inside: int, chosen: int, source: Any) -> bool:
        asked.append((exponent, inside))
        return kept

    monkeypatch.setattr(module, "keep", keeps)
    trials, rate, source = trials_over([problem(queries)], Fraction(1, 3)), Fraction(1, 3), SeededRandomness(4)
    draws = [draw for draw in (trials.trial(source) for _ in range(60)) if draw is not None]
    assert asked
    assert len(draws) == (len(asked) if kept else 0)
    assert all((draw.distance * rate, ONE) == told for draw, told in zip(draws, asked, strict=False))


def test_what_weighs_nothing_less_is_kept() -> None:
    assert keep(Fraction(0), 1, 1, SystemRandomness()) is True
    assert keep(Fraction(10**6), 1, 1, SystemRandomness()) is False


def test_what_a_frontier_refuses() -> None:
    conjunctions, parities = problem(Conjunctions(named(3))), problem(Parities(named(3), max_width=2))
    assert refused(lambda: trials_over([conjunctions, parities], EPSILON), CapacityError)
    costly = conjunctions.with_noise(np.ones_like(conjunctions.part_costs))
    assert refused(lambda: trials_over([costly], EPSILON), CapacityError)
    for weight in (MOST_VALUE, -MOST_VALUE):
        last = [WeightedProblem.build(conjunctions.query_class, ONES, np.array([weight]))]
        assert refused(lambda last=last: check_problems(last), CapacityError)
    check_problems([WeightedProblem.build(conjunctions.query_class, ONES, np.array([MOST_VALUE - 1]))])


def test_every_number_below_a_bound_is_drawn() -> None:
    """One of up to nine numbers is missing from 400 draws with probability below 10^-18."""
    for bound in range(1, 10):
        assert {below(SystemRandomness(), bound) for _ in range(400)} == set(range(bound))


def test_columns_without_numbers_need_no_decimals() -> None:
    assert spelled_numbers([]) == (0, 0)


def test_sums_of_64_bits_are_half_of_what_could_be_held() -> None:
    assert fits(rows_bound=MOST_ROWS, resolution=21)
    assert not fits(rows_bound=MOST_ROWS, resolution=22)


# ---- oracles ---------------------------------------------------------------------------------------------------------
def test_trust_in_its_order() -> None:
    order = (Trust.PROVED, Trust.CLAIMED, Trust.GUESSED)
    assert [[one.weaker(than) for than in order] for one in order] == [
        [False, False, False], [True, False, False], [True, True, False],
    ]  # fmt: skip
    assert Certificate(Trust.PROVED, "enumeration").work == 0


def test_a_user_who_interrupts_an_oracle_is_heard() -> None:
    class Stop(BaseException):
        pass

    def stop(number: int, frame: Any) -> None:
        raise Stop

    watched = signal.set_wakeup_fd(-1)  # a command line that ran in this process would end it, seconds later
    before = signal.signal(signal.SIGTERM, stop)
    try:
        with pytest.raises(Stop):
            guarded(lambda: signal.raise_signal(signal.SIGTERM))
        assert signal.getsignal(signal.SIGTERM) is stop
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.set_wakeup_fd(watched)


# ---- the game --------------------------------------------------------------------------------------------------------
def test_a_scoreboard_says_what_the_payoff_says() -> None:
    rng = np.random.default_rng(2)
    closed = Conjunctions(named(3)).closure()
    private, counts = rng.integers(0, 2, (6, 3)).astype(np.uint8), rng.integers(1, 9, 6)
    proposals = tuple(rng.integers(0, 2, (4, 3)).astype(np.uint8) for _ in range(3))
    board = Scoreboard(closed, private, counts)
    for weight, proposal in enumerate(proposals, start=1):
        board.add(proposal, weight)
    payoff = Payoff(closed, private, counts, proposals)
    objective, values = payoff.selection(), board.values(payoff.resolution)
    assert len({board.parts_at(index) for index in range(closed.size)}) == closed.size == len(values)
    for index in range(closed.size):
        assert objective.value(board.parts_at(index)) == values[index]


def small_table() -> Table:
    schema = Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}})
    return Table.from_codes(np.array([[0, 1], [1, 1], [1, 0]], dtype=np.uint8), schema)


def test_a_scoreboard_is_kept_where_it_can_be_borne(monkeypatch: pytest.MonkeyPatch) -> None:
    table = small_table()
    closed = Conjunctions(table.schema.literals).closure()
    private = table.matrix(closed.literals)
    assert match._board(closed, private, table) is not None
    monkeypatch.setattr(scoreboard, "MOST_CELLS", closed.size)
    assert match._board(closed, private, table) is None


@pytest.mark.parametrize("averaging", [True, False])
def test_every_round_is_answered_on_its_own_proposal_or_on_all(averaging: bool) -> None:
    """A round at a time, the newest proposal last; nothing is read but released queries."""
    table = small_table()
    closed = Conjunctions(table.schema.literals).closure()
    seen: list[tuple[np.ndarray, ...]] = []

    def respond(payoff: Payoff, source: Any) -> tuple[int, ...]:
        seen.append(payoff.proposals)
        return next(iter(closed.all_parts()))

    player = SimpleNamespace(lists_queries=False, respond=respond)
    rules = Rules(rounds=3, draws=5, averaging=averaging, perturbation=1.0, optimism=0.0)
    play = match.play_match(table, closed, player, rules, SeededRandomness(1))  # type: ignore[arg-type]
    assert [len(proposals) for proposals in seen] == ([1, 2, 3] if averaging else [1, 1, 1])
    for proposals, draws in zip(seen, play.draws, strict=True):
        expected = table.schema.literal_values(closed.literals, draws.astype(table.schema.code_dtype))
        assert np.array_equal(proposals[-1], expected)


def test_the_first_proposal_follows_its_noise_alone() -> None:
    costs = [np.array([[0.0, -1.0], [0.0, 2.0]], dtype=np.float32)]
    found = descend(np.zeros((2, 1), dtype=np.int64), costs, None, sweeps=1, rng=np.random.default_rng(0))
    assert found.tolist() == [[1], [0]]


def test_a_player_bears_the_weight_of_both_sides() -> None:
    asked: list[tuple[int, int]] = []
    mechanism = SimpleNamespace(check=lambda rows, unit: asked.append((rows, unit)))
    GaussianPlayer(mechanism, None, 1).check(7, 3)  # type: ignore[arg-type]
    assert asked == [(7, 12)]


def test_players_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(players.PerturbedPlayer, "calibrate", lambda *given, embedding, **more: asked.append(embedding))
    for name in ("rspm", "rspm:separator"):
        players.query_player(name, Conjunctions(named(2)), rows=10, rounds=2, epsilon=EPSILON, delta=Fraction(1, 1000))
    assert asked == ["k-hot", "separator"]


def test_a_robust_game_designs_each_round_with_less_than_its_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Fraction] = []

    def design(**given: Any) -> None:
        asked.append(given["delta"])
        raise ParameterError("enough")

    monkeypatch.setattr(robust_player, "design_prsma", design)
    whole = Fraction(1, 1000)
    queries = Conjunctions(named(2))
    assert refused(
        lambda: robust_player.RobustPlayer.calibrate(queries, 1000, 2, EPSILON, whole, oracle="auto"), ParameterError
    )
    (_, each) = robust_player.each_round(EPSILON, whole, 2)
    assert asked == [each * Fraction(999, 1000)]


def test_persons_are_not_counted_in_public() -> None:
    """How many rows persons have is private: under replace-one it would be a fact."""
    table = small_table()
    assert [Facts.of(table, relation).rows for relation in (ADD_REMOVE, REPLACE_ONE)] == [None, 3]
    persons = SimpleNamespace(unit=Unit("id", 2), rows=3, schema=table.schema, assumes=())
    assert Facts.of(persons, ADD_REMOVE).unit == Unit("id", 2)  # type: ignore[arg-type]
    assert refused(lambda: Facts.of(persons, REPLACE_ONE), ParameterError)  # type: ignore[arg-type]
