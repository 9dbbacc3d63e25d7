"""Hard votes: the ladder's certificate against all histograms, the law of the draw, and ladders that are wrong."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from oracledp.audit.enumeration import law_of_runs
from oracledp.errors import ParameterError
from oracledp.exact.exponentials import growth
from oracledp.mechanisms.votes.choice import calibrate_vote
from oracledp.mechanisms.votes.ladder import LadderVote, certified_delta

Votes = tuple[str | None, ...]
ONE, SMALL = Fraction(1), Fraction(1, 10**6)


def partitions(total: int, most: int) -> Iterator[tuple[int, ...]]:
    """Every histogram of at most ``total`` votes."""
    yield ()
    for first in range(1, min(total, most) + 1):
        yield from ((first, *rest) for rest in partitions(total - first, first))


def brute_delta(rungs: tuple[Fraction, ...], epsilon: Fraction) -> Fraction:
    """B(1)/K and the greatest excess of ⊥, by going through all histograms and all single changes."""
    parts, e, worst = len(rungs) - 1, growth(epsilon), Fraction(0)
    for histogram in partitions(parts, parts):
        low = 1 - sum((rungs[c] for c in histogram), Fraction(0)) / parts
        for grown in _changed(histogram, parts):
            high = 1 - sum((rungs[c] for c in grown), Fraction(0)) / parts
            worst = max(worst, low - e * high)
    return rungs[1] / parts + worst


def _changed(histogram: tuple[int, ...], parts: int) -> Iterator[list[int]]:
    sources: list[int | None] = [*range(len(histogram)), *([None] if sum(histogram) < parts else [])]
    for lost in sources:
        for gained in (*range(len(histogram) + 1), None):
            counts = [*histogram, 0]
            if lost is not None:
                counts[lost] -= 1
            if gained is not None:
                counts[gained] += 1
            yield counts


@pytest.mark.parametrize(("parts", "epsilon"), [(6, ONE), (9, 2 * ONE), (10, ONE / 2)])
def test_the_certificate_is_that_of_all_histograms(parts: int, epsilon: Fraction) -> None:
    vote = LadderVote.calibrate(epsilon=epsilon, delta=Fraction(1, 1000), parts=parts)
    assert certified_delta(vote.rungs, epsilon) == brute_delta(vote.rungs, epsilon) <= vote.delta
    steep = (*vote.rungs[:-1], min(Fraction(parts), growth(epsilon) * vote.rungs[-2]))
    assert certified_delta(steep, epsilon) == brute_delta(steep, epsilon)


def law(vote: LadderVote, votes: Votes) -> dict[Any, Fraction]:
    """The exact law of the shipped draw."""
    lists = [[] if answer is None else [(answer, 8)] for answer in votes]
    found = law_of_runs(lambda source: vote.draw(lists, source), least=0)
    total = sum(low for low, _ in found.masses.values())
    return {answer: Fraction(low, total) for answer, (low, _) in found.masses.items()}


def worst(vote: LadderVote) -> Fraction:
    """The greatest δ over all votes of the parts and all changes of one."""
    answers: tuple[str | None, ...] = (None, "a", "b")
    laws = {votes: law(vote, votes) for votes in product(answers, repeat=vote.parts)}
    e = growth(vote.epsilon)
    return max(
        sum((max(Fraction(0), mass - e * there.get(answer, Fraction(0))) for answer, mass in here.items()), Fraction(0))
        for votes, here in laws.items()
        for there in (laws[(other, *votes[1:])] for other in answers)
    )


@pytest.mark.parametrize(("epsilon", "delta"), [(ONE, Fraction(1, 20)), (2 * ONE, Fraction(1, 5))])
def test_the_law_of_the_draw_keeps_the_promise_and_is_not_far_from_it(epsilon: Fraction, delta: Fraction) -> None:
    vote = LadderVote.calibrate(epsilon=epsilon, delta=delta, parts=4)
    assert delta / 3 < worst(vote) <= delta + Fraction(1, 10**12)


WRONG = {
    "a first rung that is too high": (0, Fraction(4, 5), 1, 1, 1),
    "a step above e^ε": (0, Fraction(1, 5), 2, 2, 2),
    "the excess of ⊥ left out": (0, Fraction(1, 5), Fraction(54, 100), Fraction(146, 100), Fraction(396, 100)),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_ladders_are_refused_and_their_law_breaks_the_promise(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rungs = tuple(map(Fraction, WRONG[name]))
    claim = (ONE, Fraction(1, 20), 4, rungs)
    with pytest.raises(ParameterError, match="does not follow"):
        LadderVote(*claim)
    monkeypatch.setattr(LadderVote, "__post_init__", lambda self: None)
    assert worst(LadderVote(*claim)) > Fraction(1, 20)


def test_full_agreement_is_heard_with_half_the_parts_of_an_approval_vote() -> None:
    heard = {parts: LadderVote.calibrate(epsilon=ONE, delta=SMALL, parts=parts).chance([parts]) for parts in (16, 20)}
    assert heard[16] > 0.91  # the linear programme over all histograms has 0.925 and 0.972
    assert heard[20] > 0.97
    approval = calibrate_vote(ONE, SMALL, size=None, parts=20, form="approval")
    assert approval.chance([20 * 8]) < 0.02


def test_the_rule_takes_the_ladder_where_approval_would_not_be_heard() -> None:
    def form(**given: Any) -> str:
        return calibrate_vote(ONE, SMALL, **{"size": None, **given}).form

    assert form(rows=500) == form(parts=20) == "hard"
    assert form(rows=5000) == form(parts=60) == form() == form(size=10**6) == "approval"
    for wrong, line in (
        ({"form": "soft"}, "form"),
        ({"form": "hard", "ballot": 3}, "one answer"),
        ({"rows": 90}, "few"),
    ):
        with pytest.raises(ParameterError, match=line):
            form(**wrong)
