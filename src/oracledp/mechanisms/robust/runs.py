"""The runs of the base algorithm: drawn here, carried out anywhere, each a function of its own data and noise."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from numpy.typing import NDArray

from oracledp.data.packed_records import PackedRecords
from oracledp.mechanisms.robust.design import Design
from oracledp.oracles.guarded import Ending, guarded
from oracledp.randomness.source import Randomness

Output = TypeVar("Output")
Produced = TypeVar("Produced", covariant=True)
Array = NDArray[Any]
Rows = PackedRecords | Array
Run = Callable[[Array], Output | None]  # noise in; the output, or None when the oracle failed

BATCH = 1000  # runs that travel together


@dataclass(frozen=True)
class Tally(Generic[Output]):
    """What a batch comes to: whether every run answered, and what the kept one said."""

    passed: bool
    output: Output | None = None


@runtime_checkable
class Together(Protocol):
    """Runs on one part that can be carried out in one call: each must still end as it would alone."""

    def together(self, noise: Array, kept: int | None) -> Tally[Any] | None:
        """All runs with these rows of noise; None where they must be made one by one."""
        ...


class Base(Protocol[Produced]):
    """A pure differentially private algorithm on one part; None stands for ⊥ (section 1 of proofs/prsma.md)."""

    def draw(self, runs: int, source: Randomness) -> Array:
        """Fresh noise for so many runs, one row each."""
        ...

    def prepare(self, records: Rows, counts: Array) -> Run[Produced]:
        """One run as a function of its noise. What it prepares may depend on these records alone (trap P6)."""
        ...


@dataclass(frozen=True, eq=False)
class Batch:
    """Some runs on one part, noise included: repeating a lost batch repeats it to the bit.

    ``kept`` is the place of the run whose output may be released, None if it is in another batch of the part.
    Packed records travel as they are.
    """

    number: int
    part: int
    records: Rows
    counts: Array
    noise: Array
    kept: int | None = None


@dataclass(frozen=True)
class BatchResult:
    """Whether every run answered, and what the kept one said.

    A *lost* batch ran out of memory, which others may have used up: it must be repeated alone before it is judged.
    """

    number: int
    part: int
    passed: bool
    output: Any = None
    lost: bool = False

    @classmethod
    def failed(cls, batch: Batch) -> BatchResult:
        """⊥ for the batch, and so for its part."""
        return cls(batch.number, batch.part, passed=False)


def run_batch(base: Base[Any], batch: Batch) -> BatchResult:
    """Carry out every run of a batch, whether or not one of them has failed: each call keeps its place in the order.

    However a run ends, it is a failure like any other: neither an exception nor its message leaves here.
    """
    tally = guarded(lambda: _tally(base, batch))
    if tally is Ending.OUT_OF_MEMORY:
        return BatchResult(batch.number, batch.part, passed=False, lost=True)
    if isinstance(tally, Ending) or not tally.passed:
        return BatchResult.failed(batch)
    return BatchResult(batch.number, batch.part, passed=True, output=tally.output)


def judged_alone(base: Base[Any], batch: Batch) -> BatchResult:
    """The verdict on a batch that nothing else can have disturbed: what is lost now has failed."""
    result = run_batch(base, batch)
    return BatchResult.failed(batch) if result.lost else result


def _tally(base: Base[Output], batch: Batch) -> Tally[Output]:
    run = base.prepare(batch.records, batch.counts)
    if isinstance(run, Together):
        tally = run.together(batch.noise, batch.kept)
        if tally is not None:
            return tally
    outputs = [_output(run, noise) for noise in batch.noise]
    passed = all(output is not None for output in outputs)
    return Tally(passed, None if batch.kept is None else outputs[batch.kept])


def _output(run: Run[Output], noise: Array) -> Output | None:
    try:
        return run(noise)
    except MemoryError:
        raise
    except Exception:
        return None


class Workers(Protocol):
    """Who carries out batches, in any order. A batch is asked for only when there is room for it."""

    def carry_out(self, base: Base[Any], batches: Iterator[Batch]) -> Iterator[BatchResult]:
        """A result for every batch."""
        ...


@dataclass(frozen=True)
class ThisProcess:
    """One batch after the other, here; batches of one part share what is prepared from its records.

    Nothing else is under way, so a lost batch is repeated at once, when all that was kept for it is given back.
    """

    def carry_out(self, base: Base[Any], batches: Iterator[Batch]) -> Iterator[BatchResult]:
        """A result for every batch, in order."""
        shared = _KeepsLast(base)
        for batch in batches:
            result = run_batch(shared, batch)
            if result.lost:
                shared.last = None
                gc.collect()
                result = judged_alone(base, batch)
            yield result


class _KeepsLast:
    """A base that prepares the same records once when they come several times in a row."""

    def __init__(self, base: Base[Any]) -> None:
        self.base = base
        self.last: tuple[Rows, Array, Run[Any]] | None = None

    def draw(self, runs: int, source: Randomness) -> Array:
        """The base's noise."""
        return self.base.draw(runs, source)

    def prepare(self, records: Rows, counts: Array) -> Run[Any]:
        """The base's run, kept as long as the very same arrays come."""
        if self.last is None or self.last[0] is not records or self.last[1] is not counts:
            self.last = None  # what was kept goes before its successor comes
            self.last = records, counts, self.base.prepare(records, counts)
        return self.last[2]


def batch_sizes(design: Design) -> list[int]:
    """The runs of one part, as they travel."""
    whole, rest = divmod(design.runs_per_part, BATCH)
    return [BATCH] * whole + ([rest] if rest else [])
