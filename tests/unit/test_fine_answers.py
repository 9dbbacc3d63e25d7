"""Numbers at a resolution answer any threshold, also where it cuts through a cell that was counted as one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from oracledp.data.output.conditions import allowed_codes, parse_conditions
from oracledp.errors import ParameterError
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis.estimates import part_estimate

SCHEMA = odp.Schema({"paid": "numeric 0..500 by 0.5", "old": "boolean"})


@pytest.fixture(scope="module")
def fitted() -> tuple[pd.DataFrame, odp.Synthesizer]:
    rng = np.random.default_rng(0)
    paid = np.where(rng.random(4000) < 0.5, 0, (rng.exponential(40, 4000) * 2).round() / 2)
    frame = pd.DataFrame({"paid": paid, "old": paid > 30})
    return frame, odp.Synthesizer(SCHEMA, epsilon=1, delta="1e-6").fit(frame, source=SeededRandomness(1))


def test_intervals_hold_at_every_threshold(fitted: tuple[pd.DataFrame, odp.Synthesizer]) -> None:
    frame, synthesizer = fitted
    cut_through = 0
    for step in range(1, 400, 9):
        condition = f"paid >= {step / 2}"
        found = synthesizer.answer(condition, confidence="0.999999")
        assert found.low <= (frame["paid"] >= step / 2).mean() <= found.high
        assert found.low <= found.value <= found.high
        allowed = allowed_codes(parse_conditions(condition, SCHEMA), SCHEMA)
        cut_through += part_estimate(synthesizer.model_, (0,), allowed) is None
    assert cut_through


def test_rows_meet_any_threshold(fitted: tuple[pd.DataFrame, odp.Synthesizer]) -> None:
    made = fitted[1].sample(100, seed=0, where=["paid >= 12.5", "paid < 33"])
    assert made["paid"].between(12.5, 32.5).all()


@pytest.mark.parametrize("text", ["paid >= 12.3", "paid >= 0", "paid >= 900", "paid > 3", "owed >= 3", "old >= 1"])
def test_what_is_no_threshold_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="is not a literal"):
        parse_conditions(text, SCHEMA)
