"""PRSMA inside: subsamples, runs, the test, ⊥, and what must never leave a batch."""

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
    run_batch,
)
from oracledp.mechanisms.robust.subsampling import answer_after_tests, subsamples
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples
from oracledp.oracles.base import Answer
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import Randomness, SeededRandomness

ANY = a_design(pass_probabilities=(Fraction(0), *[ONE] * 20))  # one passing test is enough
ALL = a_design(pass_probabilities=(*[Fraction(0)] * 20, ONE))  # all must pass


def test_every_subsample_is_one_of_the_table_and_there_is_one_more_than_tests() -> None:
    counts = a_table().counts
    drawn = list(subsamples(counts, a_design(), REPLACE, SeededRandomness(1)))
    assert len(drawn) == 21
    for kept, held in drawn:
        assert (held > 0).all()
        assert (held <= counts[kept]).all()
    assert 2700 < sum(int(held.sum()) for _, held in drawn) < 3600  # 21 times a twentieth of 3000 rows; seeded


def test_a_table_beyond_the_public_bound_is_cut_to_it() -> None:
    whole = a_design(theorem=TwoSamples(Fraction(1, 2)))
    sizes = [int(held.sum()) for _, held in subsamples(a_table(90_000).counts, whole, ADD, SeededRandomness(2))]
    assert 1300 < min(sizes) <= max(sizes) < 1700
    with pytest.raises(ParameterError, match="another number of rows"):
        next(subsamples(a_table(2999).counts, a_design(), REPLACE, SeededRandomness(2)))


# ---- runs and the test -----------------------------------------------------------------------------
def pieces() -> Iterator[tuple[Array, Array]]:
    """The sample with number p holds the record p, p + 1 times."""
    return iter([(np.array([part]), np.array([part + 1])) for part in range(21)])


def said(design: Design, base: ToyBase, seed: int = 0, **more: object) -> int | None:
    return answer_after_tests(design, base, pieces(), SeededRandomness(seed), ThisProcess(), **more)  # type: ignore[arg-type]


def test_a_test_passes_only_if_all_its_runs_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a ladder that asks for all tests, one forbidden record in a test is ⊥, and so is one in the last sample."""
    for place in (0, 3, 20):
        monkeypatch.setattr("oracledp.mechanisms.robust.subsampling.below", lambda source, bound, place=place: place)
        assert said(ALL, ToyBase()) == place + 1
        assert said(ALL, ToyBase(forbidden=7)) is None
        assert said(ANY, ToyBase(forbidden=7)) == place + 1
        assert said(ANY, ToyBase(forbidden=place)) is None


@dataclass(frozen=True)
class Numbered(ToyBase):
    """A run says its own place in its sample, and counts the calls; marked places of one sample fail."""

    failing: tuple[int, int] = (-1, -1)  # sample, place
    calls: list[tuple[int, int]] = field(default_factory=list, compare=False)

    def draw(self, runs: int, source: Randomness) -> Array:
        first = sum(self.drawn) % 30
        self.drawn.append(runs)
        return np.arange(first, first + runs).reshape(-1, 1)

    def prepare(self, records: Array, counts: Array) -> Run[int]:
        def run(noise: Array) -> int | None:
            self.calls.append((int(records[0]), int(noise[0])))
            return None if (records[0], noise[0]) == self.failing else int(records[0])

        return run


@pytest.mark.parametrize("place", [0, 12, 29])
def test_a_failure_in_one_place_changes_neither_the_calls_nor_the_progress(
    place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every run is made, late batches too, so that calls and what is shown of them are the same whatever fails."""
    monkeypatch.setattr("oracledp.mechanisms.robust.runs.BATCH", 7)
    monkeypatch.setattr("oracledp.mechanisms.robust.subsampling.below", lambda source, bound: 20)
    seen: list[tuple[int, int]] = []
    honest, failing = Numbered(), Numbered(failing=(3, place))
    outputs = [said(ALL, base, progress=lambda *done: seen.append(done)) for base in (honest, failing)]
    assert outputs == [20, None]
    assert honest.calls == failing.calls
    assert honest.drawn == failing.drawn
    assert len(failing.calls) == 601
    assert seen == 2 * [(done, 101) for done in range(1, 102)]


def test_only_the_last_sample_is_released_and_its_place_is_drawn_by_lot() -> None:
    """Chi-square at 1e-6 for 20 degrees of freedom over 2,100 lots; seeded, so this cannot flake."""
    drawn = [said(ANY, Numbered(), seed) for seed in range(2100)]
    assert sum((drawn.count(place) - 100) ** 2 / 100 for place in range(21)) < 67.1


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


def test_a_batch_that_ran_out_of_memory_is_repeated_alone_before_it_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracledp.mechanisms.robust.subsampling.below", lambda source, bound: 20)
    assert [said(ALL, Hungry(times=times)) for times in (1, 2)] == [21, None]


def test_an_oracle_out_of_memory_is_told_from_one_that_fails() -> None:
    class Starves(HostileOracle):
        def solve(self, problem: WeightedProblem) -> Answer:
            raise MemoryError("secret")

    mechanism = RobustMechanism.calibrate(rules(), a_design(), neighbours=REPLACE, oracle=Starves())
    batch = Batch(0, 0, np.ones((1, 2), dtype=np.uint8), np.array([1]), np.zeros((2, 4), dtype=np.int64), kept=0)
    noise = np.zeros((2, mechanism.base.perturbation.coordinates), dtype=np.int64)
    assert run_batch(RspmBase(mechanism.base, 1), replace(batch, noise=noise)).lost


def test_no_ladder_is_passed_with_certainty_by_no_test() -> None:
    assert said(ANY, ToyBase(forbidden=-1)) is not None
    assert said(a_design(pass_probabilities=(Fraction(0),) * 21), ToyBase()) is None


def test_batches_are_asked_for_as_they_are_needed() -> None:
    """Noise for all runs at once would not fit in memory for large designs."""
    base = ToyBase()

    class Lazy(ThisProcess):
        def carry_out(self, base_algorithm: object, batches: Iterator[Batch]) -> Iterator[object]:  # type: ignore[override]
            for index, batch in enumerate(batches, start=1):
                assert len(base.drawn) == index
                yield run_batch(base, batch)

    answer_after_tests(a_design(), base, pieces(), SeededRandomness(0), Lazy())
    assert len(base.drawn) == 21
