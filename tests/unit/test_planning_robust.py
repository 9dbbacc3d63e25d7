"""``plan robust``: which robust mechanism to take, by public numbers; and what ``learn --robust`` makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oracledp as odp
from in_process import invoke
from oracledp.errors import ParameterError
from oracledp.learning.models import rule_class
from oracledp.planning import robust_mechanism

LITERALS = odp.Literals.named(*"abcdefgh")
RULES = rule_class("conjunction", LITERALS, odp.Literal.boolean("y"), size=2)
COMMON: dict[str, Any] = {"epsilon": 2, "delta": "1e-4", "queries": RULES}


def test_on_all_rows_where_a_class_can_be_listed_and_a_vote_where_an_oracle_is_named() -> None:
    everything = odp.plan("robust", **COMMON, rows=4000, max_calls=500)
    assert everything.recommended == "exponential"
    assert {"exponential", "rspm", "vote"} <= {option.mechanism for option in everything.options}
    named = odp.plan("robust", **COMMON, rows=4000, oracle="heuristic")
    vote = named.option("vote")
    assert named.recommended == "vote"
    assert "exponential asks no oracle" in named.reason
    assert "prsma" not in {option.mechanism for option in named.options}  # a heuristic does not know when it failed
    assert vote.silence is not None
    assert vote.silence < 0.1
    assert vote.planted_error is not None
    assert vote.planted_error < 0.05
    assert vote.oracle_calls
    assert vote.seconds is not None
    data = vote.to_json()
    assert {"silence", "planted_error", "seconds", "oracle_calls", "rows_needed"} <= set(data)
    assert "⊥" in str(named)


def test_silence_is_foreseen_and_the_rows_needed_are_said() -> None:
    few = odp.plan("robust", epsilon="1/2", delta="1e-6", queries=RULES, rows=500, oracle="heuristic")
    assert few.recommended is None
    assert few.option("vote").silence == 1
    assert "are needed" in few.reason
    with pytest.raises(ParameterError, match=r"500 rows are too few .* about [0-9,]+ are needed"):
        robust_mechanism(RULES, epsilon="1/2", delta="1e-6", rows=500, oracle="heuristic")


def test_a_public_table_takes_the_place_of_a_planted_one() -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (3000, 9)).astype(np.uint8)
    codes[:, 8] = codes[:, 0] & codes[:, 3]
    schema = odp.Schema({"columns": {name: {"kind": "boolean"} for name in "abcdefghy"}})
    public = odp.Table.from_codes(codes, schema)
    made = odp.plan("robust", **COMMON, rows=3000, oracle="heuristic", public=public).option("vote")
    assert made.planted_error is None
    assert made.public_error == pytest.approx(0, abs=0.02)
    assert made.silence is not None
    assert made.silence < 0.01


def test_what_the_planner_foresees_is_what_the_vote_does() -> None:
    """Foreseen silence below 1e-8 and an error near 0: three votes on a fresh table of the same kind answer."""
    made = odp.plan("robust", epsilon=4, delta="1e-3", queries=RULES, rows=6000, oracle="heuristic").option("vote")
    assert made.silence is not None
    assert made.silence < 1e-8
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 2, (6000, 9)).astype(np.uint8)
    codes[:, 8] = (codes[:, 1] & codes[:, 2]) ^ (rng.random(6000) < 0.2)
    schema = odp.Schema({"columns": {name: {"kind": "boolean"} for name in "abcdefghy"}})
    table = odp.Table.from_codes(codes, schema)
    for _ in range(3):
        found = odp.vote(table, RULES, epsilon=4, delta="1e-3", rows=6000, oracle="heuristic")
        assert isinstance(found, odp.Release)


def test_learn_takes_the_plan_and_refuses_before_it_charges(tmp_path: Path, capsys: Any) -> None:
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2, (400, 3))
    lines = "\n".join(f"{a},{b},{a}" for a, b, _ in bits)
    (tmp_path / "data.csv").write_text(f"smoker,old,sick\n{lines}\n")
    (tmp_path / "schema.yaml").write_text("columns: {smoker: boolean, old: boolean, sick: boolean}\n")
    odp.Ledger.create(tmp_path / "budget", epsilon=10, delta="1e-3")
    learn = [
        "learn", tmp_path / "data.csv", "--schema", tmp_path / "schema.yaml", "--target", "sick", "--json",
        "--epsilon", "1", "--delta", "1e-6", "--robust", "--ledger", tmp_path / "budget",
    ]  # fmt: skip
    code, out, err = invoke(capsys, *map(str, learn))
    assert code == 0, err
    assert json.loads(out)["mechanism"] == "exponential"
    assert json.loads(out)["guarantee"]["robust"] is True
    code, out, err = invoke(capsys, *map(str, learn), "--oracle", "heuristic", "--rows", "400")
    assert code == 2
    assert "rows are too few" in err
    assert "needed" in err
    assert len(odp.Ledger.at(tmp_path / "budget").charges) == 1
