"""From (ε, δ), the number of rows and a budget of oracle calls to a certified design of PRSMA."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, sqrt

import numpy as np

from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import MOST_CALLS, Exact, positive, probability, whole
from oracledp.mechanisms.robust import search_two_sample
from oracledp.mechanisms.robust.delta import certified_delta, delta_terms
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.search_equal import EQUAL_THEOREMS, equal_design
from oracledp.mechanisms.robust.search_independent import Lanes, Task, climb, search, settled
from oracledp.mechanisms.robust.theorem_independent import IndependentLabels
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples

THEOREMS = ("auto", "two-sample", "independent", *EQUAL_THEOREMS)
GRAIN = 1 << 64  # pass probabilities are multiples of its inverse
LEAST_EPSILON, MOST_EPSILON = Fraction(1, 100), 100  # below, a search takes many minutes; above, e^ε leaves doubles
ONE_KIND = 3  # up to this ε Theorem 5 was never found to win
SLACK = 0.05  # of delta, left for the width of the cells of ψ in the certificate
SHRINK = (1.0, 0.998, 0.99, 0.95)  # what is tried when rounding costs a design its certificate


def design_prsma(
    *,
    epsilon: Exact,
    delta: Exact,
    rows: int,
    max_calls: int = 1_000_000,
    beta: Exact = "1/100",
    theorem: str = "auto",
) -> Design:
    """The design with the greatest signal ε'·l that is (ε, δ)-DP by proofs/prsma.md, within a number of oracle calls.

    ``beta`` bounds the probability of ⊥ when the oracle never fails. ``theorem="auto"`` takes two
    samples, or beyond ε = 3 the better of "two-sample" and "independent"; the others are for comparison. Scipy, if it
    is there, finds better designs.
    Everything here is public: no data is touched.

    >>> design = design_prsma(epsilon=1, delta=1e-4, rows=1_000_000, max_calls=20_000)
    >>> design.calls <= 20_000, design.relative_signal > 0.3, design.beta <= Fraction(1, 100)
    (True, True, True)
    """
    if theorem not in THEOREMS:
        raise ParameterError(f"theorem must be one of {', '.join(THEOREMS)}, got {theorem!r}")
    rows, max_calls = whole(rows, "rows", most=MOST_ROWS), whole(max_calls, "max_calls", most=MOST_CALLS)
    exact_epsilon, exact_delta = positive(epsilon, "epsilon"), probability(delta, "delta")
    if not LEAST_EPSILON <= exact_epsilon <= MOST_EPSILON:
        raise ParameterError(f"designs of PRSMA are searched for epsilon from {LEAST_EPSILON} to {MOST_EPSILON}")
    task = Task(float(exact_epsilon), float(exact_delta), float(probability(beta, "beta")), rows, max_calls)
    find = {"auto": best_design, "two-sample": two_sample_design, "independent": independent_design}.get(
        theorem, equal_design
    )
    design = find(task, exact_epsilon, exact_delta, theorem)
    if design is None:
        raise ParameterError(
            f"no design is ({epsilon}, {delta})-DP with {rows} rows and at most {max_calls} oracle calls: "
            "allow more calls or a greater delta, or use more rows"
        )
    return design


def best_design(task: Task, epsilon: Fraction, delta: Fraction, theorem: str) -> Design | None:
    """Two samples; at a large ε, where few parts are enough, or where there is no such design, the better of both."""
    found = two_sample_design(task, epsilon, delta, theorem)
    if found is not None and epsilon <= ONE_KIND:
        return found
    other = independent_design(task, epsilon, delta, theorem)
    designs = [design for design in (found, other) if design is not None]
    return max(designs, key=lambda design: design.signal, default=None)


def two_sample_design(task: Task, epsilon: Fraction, delta: Fraction, theorem: str) -> Design | None:
    """The best certified design of Theorem 7, or None."""
    if task.rows < 3:
        return None
    for one in search_two_sample.search(replace(task, delta=task.delta * (1 - SLACK))):
        for factor in SHRINK:
            sampling = Fraction(1, one.cells)
            spread = sqrt((task.rows - 1) * float(sampling * (1 - sampling)))
            inner = rounded_down(2 * factor * one.deviation / spread) if one.deviation > 1e-3 else Fraction(0)
            design = Design(
                epsilon=epsilon,
                delta=delta,
                rows=task.rows,
                parts=one.tests,
                runs_per_part=max(2, (task.max_calls - 1) // one.tests),
                epsilon_inner=inner,
                pass_probabilities=tuple(Fraction(int(value * GRAIN), GRAIN) for value in one.ladder.tolist()),
                minimum_passing=1,
                theorem=TwoSamples(sampling),
            )
            if inner > 0 and certified_delta(design) <= delta and float(design.beta) <= task.beta:
                return _with_fewer_runs(design)
    return None


def _with_fewer_runs(design: Design) -> Design:
    """The same design with half the runs, as long as its delta bears it."""
    leaner = replace(design, runs_per_part=design.runs_per_part // 2)
    if leaner.runs_per_part < 2 or certified_delta(leaner) > design.delta:
        return design
    return _with_fewer_runs(leaner)


def independent_design(task: Task, epsilon: Fraction, delta: Fraction, theorem: str) -> Design | None:
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
    theorem = IndependentLabels(*(_simple(x[0]) for x in (lane.order, lane.sharpness, lane.failure_sharpness)))
    rounded = replace(
        lane,
        order=np.array([float(theorem.order)]),
        sharpness=np.array([float(theorem.sharpness)]),
        failure_sharpness=np.array([float(theorem.failure_sharpness)]),
        deviation=np.array([float(inner) / 2 * sqrt((rows - 1) * (parts - 1)) / parts]),
    )
    runs, fewest = int(lane.runs(task)[0]), int(lane.minimum_passing(task)[0])
    left = task.delta * (1 - 1e-6) - float(theorem.misplaced(runs)) / (fewest + 1)  # the search leaves this term out
    return Design(
        epsilon=epsilon,
        delta=delta,
        rows=rows,
        parts=parts,
        runs_per_part=runs,
        epsilon_inner=inner,
        pass_probabilities=_ladder(rounded, replace(task, delta=max(left, task.delta / 2))),
        minimum_passing=fewest,
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


def rounded_down(value: float, digits: int = 5) -> Fraction:
    """A positive float rounded down to a few significant decimal digits.

    >>> float(rounded_down(0.0123456789))
    0.012345
    """
    mantissa, exponent = f"{value:.12e}".split("e")
    kept = int(Fraction(mantissa) * 10 ** (digits - 1))
    return Fraction(kept) * Fraction(10) ** (int(exponent) - digits + 1)
