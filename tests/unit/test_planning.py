"""The planner: its numbers are the bounds', its inverses are inverses, and it predicts what mechanisms then do."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from oracledp.errors import ParameterError
from oracledp.learning.models import rule_class
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.objective import Objective
from oracledp.planning import TASKS
from oracledp.planning.robust import FIELDS

LITERALS = odp.Literals.named(*"abcdefgh")
RULES = rule_class("conjunction", LITERALS, odp.Literal.boolean("y"), size=2)


def test_the_target_is_met_at_the_rows_and_at_the_epsilon_that_it_needs() -> None:
    made = odp.plan("learn", epsilon=1, rows=2000, queries=RULES, target_error="0.02")
    for option in made.options:
        assert option.rows_needed is not None
        assert option.epsilon_needed is not None
        at_rows = odp.plan("learn", epsilon=1, rows=option.rows_needed, queries=RULES).option(option.mechanism)
        at_epsilon = odp.plan("learn", epsilon=option.epsilon_needed, rows=2000, queries=RULES)
        assert at_rows.error == pytest.approx(0.02, rel=2 / option.rows_needed)  # rows are whole
        assert at_epsilon.option(option.mechanism).error == pytest.approx(0.02, rel=1e-6)


def test_mechanisms_and_neighbours() -> None:
    made = odp.plan("learn", epsilon=1, rows=2000, queries=RULES)
    assert [option.mechanism for option in made.options] == [
        "exponential",
        "rspm",
        "report-noisy-min",
        "rspm:separator",
    ]
    assert made.recommended in ("exponential", "report-noisy-min")
    doubled = odp.plan("learn", epsilon=1, rows=2000, queries=RULES, neighbours="replace-one")
    for option in made.options:
        assert doubled.option(option.mechanism).error == pytest.approx(option.error * 2)
    only = odp.plan("rspm", epsilon=1, rows=2000, queries=RULES, delta="1e-6")
    assert {o.mechanism for o in only.options} == {"rspm", "rspm:separator", "rspm:gaussian"}


def test_a_class_that_cannot_be_enumerated_is_left_to_the_solver() -> None:
    wide = odp.Conjunctions(odp.Literals.named(*(f"x{i}" for i in range(200))), max_width=6)
    made = odp.plan("learn", epsilon=1, rows=10**6, queries=wide)
    assert "report-noisy-min" not in [option.mechanism for option in made.options]
    assert made.option("rspm").privacy.startswith("pure")
    assert made.recommended is not None


def test_a_prsma_design_has_the_fields_that_readers_rely_on() -> None:
    made = odp.plan("prsma", epsilon=4, delta="1e-2", rows=10**6, max_calls=20_000)
    data = made.to_json()
    assert list(data["design"])[: len(FIELDS)] == list(FIELDS)
    assert data["design"]["parts"] * data["design"]["runs_per_part"] <= 20_000
    assert sum(data["design"]["delta_terms"].values()) <= 1e-2
    assert made.options == ()


def test_prsma_with_a_class_has_an_error_and_a_target() -> None:
    queries = odp.Conjunctions(odp.Literals.named("a", "b", "c"), max_width=1)
    common = {"epsilon": 4, "delta": "1e-2", "rows": 10**5, "max_calls": 2000, "queries": queries}
    error = odp.plan("prsma", **common).option("prsma").error
    option = odp.plan("prsma", **common, target_error=error * 0.8).option("prsma")
    assert 0 < error < 0.2
    assert option.rows_needed is not None
    assert option.epsilon_needed is not None
    assert option.rows_needed == pytest.approx(10**5 / 0.64, rel=0.01)
    assert 4 < option.epsilon_needed < 8


def test_synthesis() -> None:
    queries = odp.Conjunctions(odp.Literals.named(*(f"x{i}" for i in range(24))), max_width=3)
    made = odp.plan("synth", epsilon=1, delta="1e-6", rows=48842, queries=queries)
    measured = made.option("synthesizer")
    assert measured.mean_error is not None
    assert 0.003 < measured.error < 0.012
    assert measured.mean_error < measured.error
    games = [option for option in made.options if option.mechanism.startswith("oracle-query")]
    assert len(games) == 2
    assert games[0].error < games[1].error  # the exponential mechanism beats RSPM as query player
    assert games[0].curve is not None
    assert games[0].curve(48842e3, 1.0) < games[0].error


def _public_table(rows: int, seed: int) -> odp.Table:
    """Labels that follow one literal with some noise: the best rule is clear, the second-best not far."""
    rng = np.random.default_rng(seed)
    bits = rng.random((rows, 8)) < 0.5
    label = np.where(rng.random(rows) < 0.75, bits[:, 0] & bits[:, 1], rng.random(rows) < 0.5)
    frame = pd.DataFrame(np.column_stack([bits, label]), columns=[*"abcdefgh", "y"])
    schema = odp.Schema({"columns": {name: {"kind": "boolean"} for name in [*"abcdefgh", "y"]}})
    return odp.Table.from_frame(frame, schema)


@pytest.mark.parametrize("epsilon", ["0.004", "0.01"])
def test_a_public_table_predicts_the_error_on_another_within_a_factor_of_two(epsilon: str) -> None:
    """Planned from 2,000 public rows for 4,000 private ones; measured on 4,000 other rows of the same kind."""
    public, private = _public_table(2000, 1), _public_table(4000, 2)
    queries = rule_class("conjunction", LITERALS, public.schema.literal("y"), size=2)
    made = odp.plan("learn", epsilon=epsilon, rows=4000, queries=queries, public=public)
    objective = Objective.of(queries, private.matrix(queries.literals), private.counts, resolution=0)
    values = objective.all_values().astype(float)
    rate = float(ExponentialMechanism(queries, Fraction(epsilon), odp.Neighbours.DEFAULT).rate)
    law = np.exp(-rate * (values - values.min()))
    measured = float(law @ (values - values.min()) / law.sum() / private.rows)
    predicted = made.option("exponential").public_error
    assert predicted is not None
    assert predicted / 2 < measured < predicted * 2
    worst = made.option("exponential").mean_error
    assert worst is not None
    assert measured < worst
    simulated = made.option("rspm").public_error
    bound = made.option("rspm").mean_error
    assert simulated is not None
    assert bound is not None
    assert predicted / 2 < simulated < bound


def test_time_is_measured_on_random_data() -> None:
    made = odp.plan("learn", epsilon=1, rows=2000, queries=RULES, timed=True)
    assert all(option.seconds is not None and option.seconds > 0 for option in made.options)


def test_the_table_and_the_picture(tmp_path: Any) -> None:
    made = odp.plan("learn", epsilon="0.01", rows=200, queries=RULES, target_error="0.1")
    text = str(made)
    assert "rspm:separator" in text
    assert "vacuous" in text  # an error above one is called what it is
    target = tmp_path / "plan.png"
    made.plot(str(target))
    assert target.read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(ParameterError, match="query class"):
        odp.plan("prsma", epsilon=4, delta="1e-2", rows=10**6, max_calls=20_000).plot(str(target))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: odp.plan("guess", epsilon=1, rows=10), "task"),
        (lambda: odp.plan("learn", epsilon=1, rows=0, queries=RULES), "rows"),
        (lambda: odp.plan("learn", epsilon=1, rows=10), "query class"),
        (lambda: odp.plan("learn", epsilon=0, rows=10, queries=RULES), "epsilon"),
        (lambda: odp.plan("learn", epsilon=1, rows=10, queries=RULES, beta=1), "beta"),
        (lambda: odp.plan("learn", epsilon=1, rows=10, queries=RULES, target_error=0), "target_error"),
        (lambda: odp.plan("prsma", epsilon=1, rows=10), "delta"),
        (lambda: odp.plan("synth", epsilon=1, delta="1e-6", rows=10), "schema"),
        (lambda: odp.plan("learn", epsilon=1, rows=9, queries=odp.Conjunctions(LITERALS, max_width=0)), "single"),
    ],
)
def test_bad_questions_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("task", ["learn", "rspm", "synth"])
def test_a_plan_prints_no_figure_of_the_papers(task: str) -> None:
    made = odp.plan(task, epsilon=1, delta="1e-6", rows=48842, queries=odp.Conjunctions(LITERALS, max_width=2))
    assert "paper" not in made.to_json()
    assert "paper" not in str(made)


def test_every_task_is_known() -> None:
    assert TASKS == ("learn", "rspm", "prsma", "robust", "synth")
