"""What things print and show in notebooks: useful, escaped, and nothing private."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oracledp as odp
from oracledp.progress_display import _here
from oracledp.synthesis.answers import Answer

SCHEMA = odp.Schema({"columns": {"<b>": {"kind": "boolean"}, "age": {"kind": "integer", "lo": 0, "hi": 9}}})
ROWS = 4321  # private under add/remove-one


def table() -> odp.Table:
    return odp.Table.from_codes(np.array([[0, 1], [1, 9]]), SCHEMA, np.array([ROWS - 1, 1]))


@pytest.fixture(scope="module")
def release() -> odp.Release:
    rules = odp.Conjunctions(SCHEMA.literals, max_width=1)
    return odp.exponential(table(), rules, epsilon=1)


@pytest.fixture
def ledger(tmp_path: Path) -> odp.Ledger:
    made = odp.Ledger.create(tmp_path / "study", epsilon=2)
    rules = odp.Conjunctions(SCHEMA.literals, max_width=1)
    odp.exponential(table(), rules, epsilon="0.5", ledger=made.acting(actor="<ada>"))
    return made


def shown(thing: Any) -> str:
    return str(thing) + repr(thing) + thing._repr_html_()


def test_no_count_of_rows_is_shown(release: odp.Release, ledger: odp.Ledger) -> None:
    synthesizer = odp.Synthesizer(SCHEMA, epsilon=1, delta="1e-6")
    game = odp.OracleQuery(SCHEMA, epsilon=1, delta="1e-6", queries=odp.Conjunctions(SCHEMA.literals, max_width=1))
    plan = odp.plan("learn", epsilon=1, rows=500, queries=odp.Conjunctions(SCHEMA.literals, max_width=1))
    for thing in (SCHEMA, table(), release, ledger, synthesizer, game, plan, Answer(0.5, 0.4, 0.6, 0.95)):
        text = shown(thing)
        assert str(ROWS) not in text
        assert f"{ROWS:,}" not in text
        assert " object at 0x" not in text
        assert "<b>" not in thing._repr_html_()


def test_each_says_what_it_is(release: odp.Release, ledger: odp.Ledger) -> None:
    assert repr(SCHEMA) == "Schema(<b>, age)"
    assert "private" in table()._repr_html_()
    assert repr(release).startswith("<Release by exponential: ")
    assert "ε 0.5 of 2 spent" in repr(ledger)
    assert "&lt;ada&gt;" in ledger._repr_html_()
    assert "cannot be read" in repr(odp.Ledger(Path("no-such-ledger")))
    assert str(Answer(0.5, 0.4, 0.6, 0.95)) == "0.5000  (95 % interval 0.4000 to 0.6000)"


def test_plots_are_figures(ledger: odp.Ledger) -> None:
    figures = pytest.importorskip("matplotlib.figure")
    plan = odp.plan("learn", epsilon=1, rows=500, queries=odp.Conjunctions(SCHEMA.literals, max_width=1))
    assert isinstance(ledger.plot(), figures.Figure)
    assert isinstance(plan.plot(), figures.Figure)
    assert plan.plot()._repr_png_()[:4] == b"\x89PNG"
    fitted = odp.Synthesizer(SCHEMA, epsilon=1, delta="1e-6").fit(table())
    assert len(fitted.plot("age").axes[0].patches) == 10
    assert fitted.plot("<b>", "age").axes[0].images[0].get_array().shape == (2, 10)
    for wrong in ((), ("age", "age"), ("age", "<b>", "age"), ("size",)):
        with pytest.raises(odp.OracleDPError):
            fitted.plot(*wrong)


def test_releases_are_logged_under_one_name_without_counts(caplog: pytest.LogCaptureFixture) -> None:
    rules = odp.Conjunctions(SCHEMA.literals, max_width=1)
    with caplog.at_level(logging.INFO, logger="oracledp"):
        odp.exponential(table(), rules, epsilon=1)
    (record,) = caplog.records
    assert record.name == "oracledp"
    assert record.getMessage().startswith("exponential: 1-differentially private")
    assert str(ROWS) not in record.getMessage()


def test_progress_is_silent_in_pipes_and_where_it_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert _here() == "silent"
    for place in ("auto", "silent"):
        with odp.progress("fitting", place) as advance:
            advance(1, 2)
    assert capsys.readouterr() == ("", "")
    with odp.progress("fitting", "terminal") as advance:
        advance(2, 2)
    with pytest.raises(odp.OracleDPError), odp.progress("fitting", "somewhere"):
        pass
