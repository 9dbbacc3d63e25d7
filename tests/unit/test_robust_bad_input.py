"""Whatever a voter or an oracle does on private rows: a failed vote or run, no word of it, one charge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import foreign_voters
import numpy as np
import pytest
from experiments.paper_constants import paper_design
from experiments.parts.designer import design_parts
from prsma_examples import a_design, a_table, rules, run

import oracledp as odp
from broken.hostile_oracles import HostileOracle
from oracledp.errors import ParameterError
from oracledp.mechanisms.robust import Design, NothingReleased
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples
from oracledp.oracles.base import Answer
from oracledp.oracles.problem import WeightedProblem

SECRET = "a secret"
LOUD: dict[str, Any] = {"epsilon": 16, "delta": "0.1"}  # two parts that agree are heard but for 6e-8


def _raise(error: type[BaseException]) -> Callable[[Answer], Any]:
    def raising(answer: Answer) -> Any:
        raise error(SECRET)

    return raising


BEHAVIOURS: dict[str, Callable[[Answer], Any]] = {
    "raises": _raise(ValueError),
    "raises an error of ours": _raise(ParameterError),
    "exits": _raise(SystemExit),
    "interrupts": _raise(KeyboardInterrupt),
    "runs out of memory": _raise(MemoryError),
    "returns nothing": lambda answer: None,
    "returns a word": lambda answer: SECRET,
    "returns a type": lambda answer: dict,
    "returns what cannot be hashed": lambda answer: {SECRET: []},
    "answers with a query of another class": lambda answer: replace(
        answer, query=odp.Parities(rules().literals).query(0)
    ),
    "answers with parts that cannot be hashed": lambda answer: replace(answer, query=replace(answer.query, parts=[[]])),
    "answers with a value that is no number": lambda answer: replace(answer, value=object()),
}


@dataclass(frozen=True)
class Misbehaves(HostileOracle):
    """Honest without rows, which is tried before anything is paid."""

    how: str = ""

    def solve(self, problem: WeightedProblem) -> Answer:
        honest = super().solve(problem)
        return BEHAVIOURS[self.how](honest) if len(problem.records) else honest


@pytest.fixture
def ledger(tmp_path: Any) -> odp.Ledger:
    return odp.Ledger.create(tmp_path / "budget", epsilon=16, delta="0.1")


def heard(found: Any, capfd: Any) -> str:
    shown = capfd.readouterr()
    return str(found) + str(found.to_json()) + shown.out + shown.err


@pytest.mark.parametrize("how", BEHAVIOURS)
def test_an_oracle_that_misbehaves_on_rows_is_silence_by_prsma(how: str, ledger: odp.Ledger, capfd: Any) -> None:
    found = run(oracle=Misbehaves(how=how), ledger=ledger)
    assert isinstance(found, NothingReleased)
    assert len(ledger.charges) == 1
    assert SECRET not in heard(found, capfd)


@pytest.mark.parametrize("how", ["raises", "exits", "returns what cannot be hashed"])
def test_an_oracle_that_misbehaves_on_rows_is_silence_by_vote(how: str, ledger: odp.Ledger, capfd: Any) -> None:
    found = odp.vote(a_table(), rules(), **LOUD, parts=1, ballot=1, oracle=Misbehaves(how=how), ledger=ledger)
    assert isinstance(found, NothingReleased)
    assert len(ledger.charges) == 1
    assert SECRET not in heard(found, capfd)


@pytest.mark.parametrize("name", ["nan", "raises", "exits", "vanishes", "foreign", "unhashable", "nothing"])
def test_a_function_that_fails_is_silence_and_one_charge(name: str, ledger: odp.Ledger, capfd: Any) -> None:
    function = getattr(foreign_voters, name)
    found = odp.vote(a_table(60), **LOUD, parts=1, answers=function, form="approval", ledger=ledger)
    assert isinstance(found, NothingReleased)
    assert len(ledger.charges) == 1
    assert SECRET not in heard(found, capfd)
    assert found.guarantee.robust


def test_a_function_that_writes_its_own_list_is_cut_to_its_vote(ledger: odp.Ledger) -> None:
    """It may take over its process and hand in anything: of that the first answer counts, once."""
    found = odp.vote(a_table(60), **LOUD, parts=2, answers=foreign_voters.shouts, form="hard", ledger=ledger)
    assert found.to_json().get("answer") in ("me", None)
    assert len(ledger.charges) == 1


def test_more_parts_than_rows_and_no_rows_at_all_are_votes_like_any_other(ledger: odp.Ledger) -> None:
    for rows in (0, 2):
        table = odp.Table.from_codes(np.zeros((rows, 2), dtype=np.uint8), a_table().schema)
        odp.vote(table, rules(), epsilon=4, delta="0.02", parts=30, ballot=1, ledger=ledger)
        odp.prsma(table, rules(), epsilon=2, delta="1/100", design=a_design(), ledger=ledger)
    assert len(ledger.charges) == 4


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_rows_too_few_for_any_design_are_said_before_the_charge(rows: int, tmp_path: Any) -> None:
    ledger = odp.Ledger.create(tmp_path / "budget", epsilon=1, delta="1e-6", neighbours="replace-one")
    table = odp.Table.from_codes(np.zeros((rows, 2), dtype=np.uint8), a_table().schema)
    with pytest.raises(ParameterError, match=f"with {rows} rows"):
        odp.prsma(table, rules(), epsilon=1, delta="1e-6", neighbours="replace-one", ledger=ledger)
    assert ledger.charges == ()


# ---- designs -------------------------------------------------------------------------------------------
class Easy(TwoSamples):
    """Certifies whatever it is asked for."""

    def terms(self, design: Design, epsilon: Fraction) -> dict[str, Fraction]:
        return {"nothing": Fraction(0)}


class Flattering(Design):
    """Says of itself that its claim holds."""

    @property
    def beta(self) -> Fraction:
        return Fraction(0)


OTHERS: dict[str, Callable[[], Any]] = {
    "Theorem 5": lambda: design_parts(epsilon=2, delta="1/100", rows=3000, max_calls=20_000),
    "equal parts": lambda: design_parts(epsilon=2, delta="1/100", rows=3000, max_calls=20_000, theorem="T2+T4"),
    "the paper's constants": lambda: paper_design(epsilon=2, delta="1/100", rows=10**6),
    "a theorem of its own": lambda: a_design(theorem=Easy(Fraction(1, 20))),
    "a design of its own": lambda: Flattering(**vars(a_design())),
    "numbers": lambda: a_design().to_json(),
    "a word": lambda: "two-sample",
}


@pytest.mark.parametrize("name", OTHERS)
def test_prsma_refuses_what_is_no_design_of_its_theorem_before_the_charge(name: str, ledger: odp.Ledger) -> None:
    with pytest.raises(ParameterError, match="design must be one of Theorem 7") as refusal:
        run(design=OTHERS[name](), ledger=ledger)
    assert "\n" not in str(refusal.value)
    assert ledger.charges == ()


def test_a_design_for_a_smaller_promise_is_not_confirmed(ledger: odp.Ledger) -> None:
    for changes in ({"epsilon": "1/2"}, {"delta": "1/100000"}):
        with pytest.raises(ParameterError, match="not confirmed"):
            run(ledger=ledger, **changes)
    assert ledger.charges == ()
