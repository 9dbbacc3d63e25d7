"""Batches of one part, one after the other in this process."""

import numpy as np

from oracledp.mechanisms.robust.runs import Array, Batch, Run, ThisProcess
from oracledp.randomness.source import Randomness


class Counts:
    """A run is its noise plus the part's only count; it remembers how often it prepared."""

    def __init__(self) -> None:
        self.prepared = 0

    def draw(self, runs: int, source: Randomness) -> Array:
        return np.zeros((runs, 1))

    def prepare(self, records: Array, counts: Array) -> Run[int]:
        self.prepared += 1
        return lambda noise: None if counts[0] == 13 else int(noise[0] + counts[0])


def batches(*counts: int) -> list[Batch]:
    parts = [(np.zeros((1, 3), dtype=np.uint8), np.array([count])) for count in counts]
    noise = [np.array([[1], [2]]), np.array([[5]])]
    return [Batch(2 * p + k, p, *part, noise[k], kept=0) for p, part in enumerate(parts) for k in range(2)]


def test_a_part_is_prepared_once_however_many_its_batches() -> None:
    base = Counts()
    found = [result.output for result in ThisProcess().carry_out(base, iter(batches(10, 20)))]
    assert found == [11, 15, 21, 25]
    assert base.prepared == 2


def test_a_failure_stays_with_its_part() -> None:
    passed = [result.passed for result in ThisProcess().carry_out(Counts(), iter(batches(10, 13, 20)))]
    assert passed == [True, True, False, False, True, True]
