"""Certified designs over parts, by the theorem that is named."""

from __future__ import annotations

from dataclasses import astuple, replace
from fractions import Fraction
from math import ceil, sqrt

import numpy as np

from experiments.parts.search_equal import EQUAL_THEOREMS, equal_design
from experiments.parts.search_independent import Lanes, Task, climb, search, settled
from experiments.parts.theorem_independent import IndependentLabels
from oracledp.errors import ParameterError
from oracledp.exact.numbers import Exact
from oracledp.mechanisms.robust.delta import certified_delta, delta_terms
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.designer import GRAIN, SHRINK, read_task, rounded_down

THEOREMS = ("independent", *EQUAL_THEOREMS)


def design_parts(
    *,
    epsilon: Exact,
    delta: Exact,
    rows: int,
    max_calls: int = 1_000_000,
    beta: Exact = "1/100",
    theorem: str = "independent",
) -> Design:
    """The design over parts with the greatest signal that was found: "independent" is Theorem 5.

    >>> design = design_parts(epsilon=1, delta=1e-4, rows=10**6, max_calls=20_000)
    >>> design.calls <= 20_000, design.relative_signal > 0.3, design.beta <= Fraction(1, 100)
    (True, True, True)
    """
    if theorem not in THEOREMS:
        raise ParameterError(f"theorem must be one of {', '.join(THEOREMS)}, got {theorem!r}")
    numbers, exact_epsilon, exact_delta = read_task(epsilon, delta, rows, max_calls, beta)
    task = Task(*astuple(numbers))
    if theorem == "independent":
        design = independent_design(task, exact_epsilon, exact_delta)
    else:
        design = equal_design(task, exact_epsilon, exact_delta, theorem)
    if design is None:
        raise ParameterError(f"no design over parts is ({epsilon}, {delta})-DP here")
    return design


def independent_design(task: Task, epsilon: Fraction, delta: Fraction) -> Design | None:
    """The best certified design with independent labels, or None."""
    if task.rows <= 2 * (task.fewest_others + 3):
        return None
    best = search(task)
    for lane in range(len(best.parts)):
        for factor in SHRINK:
            design = _exact(best[lane : lane + 1], task, epsilon, delta, factor)
            if certified_delta(design) <= delta and float(design.beta) <= task.beta:
                return _with_fewest_runs(design)
    return None


def _exact(lane: Lanes, task: Task, epsilon: Fraction, delta: Fraction, factor: float) -> Design:
    """A lane with its numbers rounded to fractions, ε' a little down, and its ladder climbed anew."""
    parts, rows = int(lane.parts[0]), task.rows
    deviation = factor * float(lane.deviation[0])
    inner = rounded_down(2 * deviation * parts / sqrt((rows - 1) * (parts - 1)))
    runs, fewest = int(lane.runs(task)[0]), int(lane.minimum_passing(task)[0])
    theorem = IndependentLabels(fewest, *(_simple(x[0]) for x in (lane.order, lane.sharpness, lane.failure_sharpness)))
    rounded = replace(
        lane,
        order=np.array([float(theorem.order)]),
        sharpness=np.array([float(theorem.sharpness)]),
        failure_sharpness=np.array([float(theorem.failure_sharpness)]),
        deviation=np.array([float(inner) / 2 * sqrt((rows - 1) * (parts - 1)) / parts]),
    )
    left = task.delta * (1 - 1e-6) - float(theorem.misplaced(runs)) / (fewest + 1)  # the search leaves this term out
    return Design(
        epsilon=epsilon,
        delta=delta,
        rows=rows,
        parts=parts,
        runs_per_part=runs,
        epsilon_inner=inner,
        pass_probabilities=_ladder(rounded, replace(task, delta=max(left, task.delta / 2))),
        theorem=theorem,
    )


def _ladder(lane: Lanes, task: Task) -> tuple[Fraction, ...]:
    """The pass probabilities as exact fractions, after the shares of delta have settled."""
    for _ in range(8):
        ended = climb(lane, task)
        lane = settled(lane, ended)
    return tuple(Fraction(int(value * GRAIN), GRAIN) for value in ended.table[:, 0].tolist())


def _with_fewest_runs(design: Design) -> Design:
    """The same design with no more runs than its delta needs."""
    terms = delta_terms(design, design.epsilon)
    unseen = terms["unseen failures"]
    room = design.delta - sum(terms.values(), Fraction(0)) + unseen
    leaner = replace(design, runs_per_part=max(2, ceil(unseen * design.runs_per_part / room)))
    return leaner if certified_delta(leaner) <= design.delta else design


def _simple(value: float) -> Fraction:
    """A nearby multiple of 1/64 that is not below 1/64."""
    return Fraction(max(1, round(value * 64)), 64)
