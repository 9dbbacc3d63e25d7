"""Selections, votes and PRSMA broken at the front door, each with the look that must notice."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from breaks.breaking import Breaks, as_property, value, wrapped
from oracledp.game import voting_player
from oracledp.mechanisms import exponential_mechanism as exponential
from oracledp.mechanisms import gaussian_min as gaussian_rspm
from oracledp.mechanisms import (
    many_minima,
    mapped_counts,
    noisy_min,
    perturbation,
    table_selection,
)
from oracledp.mechanisms import perturbed_min as rspm
from oracledp.mechanisms.release import Release
from oracledp.mechanisms.robust import mechanism as robust
from oracledp.mechanisms.robust import subsampling, theorem_two_sample
from oracledp.mechanisms.votes import approval, ladder
from oracledp.mechanisms.votes import mechanism as votes
from oracledp.privacy.guarantee import Neighbours


def _whole_tables(split: Any, counts: Any, sizes: Any, source: Any) -> Any:
    return [(np.flatnonzero(counts), counts[counts > 0]) for _ in split(counts, sizes, source)]


def _labels_by_the_others(draw: Any, rows: int, parts: int, source: Any) -> list[int]:
    """One record a part, or all in one: whether there is one more decides about every label."""
    return [rows // parts] * parts if rows % parts == 0 else [rows] + [0] * (parts - 1)


def _leader_past_a_threshold(draw: Any, self: Any, lists: Any, source: Any) -> Any:
    votes = approval.tally(lists, 1)
    return next((answer for answer, eighths in votes.items() if eighths > 2 * approval.GRADES), None)


def _as_often_as_named(count: Any, lists: Any, most: int) -> dict[Any, int]:
    votes: dict[Any, int] = {}
    for approved in lists:
        for answer, eighths in approved[:most]:
            votes[answer] = votes.get(answer, 0) + min(eighths, approval.GRADES)
    return votes


def _without_a_vote(count: Any, lists: Any, most: int) -> dict[Any, int]:
    unheard = {answer: 0 for approved in lists for answer, eighths in approved if eighths == 0}
    return {**unheard, **count(lists, most)}


def _more_than_a_vote(count: Any, lists: Any, most: int) -> dict[Any, int]:
    return {answer: eighths for approved in lists for answer, eighths in approved[:most] if eighths > 0}


def _ties_for_nothing(patch: pytest.MonkeyPatch) -> None:
    owner = rspm.ReportSeparatorPerturbedMin
    as_property(owner, "guarantee", lambda promise, self: replace(promise, delta=Fraction(0)))(patch)


def _tells_rows(patch: pytest.MonkeyPatch) -> None:
    known: list[int] = []
    run, to_json = table_selection.TableSelection.run, Release.to_json

    def remember(self: Any, table: Any, source: Any) -> Any:
        known[:] = [table.rows]
        return run(self, table, source)

    patch.setattr(table_selection.TableSelection, "run", remember)
    patch.setattr(Release, "to_json", lambda self: {**to_json(self), "rows": known[0]})


def _from_a_tested_subsample(batches: Any, design: Any, base: Any, samples: Any, place: int, source: Any) -> Any:
    drawn = list(samples)
    drawn[place] = drawn[place - 1]
    return batches(design, base, iter(drawn), place, source)


def _one_subsample(draw: Any, *arguments: Any) -> Any:
    drawn = list(draw(*arguments))
    return iter(drawn[:1] * (len(drawn) - 1) + drawn[-1:])


def _without_the_middle(edges: list[int]) -> list[tuple[int, int]]:
    cells = list(pairwise(edges))
    return cells[: len(cells) // 2] + cells[-1:]


def _one_hot(original: Any, queries: Any, *, epsilon: Any, **rest: Any) -> Any:
    return original(queries, epsilon=epsilon * queries.hot, **rest)


MECHANISMS: Breaks = {
    "ties of a solver cost nothing": ("rspm / free ties / replace-one", _ties_for_nothing),
    "a vote with half the silence": (
        "vote:approval / add-remove",
        as_property(approval.ApprovalVote, "_silent", lambda silent, self: silent // 2),
    ),
    "every part sees all rows": ("vote:approval / add-remove", wrapped(votes, "hypergeometric_parts", _whole_tables)),
    "answers of one part counted twice": (
        "vote:approval / any lists / add-remove",
        wrapped(approval, "tally", _as_often_as_named),
    ),
    "a list longer than it may be": (
        "vote:approval / any lists / add-remove",
        wrapped(approval, "tally", lambda count, lists, most: count(lists, 3 * most)),
    ),
    "answers without a vote that are drawn": (
        "vote:approval / any lists / add-remove",
        wrapped(approval, "tally", _without_a_vote),
    ),
    "an answer with more than a vote from one part": (
        "vote:approval / any lists / replace-one",
        wrapped(approval, "tally", _more_than_a_vote),
    ),
    "a hard vote whose lone answers are heard too often": (
        "vote:hard / add-remove",
        wrapped(ladder, "bernoulli", lambda draw, chance, source: draw(max(chance, Fraction(1, 3)), source)),
    ),
    "a hard vote whose labels depend on other rows": (
        "vote:hard / three parts / add-remove",
        wrapped(votes, "label_counts", _labels_by_the_others),
    ),
    "a game whose every part sees all rows": (
        "oracle-query:vote / replace-one",
        wrapped(voting_player, "hypergeometric_parts", _whole_tables),
    ),
    "a hard vote with a threshold and no noise": (
        "vote:hard / three parts / add-remove",
        wrapped(ladder.LadderVote, "draw", _leader_past_a_threshold),
    ),
    "replace-one counted as one record": (
        "permute-and-flip / replace-one",
        as_property(Neighbours, "comparison_sensitivity", lambda sensitivity, self: 1),
    ),
    "the exponential rate doubled": (
        "exponential / replace-one",
        as_property(exponential.ExponentialMechanism, "rate", lambda rate, self: 2 * rate),
    ),
    "the exponential rate a tenth too high": (
        "exponential / add-remove",
        as_property(exponential.ExponentialMechanism, "rate", lambda rate, self: rate * 11 / 10),
    ),
    "trees sampled at twice the rate": (
        "exponential / trees / add-remove",
        wrapped(
            exponential, "sample_exponential", lambda draw, problems, rate, source: draw(problems, 2 * rate, source)
        ),
    ),
    "k-hot noise that pays for one part only": (
        "rspm:k-hot / two parts / replace-one",
        wrapped(perturbation.KHotPerturbation, "calibrate", _one_hot),
    ),
    "separator noise at half its scale": (
        "rspm:separator / replace-one",
        wrapped(perturbation, "discrete_laplace", lambda draw, scale, *rest: draw(max(1, scale // 2), *rest)),
    ),
    "report-noisy-min at half its scale": (
        "report-noisy-min / replace-one",
        wrapped(noisy_min, "ceil", lambda up, x: up(x / 2)),
    ),
    "Gaussian noise of a sixteenth of the variance": (
        "rspm:gaussian / replace-one",
        wrapped(gaussian_rspm, "discrete_gaussian", lambda draw, variance, *rest: draw(variance / 16, *rest)),
    ),
    "a release that says how many rows there were": ("exponential / add-remove", _tells_rows),
    "mapped counts with half their noise": (
        "mapped-counts / add-remove",
        wrapped(mapped_counts, "discrete_laplace", lambda draw, scale, *rest: draw(max(1, scale // 2), *rest)),
    ),
    "runs of PRSMA without noise": (
        "prsma:two-sample / add-remove",
        wrapped(perturbation, "discrete_laplace", lambda draw, scale, count, source: np.zeros(count, dtype=np.int64)),
    ),
    "a test of PRSMA that lets everything through": (
        "prsma:two-sample / hides / add-remove",
        wrapped(subsampling, "bernoulli", lambda draw, chance, source: draw(chance, source) or chance > 0),
    ),
    "the released run from a tested subsample": (
        "prsma:two-sample / hides / add-remove",
        wrapped(subsampling, "_batches", _from_a_tested_subsample),
    ),
    "all tests on one subsample": (
        "prsma:two-sample / hides / add-remove",
        wrapped(robust, "subsamples", _one_subsample),
    ),
    "a threshold where a ladder with noise belongs": (
        "prsma:two-sample / hides / add-remove",
        wrapped(subsampling, "bernoulli", lambda draw, chance, source: chance > Fraction(1, 2)),
    ),
    "an entry of the ladder a hundredth too large": (
        "prsma:two-sample / hides / add-remove",
        wrapped(subsampling, "bernoulli", lambda draw, chance, source: draw(min(chance + Fraction(1, 100), 1), source)),
    ),
    "a batch whose failures are not counted": (
        "prsma:two-sample / hides / add-remove",
        wrapped(many_minima, "Minima", lambda make, oracle, said, *rest: make(oracle, np.ones_like(said), *rest)),
    ),
    "tests of one run": (
        "prsma:two-sample / hides / add-remove",
        wrapped(subsampling, "batch_sizes", lambda sizes, design: [1]),
    ),
    "a certificate with a hole in its cells": (
        "prsma:two-sample / certificate / add-remove",
        value(theorem_two_sample, "pairwise", _without_the_middle),
    ),
}
