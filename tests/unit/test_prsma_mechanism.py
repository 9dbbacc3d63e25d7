"""The mechanism: splits, runs, the test, ⊥, and what must never leave it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from broken.hostile_oracles import FailsOnDemand, FailsOnOutputs, HostileOracle
from oracledp.classes import Conjunctions
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.robust import Design, NothingReleased, RobustMechanism, certified_delta, prsma
from oracledp.mechanisms.robust import mechanism as module
from oracledp.mechanisms.robust.laplace_test import laplace_table
from oracledp.mechanisms.robust.mechanism import MeasuredRobustMechanism, RobustSelection, RspmBase
from oracledp.mechanisms.robust.parallel import JoblibWorkers, workers_of
from oracledp.mechanisms.robust.runs import (
    Array,
    Batch,
    BatchResult,
    Run,
    ThisProcess,
    answer,
    passing_outputs,
    run_batch,
)
from oracledp.mechanisms.robust.splitting import label_counts, split
from oracledp.mechanisms.robust.theorem_equal import OneSided
from oracledp.mechanisms.robust.theorem_independent import IndependentLabels
from oracledp.mechanisms.row_count import SHARE, RowCount
from oracledp.oracles.base import Answer, Trust
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import Randomness, SeededRandomness, SystemRandomness

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
        pass_probabilities=laplace_table(20, Fraction(1, 4), 14),
        minimum_passing=6,
        theorem=IndependentLabels(Fraction(4), Fraction(3), Fraction(4)),
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
    """Returns how many records its part holds, and fails on parts that hold a forbidden record."""

    forbidden: int = -1
    drawn: list[int] = field(default_factory=list, compare=False)

    def draw(self, runs: int, source: Randomness) -> Array:
        self.drawn.append(runs)
        return np.zeros((runs, 1), dtype=np.int64)

    def prepare(self, records: Array, counts: Array) -> Run[int]:
        fails = self.forbidden in records.tolist()
        return lambda noise: None if fails else int(counts.sum())


# ---- splits ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("theorem", [a_design().theorem, OneSided(ONE, ONE)])
def test_a_split_hands_out_every_row_once(theorem: object) -> None:
    counts = a_table().counts
    parts = split(counts, a_design(theorem=theorem), REPLACE, SeededRandomness(1))
    given = np.zeros_like(counts)
    for records, held in parts:
        given[records] += held
    assert len(parts) == 20
    assert given.tolist() == counts.tolist()
    sizes = {int(held.sum()) for _, held in parts}
    assert (sizes == {150}) == isinstance(theorem, OneSided)


def test_a_table_beyond_the_public_bound_is_cut_to_it() -> None:
    parts = split(a_table(5000).counts, a_design(), ADD, SeededRandomness(2))
    assert sum(int(held.sum()) for _, held in parts) == 3000
    parts = split(a_table(1000).counts, a_design(), ADD, SeededRandomness(2))
    assert sum(int(held.sum()) for _, held in parts) == 1000
    with pytest.raises(ParameterError, match="another number of rows"):
        split(a_table(2999).counts, a_design(), REPLACE, SeededRandomness(2))


def test_label_counts_fill_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracledp.mechanisms.robust.splitting.CHUNK", 7)
    assert sum(label_counts(100, 3, SeededRandomness(3))) == 100


# ---- runs and the test -----------------------------------------------------------------------------
def pieces(design: Design) -> list[tuple[Array, Array]]:
    return [(np.array([part]), np.array([part + 1])) for part in range(design.parts)]


def test_a_part_passes_only_if_all_its_runs_answer() -> None:
    outputs = passing_outputs(a_design(), ToyBase(forbidden=3), pieces(a_design()), SeededRandomness(0), ThisProcess())
    assert outputs == [part + 1 for part in range(20) if part != 3]


def test_a_failure_in_a_late_batch_fails_the_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracledp.mechanisms.robust.runs.BATCH", 7)

    @dataclass(frozen=True)
    class FailsInTheEnd(ToyBase):
        def prepare(self, records: Array, counts: Array) -> Run[int]:
            return lambda noise: None if records[0] == 2 and noise[0] == 29 else int(counts[0])

        def draw(self, runs: int, source: Randomness) -> Array:
            first = sum(self.drawn) % 30
            self.drawn.append(runs)
            return np.arange(first, first + runs).reshape(-1, 1)

    outputs = passing_outputs(a_design(), FailsInTheEnd(), pieces(a_design()), SeededRandomness(0), ThisProcess())
    assert outputs == [part + 1 for part in range(20) if part != 2]


@pytest.mark.parametrize("kind", [ValueError, SystemExit, KeyboardInterrupt, GeneratorExit])
@pytest.mark.parametrize("late", [False, True])
def test_an_exception_is_a_failure_and_its_message_stays_inside(kind: type[BaseException], late: bool) -> None:
    class Explodes(ToyBase):
        def prepare(self, records: Array, counts: Array) -> Run[int]:
            def run(noise: Array) -> int:
                raise kind(f"secret {records.tolist()}")

            return run if late else run(records)  # type: ignore[return-value]

    batch = Batch(0, 0, np.array([7]), np.array([1]), np.zeros((3, 1)), kept=0)
    assert run_batch(Explodes(), batch) == BatchResult.failed(batch)


@dataclass(frozen=True)
class Numbered(ToyBase):
    """A run says its own place in its part, and counts the calls; marked places of one part fail."""

    failing: tuple[int, int] = (-1, -1)  # part, place
    calls: list[int] = field(default_factory=list, compare=False)

    def draw(self, runs: int, source: Randomness) -> Array:
        first = sum(self.drawn) % 30
        self.drawn.append(runs)
        return np.arange(first, first + runs).reshape(-1, 1)

    def prepare(self, records: Array, counts: Array) -> Run[int]:
        def run(noise: Array) -> int | None:
            self.calls.append(int(noise[0]))
            return None if (records[0], noise[0]) == self.failing else int(noise[0])

        return run


@pytest.mark.parametrize("kept", range(30))
def test_the_released_run_of_a_part_is_the_one_that_the_lot_names(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, it was always the first: an oracle that fails on its first call only reached 888 times the delta."""
    monkeypatch.setattr("oracledp.mechanisms.robust.runs.BATCH", 7)
    asked: list[int] = []

    def lot(source: Randomness, bound: int) -> int:
        asked.append(bound)
        return kept

    monkeypatch.setattr("oracledp.mechanisms.robust.runs.below", lot)
    outputs = passing_outputs(a_design(), Numbered(), pieces(a_design()), SeededRandomness(0), ThisProcess())
    assert outputs == [kept] * 20
    assert asked == [30] * 20


