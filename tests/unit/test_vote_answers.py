"""Votes from anything: models of scikit-learn, free answers, lists, points and trees; and all that may go wrong."""

from __future__ import annotations

from typing import Any

import foreign_voters
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import oracledp as odp
from oracledp.errors import ParameterError
from oracledp.learning.models import rule_class
from oracledp.mechanisms.robust import NothingReleased
from oracledp.mechanisms.votes.answers import AnswerReleased
from oracledp.mechanisms.votes.ballots import Called
from oracledp.mechanisms.votes.fitted import Fitted, RoundedPoints, SameTree
from oracledp.mechanisms.votes.isolation import apart, free_answer
from oracledp.mechanisms.votes.mechanism import TIMED

NAMES = ["old", "smoker", "coffee", "sick"]
SCHEMA = odp.Schema({"columns": {name: {"kind": "boolean"} for name in NAMES}})
FEATURES, SICK = SCHEMA.literals.without("sick"), SCHEMA.literals[3]
LOUD: dict[str, Any] = {"epsilon": 16, "delta": "0.1"}  # two parts that agree are heard but for 6e-8


def table(rows: int = 600) -> odp.Table:
    """Sick are the old who smoke, but for a tenth."""
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 2, (rows, 4)).astype(np.uint8)
    codes[:, 3] = (codes[:, 0] & codes[:, 1]) ^ (rng.random(rows) < 0.1)
    return odp.Table.from_codes(codes, SCHEMA)


def error(found: Any, rows: odp.Table) -> float:
    wrong = found.query(rows.matrix(found.query.owner.literals))
    return float(rows.counts[wrong].sum()) / rows.rows


@pytest.mark.parametrize(("model", "size"), [("decision-list", 2), ("halfspace", 2), ("tree", 2)])
@pytest.mark.parametrize("oracle", ["auto", "heuristic"])
def test_lists_points_and_trees_are_chosen_by_vote(model: str, size: int, oracle: str) -> None:
    rows = table(3000)
    queries = rule_class(model, FEATURES, SICK, size=size)
    found = odp.vote(rows, queries, epsilon=8, delta="1e-2", oracle=oracle, parts=12, ballot=4)
    assert isinstance(found, odp.Release)
    assert found.guarantee.robust
    assert error(found, rows) < 0.2  # 0.1 is the noise, 0.3 the more frequent label


def test_a_tree_and_a_linear_model_of_scikit_learn_vote() -> None:
    rows, trees = table(), rule_class("tree", FEATURES, SICK, size=2)
    grown = Fitted(DecisionTreeClassifier(max_depth=2, random_state=0), SameTree(trees))
    source = odp.SeededRandomness(0)  # two parts of other rows may grow two trees, and then nothing is released
    found = odp.vote(rows, trees, **LOUD, answers=grown, parts=2, form="hard", source=source)
    assert isinstance(found, odp.Release)
    assert not found.guarantee.assumes
    assert error(found, rows) < 0.2
    points = rule_class("halfspace", FEATURES, SICK, size=2)
    part = rows.matrix(points.literals), rows.counts
    named = Called(Fitted(LogisticRegression(), RoundedPoints(points)), 3)(*part)
    assert named
    assert all(points.contains(answer) for answer, _ in named)
    assert error(odp.Release(points.query(*named[0][0]), found.guarantee, found.certificate, ""), rows) < 0.35
    for turn in (SameTree, RoundedPoints):
        with pytest.raises(ParameterError, match=turn.__name__):
            turn(odp.Conjunctions(FEATURES))


@pytest.mark.parametrize(
    ("function", "answer"),
    [(foreign_voters.columns, ["old", "smoker"]), (foreign_voters.word, "red"), (foreign_voters.numbers, [1, 2.5])],
)
def test_answers_may_be_anything_plain(function: Any, answer: Any) -> None:
    found = odp.vote(table(60), **LOUD, parts=2, answers=function, form="hard")
    assert isinstance(found, AnswerReleased)
    assert found.answer == found.to_json()["answer"] == answer
    assert found.mechanism == "vote:hard"
    assert found.guarantee.robust


def test_numbers_that_look_alike_are_different_answers() -> None:
    """Else the first part would choose the form of the answer, and one record with it."""
    assert len({free_answer(value) for value in (1, 1.0, True)}) == 3


@pytest.mark.parametrize("name", ["hangs", "nan", "raises", "exits", "foreign", "unhashable", "nothing"])
def test_a_part_that_fails_names_nothing_and_says_nothing(name: str, capfd: Any) -> None:
    ballot = Called(getattr(foreign_voters, name), 2)
    records, counts = np.zeros((3, 4), dtype=np.uint8), np.ones(3, dtype=np.int64)
    assert apart(ballot, records, counts, seconds=0.05 if name == "hangs" else None) == []
    shown = capfd.readouterr()
    assert shown.out + shown.err == ""


@pytest.mark.parametrize("seconds", [None, 0.05])
def test_a_vote_without_any_answer_is_paid_for_once(seconds: float | None, tmp_path: Any) -> None:
    ledger = odp.Ledger.create(tmp_path / "budget", epsilon=16, delta="0.1")
    function = foreign_voters.raises if seconds is None else foreign_voters.hangs
    found = odp.vote(table(60), **LOUD, parts=1, answers=function, ledger=ledger, seconds=seconds)
    assert isinstance(found, NothingReleased)
    assert len(ledger.charges) == 1
    assert found.guarantee.assumes == (() if seconds is None else (TIMED,))


def test_an_empty_part_votes_like_any_other() -> None:
    rules = odp.ZeroOneLoss.of(odp.Conjunctions(FEATURES), SICK)
    found = odp.vote(table(3), rules, epsilon=8, delta="1e-1", parts=40)
    assert isinstance(found, odp.Release | NothingReleased)
    nobody = odp.Table.from_codes(np.zeros((0, 4), dtype=np.uint8), SCHEMA)
    assert isinstance(odp.vote(nobody, rules, epsilon=8, delta="1e-1", parts=12), odp.Release | NothingReleased)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({}, "needs answers"), ({"answers": 3}, "answers must be a function"),
        ({"answers": foreign_voters.nan, "seconds": 0}, "seconds"),
        ({"answers": foreign_voters.nan, "form": "loud"}, "form"),
        ({"answers": foreign_voters.nan, "rows": 40, "epsilon": "1/10"}, "are needed"),
        ({"answers": foreign_voters.nan, "parts": 700, "neighbours": "replace-one"}, "too few for 700 parts"),
        ({"answers": foreign_voters.nan, "form": "hard", "parts": 9000}, "parts"),
        ({"queries": odp.ZeroOneLoss.of(odp.Conjunctions(FEATURES), SICK), "seconds": 3}, "seconds is for answers"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_before_the_charge(options: dict[str, Any], line: str, tmp_path: Any) -> None:
    relation = options.get("neighbours", "add-remove")
    ledger = odp.Ledger.create(tmp_path / "budget", epsilon=50, delta="0.9", neighbours=relation)
    with pytest.raises(ParameterError, match=line):
        odp.vote(table(60), **{**LOUD, "ledger": ledger, **options})
    assert ledger.charges == ()
