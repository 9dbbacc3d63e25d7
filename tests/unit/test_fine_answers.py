"""Numbers at a resolution answer any threshold, also where it cuts through a cell that was counted as one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from oracledp.data.output.conditions import allowed_codes, parse_conditions
from oracledp.errors import ParameterError
from oracledp.randomness.source import SeededRandomness
from oracledp.report.synthetic import synthetic_page
from oracledp.report.value_axis import wide_bins
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("paid >= 12.3", "possible near 12.3: 12, 12.5"),
        ("paid >= 0", "all of its values"),
        ("paid >= 900", "none of its values"),
        ("owed >= 3", "no column 'owed'"),
        ("old >= 1", "true or false"),
    ],
)
def test_what_is_no_threshold_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse_conditions(text, SCHEMA)


VISITS = odp.Schema(
    {
        "day": {"kind": "date", "lo": "2020-01-01", "hi": "2020-12-31", "thresholds": ["2020-07-01"], "missing": "?"},
        "wait": {"kind": "duration", "lo": "0:00:00", "hi": "5:00:00", "format": "%H:%M"},
        "sex": "f | m",
        "old": "boolean?",
    }
)


@pytest.fixture(scope="module")
def visits() -> odp.Synthesizer:
    rng = np.random.default_rng(0)
    days = pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 366, 3000), unit="D")
    rows = {
        "day": [None if rng.random() < 0.1 else f"{day:%Y-%m-%d}" for day in days],
        "wait": [f"{minutes // 60:02d}:{minutes % 60:02d}" for minutes in rng.integers(0, 300, 3000)],
        "sex": rng.choice(["f", "m"], 3000).tolist(),
        "old": rng.choice(np.array([True, False, None]), 3000).tolist(),
    }
    table = odp.Table.from_columns(rows, VISITS, strict=True)
    return odp.Synthesizer(VISITS, epsilon=2, delta="1e-6").fit(table, source=SeededRandomness(1))


def test_dates_and_durations_answer_any_threshold(visits: odp.Synthesizer) -> None:
    found = visits.answer(["day >= 2020-04-01", "wait < 1:00:00"])
    assert found.low <= 0.9 * (275 / 366) * 0.2 <= found.high
    assert (visits.sample(200, seed=1, where="wait >= 2:30:00")["wait"] >= "02:30").all()
    for text in ("day >= 2020-02-31", "day >= 17", "wait >= 30", "wait >= 9:00:00"):
        with pytest.raises(ParameterError, match=r"takes >=, >, <, <= and = with a d|none of its values"):
            visits.answer(text)


def test_values_and_days_alone_are_answered(
    fitted: tuple[pd.DataFrame, odp.Synthesizer], visits: odp.Synthesizer
) -> None:
    frame, synthesizer = fitted
    for text, share in (("paid = 0", (frame["paid"] == 0).mean()), ("paid > 0 and paid <= 12.5", None)):
        found = synthesizer.answer(text, confidence="0.999999")
        true = frame["paid"].between(0.5, 12.5).mean() if share is None else share
        assert found.low <= true <= found.high
    made = visits.sample(200, seed=1, where="day > 2020-03-31 and day <= 2020-06-30 and wait <= 1:30")
    assert made["day"].between("2020-04-01", "2020-06-30").all()
    assert (made["wait"] <= "01:30").all()
    assert (visits.sample(30, seed=1, where="wait = 01:30")["wait"] == "01:30").all()


def test_a_table_by_groups_adds_up_and_its_intervals_hold(visits: odp.Synthesizer) -> None:
    found = visits.answer_by("day", "sex", "old", confidence="0.999", together=True)
    assert len(found.rows) == 3 * 2 * 3
    assert sum(answer.value for _, answer in found.rows) == pytest.approx(1, abs=0.02)
    by_name = dict(found.rows)
    for place, share in (("missing", 0.1), (">= 2020-07-01", 0.45)):
        answer = by_name[place, "m", "true"]
        assert answer.low <= share / 6 * 1.15
        assert answer.high >= share / 6 * 0.85
        assert answer.confidence == pytest.approx(1 - 0.001 / 18)
    assert "< 2020-07-01" in str(found)
    assert found.to_json()["by"] == ["day", "sex", "old"]
    narrow = visits.answer_by("sex", where="old")
    assert all(answer.high < 0.3 for _, answer in narrow.rows)


@pytest.mark.parametrize("by", [(), ("sex", "sex"), ("shoe",)])
def test_odd_groups_are_refused(visits: odp.Synthesizer, by: tuple[str, ...]) -> None:
    with pytest.raises(ParameterError):
        visits.answer_by(*by)


def test_parts_of_a_sample_are_its_rows(visits: odp.Synthesizer) -> None:
    parts = list(visits.sample_parts(250, seed=0, most=100))
    assert [len(part) for part in parts] == [100, 100, 50]
    whole = next(visits.sample_parts(100, seed=0, most=1000))
    assert whole.equals(visits.sample(100, seed=0))
    assert visits.sample_size() == round(visits.model_.total)
    with pytest.raises(ParameterError, match="most"):
        visits.sample_parts(5, most=0)


def test_the_page_shows_values_with_intervals_and_warns_of_wide_bins(visits: odp.Synthesizer) -> None:
    page = synthetic_page(visits.model_)
    assert page.count("share of records below a value") == 2
    assert "below 2020-" in page
    assert "Wide bins" not in page
    schema = odp.Schema({"pay": {"kind": "numeric", "lo": 0, "hi": 1000, "thresholds": [100, 200]}, "old": "boolean"})
    table = odp.Table.from_columns({"pay": [50, 150, 900] * 300, "old": [True, False, True] * 300}, schema)
    coarse = odp.Synthesizer(schema, epsilon=2, delta="1e-6").fit(table, source=SeededRandomness(1))
    assert "pay [200, 1000] (" in synthetic_page(coarse.model_)
    assert wide_bins(coarse.model_)[-1][:2] == ("pay", "[200, 1000]")
