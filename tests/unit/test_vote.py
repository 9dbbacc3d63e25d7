"""A vote of parts: its exact law on all profiles of short lists, what it refuses, what foreign functions may do."""

from __future__ import annotations

import sys
import threading
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
from oracledp.mechanisms.votes import approval
from oracledp.mechanisms.votes.approval import GRADES, ApprovalVote, tally
from oracledp.mechanisms.votes.ballots import Called
from oracledp.mechanisms.votes.mechanism import Vote
from oracledp.mechanisms.votes.size import default_parts, threshold
from oracledp.randomness.source import SystemRandomness

Lists = tuple[tuple[tuple[str, int], ...], ...]
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


def profiles(parts: int, most: int, grades: tuple[int, ...]) -> Iterator[Lists]:
    ballots = [
        tuple(zip(chosen, given, strict=True))
        for size in range(most + 1)
        for chosen in combinations("abc", size)
        for given in product(grades, repeat=size)
    ]
    return product(ballots, repeat=parts)


def worst(vote: ApprovalVote, parts: int, most: int, grades: tuple[int, ...] = (GRADES,)) -> Fraction:
    """The greatest δ over all profiles and all changes of one list."""
    growth = Fraction(1 << 64, exp_enclosure(vote.epsilon, 64)[1])
    laws = {lists: law(vote, lists) for lists in profiles(parts, most, grades)}
    others = [lists[0] for lists in profiles(1, most, grades)]
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


@pytest.mark.parametrize(("parts", "most", "grades"), [(3, 1, (1, 5, 8)), (2, 2, (3, 8))])
def test_shares_of_votes_are_covered_by_the_same_promise(parts: int, most: int, grades: tuple[int, ...]) -> None:
    vote = ApprovalVote.calibrate(epsilon=Fraction(1), delta=Fraction(1, 4), parts=parts, most=most)
    assert vote.delta / 3 < worst(vote, parts, most, grades) <= vote.delta


def test_answers_are_drawn_by_level_as_one_by_one() -> None:
    vote = ApprovalVote.calibrate(epsilon=Fraction(1), delta=Fraction(1, 4), parts=3, most=2)
    found = law(vote, ((("a", 8), ("b", 3)), (("a", 8), ("c", 3)), (("d", 8),)))
    weights = {"a": vote.base**16, "b": vote.base**3, "c": vote.base**3, "d": vote.base**8, None: vote.silence}
    for answer, weight in weights.items():
        assert abs(found[answer] - weight / sum(weights.values())) < Fraction(1, 10**40)


