"""The exact exponential mechanism and permute-and-flip: bounds, edges, refusals."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp import _engine
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.randomness import choice
from oracledp.randomness.choice import _upper_weights
from oracledp.randomness.noise import exponential_choice, exponential_law, permute_and_flip_choice
from oracledp.randomness.source import SeededRandomness, SystemRandomness

SYSTEM = SystemRandomness()
EXTREMES = np.array([-(2**63), 2**63 - 1, 0, 5], dtype=np.int64)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    gap=st.integers(0, 2**64 - 1),
    rate=st.fractions(min_value=0, max_value=5, max_denominator=10**6),
    bits=st.sampled_from([2, 7, 30, 62]),
)
def test_upper_weights_are_upper_and_nearly_tight(gap: int, rate: Fraction, bits: int) -> None:
    upper = _upper_weights(rate, bits)
    scores = np.array([gap - 2**63], dtype=np.int64)
    high, low = _engine.sum_upper_weights(scores, -(2**63), upper.last, bits, upper.table)
    floor, ceiling = exp_enclosure(rate * gap, bits)
    assert high == 0
    assert ceiling <= low <= floor + 32


def test_totals_past_64_bits() -> None:
    upper = _upper_weights(Fraction(0), 62)
    scores = np.arange(1000, dtype=np.int64)
    high, low = _engine.sum_upper_weights(scores, 0, upper.last, 62, upper.table)
    total = (high << 64) + low
    assert total == 1000 << 62
    for target in (0, total - 1, (777 << 62) + 5, 777 << 62, (777 << 62) - 1):
        found, offset = _engine.find_upper_weight(scores, 0, upper.last, 62, upper.table, target >> 64, target % 2**64)
        assert (found << 62) + offset == target
        assert offset < 1 << 62  # the first number of a stretch belongs to it, not to the one before


def test_the_law_encloses_its_sum() -> None:
    law = exponential_law(np.array([3, 1, 4, 1, 500]), Fraction(1, 3))
    assert sum(low for low, _ in law) <= 1 <= sum(high for _, high in law)
    assert all(0 <= low <= high for low, high in law)
    assert max(high - low for low, high in law) < Fraction(1, 2**120)
    assert law[1] == law[3]
    assert law[1][0] / law[0][1] <= 1 / Fraction(exp_enclosure(Fraction(2, 3), 200)[0], 2**200)


def test_extreme_scores_are_safe() -> None:
    assert exponential_choice(EXTREMES, 1, SYSTEM) == 0
    assert permute_and_flip_choice(EXTREMES, 1, SYSTEM) == 0
    source = SeededRandomness(0)
    for choose in (exponential_choice, permute_and_flip_choice):
        assert {choose(EXTREMES, 0, source) for _ in range(100)} == {0, 1, 2, 3}
        assert {choose(EXTREMES, Fraction(1, 2**62), source) for _ in range(400)} == {0, 1, 2, 3}


def test_one_score() -> None:
    assert exponential_choice(np.array([7]), Fraction(1, 2), SYSTEM) == 0
    assert permute_and_flip_choice(np.array([7]), Fraction(1, 2), SYSTEM) == 0


def test_other_integer_kinds_and_views() -> None:
    scores = np.array([9, 0, 9, 5, 9, 0], dtype=np.int16)[::2]  # 9, 9, 9
    assert exponential_choice(scores, 1, SYSTEM) in (0, 1, 2)
    assert permute_and_flip_choice(scores, 1, SYSTEM) in (0, 1, 2)


@pytest.mark.parametrize(
    "scores",
    [np.array([], dtype=np.int64), np.array([1.0]), np.zeros((2, 2), dtype=np.int64), np.array([1], dtype=np.uint64)],
)
def test_bad_scores(scores: np.ndarray) -> None:
    for choose in (exponential_choice, permute_and_flip_choice):
        with pytest.raises(ParameterError, match="scores"):
            choose(scores, 1, SYSTEM)


@pytest.mark.parametrize("rate", [-1, 0.5, True, "1"])
def test_bad_rates(rate: object) -> None:
    for choose in (exponential_choice, permute_and_flip_choice):
        with pytest.raises(ParameterError, match="rate"):
            choose(np.array([1]), rate, SYSTEM)  # type: ignore[arg-type]


def test_permute_and_flip_refuses_wide_rates() -> None:
    with pytest.raises(CapacityError):
        permute_and_flip_choice(np.array([1, 2]), Fraction(1, 2**63), SYSTEM)


@pytest.mark.parametrize("target", [0, 1, (1 << 64) - 1, 1 << 64, (1 << 65) + 12345])
def test_compiled_code_is_asked_for_the_target_that_was_drawn(target: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def find(*arguments: int) -> tuple[int, int]:
        high, low = arguments[-2:]
        assert 0 <= low < 1 << 64
        asked.append((high << 64) + low)
        return 0, 0

    stub = SimpleNamespace(sum_upper_weights=lambda *rest: (4, 0), find_upper_weight=find)
    monkeypatch.setattr(choice, "_engine", stub)
    monkeypatch.setattr(choice, "below", lambda source, total: target)
    monkeypatch.setattr(choice, "_under_weight", lambda *rest: True)
    assert choice._exponential_choice(np.array([3, 4]), Fraction(1), SeededRandomness(0), 63) == 0
    assert asked == [target]
