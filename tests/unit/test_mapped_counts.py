"""The paid look at a schema: its exact law on neighbours, its charge, and what it catches."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import CapacityError, ParameterError
from oracledp.mechanisms import mapped_counts as module
from oracledp.mechanisms.mapped_counts import MappedCounting, MappedCounts, mapped_counts
from oracledp.privacy.door import Facts
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import SeededRandomness

SCHEMA = Schema(
    {
        "age": {"kind": "integer", "lo": 0, "hi": 9},
        "job": {"kind": "categorical", "values": ["a", "b"], "other": "c"},
        "sick": {"kind": "boolean", "nullable": True},
    }
)
ROWS = [(1, "a", True), (99, "z", "?"), (2.5, "b", None), (None, "a", False)]
MAPPED = [3, 1, 1]


def table(rows: list[tuple[Any, ...]]) -> Table:
    columns = {name: [row[place] for row in rows] for place, name in enumerate(SCHEMA.names)}
    return Table.from_frame(pandas.DataFrame(columns, dtype=object), SCHEMA)


def exact(monkeypatch: pytest.MonkeyPatch, rows: list[tuple[Any, ...]], neighbours: str) -> list[int]:
    """What the noise is added to."""
    monkeypatch.setattr(module, "discrete_laplace", lambda scale, count, source: np.zeros(count, dtype=np.int64))
    found = mapped_counts(table(rows), epsilon=1, neighbours=neighbours)
    return [*found.counts.values(), found.rows]


def test_what_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert exact(monkeypatch, ROWS, "add-remove") == [*MAPPED, 4]
    assert exact(monkeypatch, ROWS, "replace-one") == [*MAPPED, 4]
    assert exact(monkeypatch, [], "add-remove") == [0, 0, 0, 0]


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "7/3"])
def test_noise_covers_what_one_record_moves(monkeypatch: pytest.MonkeyPatch, neighbours: str, epsilon: str) -> None:
    """The law is a product of discrete Laplace laws, so the L1 distance over the scale is the privacy loss."""
    relation = Neighbours.parse(neighbours)
    mechanism = MappedCounting(3, Fraction(epsilon), relation)
    worst = 0
    for row in [*ROWS, (50, "q", 7), (5, "a", True)]:
        for place in range(len(ROWS)):
            rest = ROWS[:place] + ROWS[place + 1 :]
            pair = (ROWS, rest) if relation is Neighbours.ADD_REMOVE else (ROWS, [*rest, row])
            first, second = (exact(monkeypatch, rows, neighbours) for rows in pair)
            worst = max(worst, sum(abs(one - other) for one, other in zip(first, second, strict=True)))
    assert worst == mechanism.sensitivity, "the bound is reached"
    assert Fraction(worst, mechanism.scale) <= Fraction(epsilon)


def test_the_noise_is_drawn_at_that_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def record(scale: int, count: int, source: object) -> Any:
        asked.append((scale, count))
        return np.arange(count)

    monkeypatch.setattr(module, "discrete_laplace", record)
    found = mapped_counts(table(ROWS), epsilon="1/2")
    assert asked == [(8, 4)]
    assert (list(found.counts.values()), found.rows) == ([3, 2, 3], 7)
    found = mapped_counts(table(ROWS), epsilon="1/2", neighbours="replace-one")
    assert asked[1:] == [(6, 3)]
    assert (list(found.counts.values()), found.rows) == ([3, 2, 3], 4)


def test_it_is_charged_first_and_carries_its_guarantee(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger.json", epsilon=1)
    found = mapped_counts(table(ROWS), epsilon="0.25", ledger=ledger)
    assert ledger.spent[0] == Fraction(1, 4)
    assert found.guarantee.robust
    assert found.to_json()["guarantee"]["proof"] == "proofs/mapped-counts.md"
    assert not mapped_counts(table(ROWS), epsilon=1, source=SeededRandomness(1)).guarantee.private
    strict = Table.from_frame(pandas.DataFrame({"age": [1], "job": ["a"], "sick": [True]}), SCHEMA, strict=True)
    assert mapped_counts(strict, epsilon=1).guarantee.assumes == strict.assumes


def test_what_public_facts_rule_out_is_refused_before_the_charge(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger.json", epsilon=1)
    coded = Table.from_codes(np.zeros((1, 3), dtype=np.uint8), SCHEMA)
    with pytest.raises(ParameterError, match="does not know what was mapped"):
        mapped_counts(coded, epsilon=1, ledger=ledger)
    with pytest.raises(ParameterError, match="epsilon must lie between"):
        mapped_counts(table(ROWS), epsilon="1e-17", ledger=ledger)
    assert ledger.spent[0] == 0
    with pytest.raises(CapacityError, match="the noise scale exceeds"):
        MappedCounting(3, Fraction(1, 1 << 60), Neighbours.REPLACE_ONE).check(Facts(4))


def test_a_column_that_is_mapped_almost_entirely_is_caught_and_no_other() -> None:
    """One failure in 10^6 runs: each of 4 draws is beyond 20 scales with probability below 2 e^-20."""
    frame = pandas.DataFrame({"age": range(1000, 4000), "job": ["a"] * 3000, "sick": [True] * 2900 + ["?"] * 100})
    for neighbours in ("add-remove", "replace-one"):
        found = mapped_counts(Table.from_frame(frame, SCHEMA), epsilon="0.1", neighbours=neighbours)
        assert found.suspects() == ("age",)
        assert abs(found.counts["sick"] - 100) < 20 * found.scale


def test_the_margin_holds_for_all_counts_together() -> None:
    found = MappedCounts(
        {"a": 0, "b": 0, "c": 0}, 1, 10, MappedCounting(3, Fraction(1), Neighbours.ADD_REMOVE).guarantee
    )
    margin, ratio = found.margin(0.99), math.exp(-1 / 10)
    beyond = 2 * ratio ** (margin + 1) / (1 + ratio)
    assert 4 * beyond <= 0.01
    assert 2 * 4 * ratio**margin <= 0.01 < 2 * 4 * ratio ** (margin - 1)  # the bound of the proof, and no slack
    for bad in (0, 1, -1, 2):
        with pytest.raises(ParameterError, match="confidence"):
            found.margin(bad)
    with pytest.raises(ParameterError, match="share"):
        found.suspects(1)
