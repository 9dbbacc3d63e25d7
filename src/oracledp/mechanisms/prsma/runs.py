"""The runs of the base algorithm: drawn here, carried out anywhere, each a function of its own data and noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from oracledp.mechanisms.prsma.design import Design
from oracledp.noise import bernoulli
from oracledp.randomness import Randomness, below

Output = TypeVar("Output")
Produced = TypeVar("Produced", covariant=True)
Array = NDArray[Any]
Run = Callable[[Array], Output | None]  # noise in; the output, or None when the oracle failed

BATCH = 1000  # runs that travel together


class Base(Protocol[Produced]):
    """A pure differentially private algorithm on one part; None stands for ⊥ (section 1 of proofs/prsma.md)."""

    def draw(self, runs: int, source: Randomness) -> Array:
        """Fresh noise for so many runs, one row each."""
        ...

    def prepare(self, records: Array, counts: Array) -> Run[Produced]:
        """One run as a function of its noise. What it prepares may depend on these records alone (trap P6)."""
        ...


@dataclass(frozen=True, eq=False)
class Batch:
    """Some runs on one part, noise included: repeating a lost batch repeats it to the bit.

    Records of bytes are 0 or 1 each, and travel as bits.
    """

    number: int
    part: int
    records: Array
    counts: Array
    noise: Array

    def __reduce__(self) -> tuple[Any, ...]:
        rest = self.counts, self.noise
        if self.records.dtype != np.uint8 or self.records.ndim != 2:
            return Batch, (self.number, self.part, self.records, *rest)
        packed = np.packbits(self.records, axis=1)
        return _unpacked, (self.number, self.part, packed, self.records.shape[1], *rest)


def _unpacked(number: int, part: int, packed: Array, literals: int, counts: Array, noise: Array) -> Batch:
    return Batch(number, part, np.unpackbits(packed, axis=1, count=literals), counts, noise)


@dataclass(frozen=True)
class BatchResult:
    """Whether every run answered, and what the first one said."""

    number: int
    part: int
    passed: bool
    output: Any = None

    @classmethod
    def failed(cls, batch: Batch) -> BatchResult:
        """⊥ for the batch, and so for its part."""
        return cls(batch.number, batch.part, passed=False)


def run_batch(base: Base[Any], batch: Batch) -> BatchResult:
    """Carry out a batch; it stops at the first failure, since one is enough.

    An exception is a failure like any other: it may depend on the data, so neither it nor its message leaves here.
    """
    try:
        output = _first_output(base, batch)
    except Exception:
        output = None
    if output is None:
        return BatchResult.failed(batch)
    return BatchResult(batch.number, batch.part, passed=True, output=output)


def _first_output(base: Base[Output], batch: Batch) -> Output | None:
    """What the first run of the batch said, or None if any run failed."""
    run, first = base.prepare(batch.records, batch.counts), None
    for index, noise in enumerate(batch.noise):
        found = run(noise)
        if found is None:
            return None
        first = found if index == 0 else first
    return first


class Workers(Protocol):
    """Who carries out batches, in any order. A batch is asked for only when there is room for it."""

    def carry_out(self, base: Base[Any], batches: Iterator[Batch]) -> Iterator[BatchResult]:
        """A result for every batch."""
        ...


@dataclass(frozen=True)
class ThisProcess:
    """One batch after the other, here; batches of one part share what is prepared from its records."""

    def carry_out(self, base: Base[Any], batches: Iterator[Batch]) -> Iterator[BatchResult]:
        """A result for every batch, in order."""
        shared = _KeepsLast(base)
        return (run_batch(shared, batch) for batch in batches)


class _KeepsLast:
    """A base that prepares the same records once when they come several times in a row."""

    def __init__(self, base: Base[Any]) -> None:
        self.base = base
        self.last: tuple[Array, Array, Run[Any]] | None = None

    def draw(self, runs: int, source: Randomness) -> Array:
        """The base's noise."""
        return self.base.draw(runs, source)

    def prepare(self, records: Array, counts: Array) -> Run[Any]:
        """The base's run, kept as long as the very same arrays come."""
        if self.last is None or self.last[0] is not records or self.last[1] is not counts:
            self.last = None  # what was kept goes before its successor comes
            self.last = records, counts, self.base.prepare(records, counts)
        return self.last[2]


def passing_outputs(
    design: Design,
    base: Base[Output],
    parts: Iterable[tuple[Array, Array]],
    source: Randomness,
    workers: Workers,
    progress: Callable[[int, int], None] | None = None,
) -> list[Output]:
    """The first output of every part on which no run failed."""
    failed: set[int] = set()
    outputs: dict[int, Output] = {}
    each = len(_batch_sizes(design))
    results = workers.carry_out(base, _batches(design, base, parts, source, failed))
    done = 0
    for result in results:
        if not result.passed:
            failed.add(result.part)
        elif result.number % each == 0:
            outputs[result.part] = result.output
        done = max(done, result.number + 1)  # the runs that a failure spares count as done: it must not show
        if progress is not None:
            progress(done, design.parts * each)
    return [output for part, output in sorted(outputs.items()) if part not in failed]


def _batch_sizes(design: Design) -> list[int]:
    whole, rest = divmod(design.runs_per_part, BATCH)
    return [BATCH] * whole + ([rest] if rest else [])


def _batches(
    design: Design, base: Base[Any], parts: Iterable[tuple[Array, Array]], source: Randomness, failed: set[int]
) -> Iterator[Batch]:
    """All batches but those of a part that is known to have failed: its other runs change nothing."""
    sizes = _batch_sizes(design)
    for part, (records, counts) in enumerate(parts):
        for number, size in enumerate(sizes, start=part * len(sizes)):
            if part not in failed:
                yield Batch(number, part, records, counts, base.draw(size, source))


def answer(design: Design, outputs: list[Output], source: Randomness) -> Output | None:
    """The test, and one of the passing parts at random; None is ⊥."""
    if not bernoulli(design.pass_probabilities[len(outputs)], source):
        return None
    return outputs[below(source, len(outputs))]