def test_the_lot_is_fair() -> None:
    """Chi-square at 1e-6 for 29 degrees of freedom over 2,000 lots; seeded, so this cannot flake."""
    drawn = [
        output
        for seed in range(100)
        for output in passing_outputs(a_design(), Numbered(), pieces(a_design()), SeededRandomness(seed), ThisProcess())
    ]
    expected = len(drawn) / 30
    assert sum((drawn.count(place) - expected) ** 2 / expected for place in range(30)) < 81.4


@pytest.mark.parametrize("place", [0, 12, 29])
def test_a_failure_in_one_place_changes_neither_the_calls_nor_the_progress(
    place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every run is made, so that the order of calls and what is shown of it are the same whatever fails."""
    monkeypatch.setattr("oracledp.mechanisms.robust.runs.BATCH", 7)
    seen: list[tuple[int, int]] = []

    def passing(base: Numbered) -> int:
        args = a_design(), base, pieces(a_design()), SeededRandomness(0), ThisProcess()
        return len(passing_outputs(*args, lambda done, total: seen.append((done, total))))

    honest, failing = Numbered(), Numbered(failing=(3, place))
    assert (passing(honest), passing(failing)) == (20, 19)
    assert honest.calls == failing.calls
    assert honest.drawn == failing.drawn
    assert len(failing.calls) == 600
    assert seen == 2 * [(done, 100) for done in range(1, 101)]


@dataclass(frozen=True)
class Hungry(ToyBase):
    """The part that holds 5 runs out of memory: so many times, then never again."""

    times: int = 1
    tried: list[int] = field(default_factory=list, compare=False)

    def prepare(self, records: Array, counts: Array) -> Run[int]:
        def run(noise: Array) -> int:
            if records[0] == 5 and len(self.tried) < self.times:
                self.tried.append(1)
                raise MemoryError("secret")
            return int(counts[0])

        return run


def test_a_batch_that_ran_out_of_memory_is_repeated_alone_before_it_is_judged() -> None:
    for times, passing in ((1, 20), (2, 19)):
        outputs = passing_outputs(
            a_design(), Hungry(times=times), pieces(a_design()), SeededRandomness(0), ThisProcess()
        )
        assert len(outputs) == passing
    assert 6 not in outputs


def test_an_oracle_out_of_memory_is_told_from_one_that_fails() -> None:
    class Starves(HostileOracle):
        def solve(self, problem: WeightedProblem) -> Answer:
            raise MemoryError("secret")

    mechanism = RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=Starves())
    batch = Batch(0, 0, np.ones((1, 2), dtype=np.uint8), np.array([1]), np.zeros((2, 4), dtype=np.int64), kept=0)
    noise = np.zeros((2, mechanism.base.perturbation.coordinates), dtype=np.int64)
    assert run_batch(RspmBase(mechanism.base, 1), replace(batch, noise=noise)).lost


def test_the_answer_is_bottom_when_no_part_passes_and_one_of_the_outputs_else() -> None:
    certain = a_design(pass_probabilities=(Fraction(0), *[ONE] * 20))
    assert answer(certain, [], SeededRandomness(0)) is None
    assert {answer(certain, [1, 2], SeededRandomness(seed)) for seed in range(20)} == {1, 2}
    never = a_design(pass_probabilities=(Fraction(0),) * 21)
    assert answer(never, [1] * 20, SeededRandomness(0)) is None


# ---- the whole mechanism ---------------------------------------------------------------------------
@dataclass(frozen=True)
class MayFail(HostileOracle):
    """A proved oracle that admits it may fail."""

    @property
    def total(self) -> bool:
        return False


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


def test_a_release_is_a_query_with_a_robust_guarantee() -> None:
    tries = (run(source=SystemRandomness()) for _ in range(4))  # each is ⊥ with probability beta = 2e-4
    found = next(result for result in tries if isinstance(result, Release))
    assert found.guarantee.robust
    assert found.mechanism == "prsma"
    assert found.guarantee.delta == Fraction(1, 100)
    assert found.guarantee.neighbours is Neighbours.DEFAULT


def test_an_oracle_that_always_fails_gives_bottom_with_the_same_guarantee_and_nothing_else() -> None:
    found = run(oracle=ON_DATA)
    assert isinstance(found, NothingReleased)
    assert found.exit_code == 4
    assert set(found.to_json()) == {"mechanism", "rule", "guarantee"}
    assert found.to_json()["rule"] is None


def test_failures_on_outputs_are_survived_or_give_bottom() -> None:
    outputs = frozenset({(0, 1)})
    found = run(oracle=FailsOnOutputs(outputs=outputs))
    assert isinstance(found, NothingReleased) or found.query.parts not in outputs


def test_a_design_whose_claim_is_not_confirmed_never_runs(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=10, delta="1/2")
    with pytest.raises(ParameterError, match="not confirmed"):
        run(delta=certified_delta(a_design()) * Fraction(999, 1000), ledger=ledger)
    assert ledger.charges == ()


def test_the_ledger_is_charged_before_sampling_and_refuses_first(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=2, delta="1/100")
    assert isinstance(run(oracle=ON_DATA, ledger=ledger), NothingReleased)
    assert ledger.spent == (2, Fraction(1, 100))
    with pytest.raises(BudgetExceeded):
        run(ledger=ledger)


def test_free_ties_are_charged_to_delta() -> None:
    @dataclass(frozen=True)
    class FreeTies(MayFail):
        @property
        def fixed_ties(self) -> bool:
            return False

    mechanism = RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=FreeTies())
    assert mechanism.design.tie_delta == mechanism.base.perturbation.tie_delta > 0
    assert mechanism.design.delta_terms["ties"] > 0


def test_the_base_gets_the_designs_own_parameter() -> None:
    mechanism = RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=LIMITED)
    assert mechanism.base.epsilon == Fraction(1, 40)
    assert mechanism.base.neighbours is ADD
    assert mechanism.guarantee.robust


def test_claims_are_listed_and_guesses_refused() -> None:
    @dataclass(frozen=True)
    class Claims(MayFail):
        level: Trust = Trust.CLAIMED

        @property
        def trust(self) -> Trust:
            return self.level

    claimed = RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=Claims())
    assert not claimed.guarantee.robust
    assert claimed.guarantee.assumes == ("the claim of optimality by Claims is true",)
    with pytest.raises(ParameterError, match="guesses"):
        RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=Claims(level=Trust.GUESSED))


def test_an_oracle_that_cannot_do_the_class_says_so_before_budget_is_spent(tmp_path: Path) -> None:
    class Unable(MayFail):
        def solve(self, problem: WeightedProblem) -> Answer:
            raise ParameterError("this oracle knows parities only")

    ledger = Ledger.create(tmp_path / "budget", epsilon=2, delta="1/100")
    for oracle in (Unable(), FailsOnDemand()):
        with pytest.raises(ParameterError, match="does not serve conjunctions"):
            run(oracle=oracle, ledger=ledger)
    assert ledger.charges == ()


def test_under_replace_one_the_design_is_for_the_rows_that_are_there(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=2, delta="1/100", neighbours="replace-one")
    with pytest.raises(ParameterError, match="rows_bound"):
        run(neighbours="replace-one", rows_bound=3000, ledger=ledger)
    with pytest.raises(ParameterError, match="another number of rows"):
        run(neighbours="replace-one", design=a_design(rows=2999), ledger=ledger)
    assert ledger.charges == ()
    assert run(neighbours="replace-one").guarantee.neighbours is REPLACE


# ---- rows that are counted first -------------------------------------------------------------------
def test_without_a_public_number_of_rows_a_share_of_epsilon_counts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, object]] = []

    def searched(**numbers: object) -> Design:
        asked.append(numbers)
        return a_design(rows=numbers["rows"], epsilon_inner=Fraction(1, 400))

    ledger = Ledger.create(tmp_path / "budget", epsilon=2, delta="1/100")
    monkeypatch.setattr(module, "design_prsma", searched)
    found = run(design=None, ledger=ledger)
    assert (asked[0]["epsilon"], asked[0]["rows"]) == (2 * (1 - SHARE), module.REFERENCE)
    assert ledger.spent == (2, Fraction(1, 100))
    assert (found.guarantee.epsilon, found.guarantee.neighbours) == (2, ADD)
    with pytest.raises(BudgetExceeded):
        run(design=None, ledger=ledger)


def counted() -> MeasuredRobustMechanism:
    reference = RobustMechanism.calibrate(
        rules(), a_design(rows=1 << 20, epsilon_inner=Fraction(1, 400)), neighbours=ADD, oracle=LIMITED
    )
    return MeasuredRobustMechanism(RowCount(Fraction(1)), reference, "k-hot")


@pytest.mark.parametrize("rows", [0, 1, 9, 700, 3000, 10**5, 10**9, 1 << 40])
def test_every_count_comes_to_a_confirmed_design(rows: int) -> None:
    mechanism = counted()
    found = mechanism.settled(rows, SeededRandomness(rows % 7))
    assert certified_delta(found.design) <= found.design.delta
    assert found.base.perturbation.fits(found.design.rows)
    if rows >= 3000:
        assert 0.8 * rows <= found.design.rows <= 1.2 * rows
        assert found.design.signal**2 > mechanism.reference.design.signal**2 * rows / (1 << 20) / 2
    if rows < found.design.parts:
        assert found == mechanism.reference
    assert mechanism.guarantee.epsilon == found.guarantee.epsilon + 1


@pytest.mark.parametrize("options", [{"goal": "best"}, {"parallel": "threads"}, {"epsilon": 0}, {"delta": 0}])
def test_bad_options_are_named(options: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=next(iter(options))):
        run(**options)


def test_processes_give_what_one_process_gives_with_the_same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracledp.mechanisms.robust.runs.BATCH", 20)
    here = run(oracle=ExhaustiveOracle())
    there = run(oracle=ExhaustiveOracle(), parallel="joblib")
    assert isinstance(here, Release)
    assert here.to_json() == there.to_json()
    assert isinstance(workers_of("joblib"), JoblibWorkers)


def test_batches_are_asked_for_as_they_are_needed() -> None:
    """Noise for all runs at once would not fit in memory for large designs."""
    base = ToyBase()

    class Lazy(ThisProcess):
        def carry_out(self, base_algorithm: object, batches: Iterator[Batch]) -> Iterator[object]:  # type: ignore[override]
            for index, batch in enumerate(batches, start=1):
                assert len(base.drawn) == index
                yield run_batch(base, batch)

    passing_outputs(a_design(), base, pieces(a_design()), SeededRandomness(0), Lazy())
    assert len(base.drawn) == 20


@pytest.mark.parametrize(("goal", "sign"), [("min", 1), ("max", -1)])
def test_a_goal_is_the_sign_of_the_weights(goal: str, sign: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[RspmBase] = []

    def caught(design: Design, base: RspmBase, *rest: object) -> list[None]:
        seen.append(base)
        return []

    monkeypatch.setattr("oracledp.mechanisms.robust.mechanism.passing_outputs", caught)
    monkeypatch.setattr("oracledp.mechanisms.robust.mechanism.answer", lambda *rest: None)
    mechanism = RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=ExhaustiveOracle())
    RobustSelection(mechanism, goal, ThisProcess()).run(a_table(), SeededRandomness(1))
    assert [base.sign for base in seen] == [sign]
