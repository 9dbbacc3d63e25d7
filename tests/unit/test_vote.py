"""A vote of parts: its exact law on all profiles of short lists, what it refuses, what foreign functions may do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import oracledp as odp
from oracledp.audit.enumeration import law_of_runs
from oracledp.errors import ParameterError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.mechanisms.robust import NothingReleased
from oracledp.mechanisms.votes.approval import ApprovalVote, tally
from oracledp.mechanisms.votes.size import default_parts, threshold

Lists = tuple[tuple[str, ...], ...]
SCHEMA = odp.Schema(
    {"columns": {"smoker": {"kind": "boolean"}, "old": {"kind": "boolean"}, "sick": {"kind": "boolean"}}}
)
RULES = odp.ZeroOneLoss.of(
    odp.Conjunctions(SCHEMA.literals.without("sick").with_negations(), max_width=2), SCHEMA.literals[2]
)


def table(rows: int = 4000) -> odp.Table:
    chance = np.random.default_rng(3)
    codes = chance.integers(0, 2, (rows, 3)).astype(np.uint8)
    codes[:, 2] = codes[:, 0]
    return odp.Table.from_codes(codes, SCHEMA)


# ---- the law ------------------------------------------------------------------------------------------
def law(vote: ApprovalVote, lists: Lists) -> dict[Any, Fraction]:
    """The exact law of the shipped draw."""
    found = law_of_runs(lambda source: vote.draw(lists, source), least=0)
    total = sum(low for low, _ in found.masses.values())
    return {answer: Fraction(low, total) for answer, (low, _) in found.masses.items()}


def excess(one: dict[Any, Fraction], other: dict[Any, Fraction], growth: Fraction) -> Fraction:
    """The δ at e^ε = growth: the sum of what one exceeds growth times the other by."""
    return sum(
        (max(Fraction(0), mass - growth * other.get(answer, Fraction(0))) for answer, mass in one.items()), Fraction(0)
    )


def profiles(parts: int, most: int) -> Iterator[Lists]:
    ballots = [chosen for size in range(most + 1) for chosen in combinations("abc", size)]
    return product(ballots, repeat=parts)


def worst(vote: ApprovalVote, parts: int, most: int) -> Fraction:
    """The greatest δ over all profiles and all changes of one list."""
    growth = Fraction(1 << 64, exp_enclosure(vote.epsilon, 64)[1])
    laws = {lists: law(vote, lists) for lists in profiles(parts, most)}
    others = [lists[0] for lists in profiles(1, most)]
    return max(excess(here, laws[(other, *lists[1:])], growth) for lists, here in laws.items() for other in others)


@pytest.mark.parametrize(("parts", "most"), [(3, 1), (4, 1), (2, 2)])
@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(Fraction(1), Fraction(1, 4)), (Fraction(2), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 10))],
)
def test_the_promise_holds_on_all_profiles_and_is_not_far_from_tight(
    parts: int, most: int, epsilon: Fraction, delta: Fraction
) -> None:
    vote = ApprovalVote.calibrate(epsilon=Fraction(epsilon), delta=Fraction(delta), parts=parts, most=most)
    assert vote.delta / 3 < worst(vote, parts, most) <= vote.delta


@pytest.mark.parametrize(
    "broken",
    [
        lambda vote: {"_silent": property(lambda self: self.silence * self._one**self.parts // 4)},
        lambda vote: {
            "_weights": lambda self, votes: [w**2 // self._one**self.parts for w in type(vote)._weights(self, votes)]
        },
        lambda vote: {
            "_weights": lambda self, votes: [
                w if n > 1 else 6 * w for n, w in zip(votes, type(vote)._weights(self, votes), strict=True)
            ]
        },
    ],
    ids=["a fourth of the silence", "the whole epsilon in the weights", "answers of one vote weigh too much"],
)
def test_the_same_look_sees_weights_that_are_wrong(broken: Any) -> None:
    vote = ApprovalVote.calibrate(epsilon=Fraction(2), delta=Fraction(1, 2), parts=4, most=1)
    wrong = type("Wrong", (ApprovalVote,), broken(vote))(**vars(vote))
    assert worst(wrong, 4, 1) > vote.delta


def test_weights_that_do_not_prove_the_promise_are_refused() -> None:
    vote = ApprovalVote.calibrate(epsilon=Fraction(1), delta=Fraction(1, 10**6), parts=40, most=5)
    for change in ({"silence": vote.silence // 2}, {"base": vote.base * Fraction(1001, 1000)}, {"most": 6}):
        with pytest.raises(ParameterError, match="does not follow"):
            ApprovalVote(**{**vars(vote), **change})


def test_an_answer_counts_once_in_a_list_and_long_lists_are_cut() -> None:
    assert tally([["a", "a", "b"], ["b", "c", "a"]], 2) == {"a": 1, "b": 2, "c": 1}


# ---- on tables -----------------------------------------------------------------------------------------
def test_a_clear_rule_is_released_and_the_guarantee_is_robust() -> None:
    for options in (
        {},
        {"oracle": "cp-sat", "parts": 30, "ballot": 1},
        {"oracle": "heuristic", "parts": 40, "ballot": 3},
    ):
        found = odp.vote(table(), RULES, epsilon=2, delta="1e-3", **options)
        assert isinstance(found, odp.Release), options
        assert str(found.query) == "predict sick when smoker"
        assert found.guarantee.robust


def test_disagreement_releases_nothing_and_is_paid_for(tmp_path: Any) -> None:
    ledger = odp.Ledger.create(tmp_path / "budget", epsilon=5, delta="1e-3")
    found = odp.vote(table(200), RULES, epsilon="1/10", delta="1e-9", parts=12, ballot=1, ledger=ledger)
    assert isinstance(found, NothingReleased)
    assert len(ledger.charges) == 1


def _raises(records: Any, counts: Any) -> Any:
    raise RuntimeError(f"{len(records)} rows")


def _exits(records: Any, counts: Any) -> Any:
    sys.exit("a secret")


def _odd(records: Any, counts: Any) -> Any:
    return [object(), {"a": 1}, (99, 98), "text", (0,), [0]]


def _first(records: Any, counts: Any) -> Any:
    return [(0,)]


@pytest.mark.parametrize("function", [_raises, _exits, _odd])
def test_whatever_a_foreign_function_does_is_a_list_without_votes(function: Any, capfd: Any) -> None:
    found = odp.vote(table(400), RULES, epsilon=3, delta="1e-2", answers=function, parts=12, ballot=2)
    assert isinstance(found, NothingReleased)
    shown = capfd.readouterr()
    assert "rows" not in shown.out + shown.err
    assert "secret" not in shown.out + shown.err


def test_a_foreign_function_decides_and_is_not_trusted() -> None:
    found = odp.vote(table(400), RULES, epsilon=3, delta="1e-2", answers=_first, parts=12, ballot=1)
    assert isinstance(found, odp.Release)
    assert found.query.parts == (0,)
    assert found.guarantee.robust


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"parts": 0}, "parts"), ({"ballot": 0}, "ballot"), ({"parts": 5000, "neighbours": "replace-one"}, "too few"),
        ({"goal": "median"}, "goal"), ({"oracle": "delphi"}, "oracle"), ({"delta": "0.9", "epsilon": "1/100"}, "delta"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_before_the_charge(options: dict[str, Any], line: str, tmp_path: Any) -> None:
    relation = options.get("neighbours", "add-remove")
    ledger = odp.Ledger.create(tmp_path / "budget", epsilon=50, delta="0.99", neighbours=relation)
    with pytest.raises(ParameterError, match=line):
        odp.vote(table(400), RULES, **{"epsilon": 1, "delta": "1e-6", "ledger": ledger, **options})
    assert ledger.charges == ()


def test_the_rule_for_parts_leaves_room_above_the_threshold() -> None:
    for epsilon in (Fraction(1, 2), Fraction(1), Fraction(3)):
        assert default_parts(epsilon, Fraction(1, 10**6), 20, None) > 1.5 * threshold(epsilon, Fraction(1, 10**6), 20)
