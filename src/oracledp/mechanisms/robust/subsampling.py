"""The runs of the two-sample mechanism: tests on subsamples of the table, and one run on a fresh subsample."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.runs import Array, Base, Batch, Output, Rows, Workers, batch_sizes
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.noise import bernoulli
from oracledp.randomness.partition import Part, hypergeometric_parts, label_counts
from oracledp.randomness.source import Randomness, below

Counts = NDArray[np.int64]


def subsamples(counts: Counts, design: Design, neighbours: Neighbours, source: Randomness) -> Iterator[Part]:
    """One independent subsample for every test, and one more: each record is in it with probability 1/cells.

    The size is drawn first, then a uniformly random subset of that size. A table with more rows than the design
    allows is cut to so many rows by lot, once for all (section 3 of proofs/prsma.md).
    """
    rows, cells = int(counts.sum()), design.theorem.share(design.parts).denominator
    if neighbours is Neighbours.REPLACE_ONE and rows != design.rows:
        raise ParameterError("the design was made for another number of rows")
    if rows > design.rows:
        ((kept, held),) = hypergeometric_parts(counts, [design.rows], source)
        counts, rows = np.zeros_like(counts), design.rows
        counts[kept] = held
    for _ in range(design.parts + 1):
        yield hypergeometric_parts(counts, [label_counts(rows, cells, source)[0]], source)[0]


def answer_after_tests(
    design: Design,
    base: Base[Output],
    samples: Iterator[tuple[Rows, Array]],
    source: Randomness,
    workers: Workers,
    progress: Callable[[int, int], None] | None = None,
) -> Output | None:
    """The answer of the one run that is no test, if the tests let it through; None is ⊥.

    Where it stands among the tests is drawn beforehand and told to no oracle.
    """
    place = below(source, design.parts + 1)
    failed: set[int] = set()
    answer: Output | None = None
    total = design.parts * len(batch_sizes(design)) + 1
    batches = _batches(design, base, samples, place, source)
    for done, result in enumerate(workers.carry_out(base, batches), start=1):
        if result.part == place:
            answer = result.output if result.passed else None
        elif not result.passed:
            failed.add(result.part)
        if progress is not None:
            progress(done, total)
    goes_on = bernoulli(design.pass_probabilities[design.parts - len(failed)], source)
    return answer if goes_on else None


def _batches(
    design: Design, base: Base[Any], samples: Iterator[tuple[Rows, Array]], place: int, source: Randomness
) -> Iterator[Batch]:
    """All runs of the tests, none of which may be released, and the one that may."""
    number = 0
    for part, (records, counts) in enumerate(samples):
        for size in [1] if part == place else batch_sizes(design):
            yield Batch(number, part, records, counts, base.draw(size, source), 0 if part == place else None)
            number += 1