@pytest.mark.parametrize(
    "broken",
    [
        {"_silent": property(lambda self: self.silence * self._one ** (GRADES * self.parts) // 4)},
        {"_weight": lambda self, n: ApprovalVote._weight(self, n) ** 2 // self._one ** (GRADES * self.parts)},
        {"_weight": lambda self, n: ApprovalVote._weight(self, n) * (1 if n > GRADES else 6)},
    ],
    ids=["a fourth of the silence", "the whole epsilon in the weights", "answers of one vote weigh too much"],
)
def test_the_same_look_sees_weights_that_are_wrong(broken: Any) -> None:
    vote = ApprovalVote.calibrate(epsilon=Fraction(2), delta=Fraction(1, 2), parts=4, most=1)
    wrong = type("Wrong", (ApprovalVote,), broken)(**vars(vote))
    assert worst(wrong, 4, 1) > vote.delta


def test_lists_that_are_longer_than_they_may_be_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    vote = ApprovalVote.calibrate(epsilon=Fraction(2), delta=Fraction(1, 20), parts=2, most=1)
    assert worst(vote, 2, 2) <= vote.delta  # cut to their first answer
    monkeypatch.setattr(approval, "tally", lambda lists, most: tally(lists, 3))
    assert worst(vote, 2, 3) > vote.delta


def test_a_part_whose_answers_count_twice_breaks_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    vote = ApprovalVote.calibrate(epsilon=Fraction(2), delta=Fraction(1, 20), parts=3, most=1)
    assert worst(vote, 3, 1) <= vote.delta
    monkeypatch.setattr(approval, "tally", lambda lists, most: tally([lists[0], *lists[:-1]], most))
    assert worst(vote, 3, 1) > vote.delta


def test_answers_that_have_no_vote_break_the_promise_if_they_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    vote = ApprovalVote.calibrate(epsilon=Fraction(2), delta=Fraction(1, 20), parts=2, most=1)
    lists: Lists = ((("a", 8), *((name, 0) for name in "bcdefg")), ())
    growth = Fraction(1 << 64, exp_enclosure(vote.epsilon, 64)[1])
    assert excess(law(vote, lists), law(vote, ((), ())), growth) <= vote.delta
    monkeypatch.setattr(approval, "tally", lambda lists, most: {a: n for one in lists for a, n in one})
    assert excess(law(vote, lists), law(vote, ((), ())), growth) > vote.delta


def test_weights_that_do_not_prove_the_promise_are_refused() -> None:
    vote = ApprovalVote.calibrate(epsilon=Fraction(1), delta=Fraction(1, 10**6), parts=40, most=5)
    for change in ({"silence": vote.silence // 2}, {"base": vote.base * Fraction(1001, 1000)}, {"most": 6}):
        with pytest.raises(ParameterError, match="does not follow"):
            ApprovalVote(**{**vars(vote), **change})


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), Fraction(3, 2)])
def test_a_vote_needs_a_delta_between_0_and_1(delta: Fraction) -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        ApprovalVote.calibrate(epsilon=Fraction(5), delta=delta, parts=4, most=1)


def test_an_answer_counts_once_in_a_list_and_long_lists_are_cut() -> None:
    lists = [[("a", 8), ("a", 8), ("b", 8)], [("b", 8), ("c", 8), ("a", 8)], [("a", 99), ("b", 0), ("c", -5), ("b", 2)]]
    assert tally(lists, 2) == {"a": 16, "b": 18, "c": 8}


# ---- on tables -----------------------------------------------------------------------------------------
def test_a_clear_rule_is_released_and_the_guarantee_is_robust() -> None:
    for options in (
        {"epsilon": 2},
        {"epsilon": 8, "oracle": "cp-sat", "parts": 7, "ballot": 1},  # a process for each part
        {"epsilon": 2, "oracle": "heuristic", "parts": 40, "ballot": 3},
    ):
        found = odp.vote(table(), RULES, delta="1e-3", **options)
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


def _huge(records: Any, counts: Any) -> Any:
    return [(10**30,), (-1,), (0, 10**400)]


def _first(records: Any, counts: Any) -> Any:
    return [(0,)]


def _locked() -> Any:
    """A function that cannot be sent to another process."""
    lock = threading.Lock()
    return lambda records, counts: [(0,)] if lock else []


@pytest.mark.parametrize("function", [_raises, _exits, _odd, _huge])
def test_whatever_a_foreign_function_does_is_a_list_without_votes(function: Any, capfd: Any) -> None:
    approval = ApprovalVote.calibrate(epsilon=Fraction(3), delta=Fraction(1, 100), parts=2, most=2)
    vote = Vote(RULES, approval, Called(function, 2), odp.Neighbours.DEFAULT, isolated=True)
    assert vote.lists(table(40), SystemRandomness()) == [[], []]
    shown = capfd.readouterr()
    assert "rows" not in shown.out + shown.err
    assert "secret" not in shown.out + shown.err


def test_a_foreign_function_decides_and_is_not_trusted() -> None:
    found = odp.vote(table(400), RULES, epsilon=8, delta="1e-2", answers=_first, parts=6, ballot=1)
    assert isinstance(found, odp.Release)
    assert found.query.parts == (0,)
    assert found.guarantee.robust


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"parts": 0}, "parts"), ({"ballot": 0}, "ballot"), ({"parts": 5000, "neighbours": "replace-one"}, "too few"),
        ({"epsilon": "1/10", "rows": 400}, "about .* are needed"), ({"answers": _locked()}, "answers cannot be sent"),
        ({"rows": "many"}, "rows must be a positive integer"), ({"oracle": object()}, "a method solve"),
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
