"""PRSMA inside: splits, runs, the test, ⊥, and what must never leave a batch."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import pytest
from prsma_examples import ADD, ONE, REPLACE, ToyBase, a_design, a_table, rules

from broken.hostile_oracles import HostileOracle
from oracledp.errors import ParameterError
from oracledp.mechanisms.robust import Design, RobustMechanism
from oracledp.mechanisms.robust.rspm_base import RspmBase
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
from oracledp.mechanisms.robust.splitting import split
from oracledp.mechanisms.robust.theorem_equal import OneSided
from oracledp.oracles.base import Answer
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import Randomness, SeededRandomness


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
