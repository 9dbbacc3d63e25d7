"""How many records choose each label: counted bits, against the binomial law and chunk by chunk."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import comb

import pytest

from oracledp.audit.enumeration import UNIT, law_of_runs
from oracledp.randomness import partition
from oracledp.randomness.partition import label_counts
from oracledp.randomness.source import SeededRandomness


@dataclass
class Given:
    """A source that hands out the numbers it was given."""

    left: list[int]
    private = False

    def bytes(self, count: int) -> bytes:
        return self.left.pop(0).to_bytes(count, "little")


@pytest.mark.parametrize("rows", [1, 3, 8, 11])
def test_two_labels_are_binomial_over_all_bits(rows: int) -> None:
    beyond = (1 << 64) - (1 << rows)  # bits that are read and must not count
    found = Counter(tuple(label_counts(rows, 2, Given([beyond + read]))) for read in range(1 << rows))
    assert found == {(rows - ones, ones): comb(rows, ones) for ones in range(rows + 1)}


def test_a_label_that_is_too_large_is_drawn_again() -> None:
    source = Given([1, 1, 0, 0])  # two bits say 3 of 3, then the next two say 0
    assert label_counts(1, 3, source) == [1, 0, 0]


def test_bits_are_counted_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = label_counts(1000, 2, SeededRandomness(3))
    monkeypatch.setattr(partition, "BITS_AT_ONCE", 64)
    chunks = label_counts(1000, 2, SeededRandomness(3))
    assert sum(whole) == sum(chunks) == 1000
    assert 400 < whole[0] < 600
    assert 400 < chunks[0] < 600


def test_the_audit_knows_the_law() -> None:
    law = law_of_runs(lambda source: tuple(label_counts(2, 3, source)), least=0)
    assert len(law.masses) == 6
    for counts, (low, _) in law.masses.items():
        ways = 2 if max(counts) == 1 else 1
        assert abs(Fraction(low, UNIT) - Fraction(ways, 9)) < Fraction(1, 10**30)
