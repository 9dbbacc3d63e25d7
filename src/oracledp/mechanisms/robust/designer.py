"""From (ε, δ), the number of rows and a budget of oracle calls to a certified design of PRSMA."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import sqrt

from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import MOST_CALLS, Exact, positive, probability, whole
from oracledp.mechanisms.robust.delta import certified_delta
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.search_two_sample import Candidate, Task, search
from oracledp.mechanisms.robust.theorem_two_sample import TwoSamples

GRAIN = 1 << 64  # pass probabilities are multiples of its inverse
LEAST_EPSILON, MOST_EPSILON = Fraction(1, 100), 100  # below, a search takes many minutes; above, e^ε leaves doubles
SLACK = 0.05  # of delta, left for the width of the cells of ψ in the certificate
SHRINK = (1.0, 0.998, 0.99, 0.95)  # what is tried when rounding costs a design its certificate


def design_prsma(
    *, epsilon: Exact, delta: Exact, rows: int, max_calls: int = 1_000_000, beta: Exact = "1/100"
) -> Design:
    """The design with the greatest signal ε'·l that is (ε, δ)-DP by proofs/prsma.md, within a number of oracle calls.

    ``beta`` bounds the probability of ⊥ when the oracle never fails. Scipy, if it is there, finds better designs.
    Everything here is public: no data is touched.

    >>> design = design_prsma(epsilon=1, delta=1e-4, rows=1_000_000, max_calls=20_000)
    >>> design.calls <= 20_000, design.relative_signal > 0.3, design.beta <= Fraction(1, 100)
    (True, True, True)
    """
    task, exact_epsilon, exact_delta = read_task(epsilon, delta, rows, max_calls, beta)
    found = search(replace(task, delta=task.delta * (1 - SLACK))) if rows >= 3 else []
    for one in found:
        for factor in SHRINK if one.deviation > 1e-3 else ():
            design = _exact(one, task, exact_epsilon, exact_delta, factor)
            if certified_delta(design) <= exact_delta and float(design.beta) <= task.beta:
                return _with_fewer_runs(design)
    raise ParameterError(
        f"no design is ({epsilon}, {delta})-DP with {rows} rows and at most {max_calls} oracle calls: "
        "allow more calls or a greater delta, or use more rows"
    )


def read_task(epsilon: Exact, delta: Exact, rows: int, max_calls: int, beta: Exact) -> tuple[Task, Fraction, Fraction]:
    """What a design must satisfy, in floats for a search, with the exact ε and δ; refused where it makes no sense."""
    rows, max_calls = whole(rows, "rows", most=MOST_ROWS), whole(max_calls, "max_calls", most=MOST_CALLS)
    exact_epsilon, exact_delta = positive(epsilon, "epsilon"), probability(delta, "delta")
    if not LEAST_EPSILON <= exact_epsilon <= MOST_EPSILON:
        raise ParameterError(f"designs of PRSMA are searched for epsilon from {LEAST_EPSILON} to {MOST_EPSILON}")
    task = Task(float(exact_epsilon), float(exact_delta), float(probability(beta, "beta")), rows, max_calls)
    return task, exact_epsilon, exact_delta


def _exact(one: Candidate, task: Task, epsilon: Fraction, delta: Fraction, factor: float) -> Design:
    """A candidate with its numbers rounded to fractions, ε' a little down."""
    sampling = Fraction(1, one.cells)
    spread = sqrt((task.rows - 1) * float(sampling * (1 - sampling)))
    return Design(
        epsilon=epsilon,
        delta=delta,
        rows=task.rows,
        parts=one.tests,
        runs_per_part=max(2, (task.max_calls - 1) // one.tests),
        epsilon_inner=rounded_down(2 * factor * one.deviation / spread),
        pass_probabilities=tuple(Fraction(int(value * GRAIN), GRAIN) for value in one.ladder.tolist()),
        theorem=TwoSamples(sampling),
    )


def _with_fewer_runs(design: Design) -> Design:
    """The same design with half the runs, as long as its delta bears it."""
    leaner = replace(design, runs_per_part=design.runs_per_part // 2)
    if leaner.runs_per_part < 2 or certified_delta(leaner) > design.delta:
        return design
    return _with_fewer_runs(leaner)


def rounded_down(value: float, digits: int = 5) -> Fraction:
    """A positive float rounded down to a few significant decimal digits.

    >>> float(rounded_down(0.0123456789))
    0.012345
    """
    mantissa, exponent = f"{value:.12e}".split("e")
    kept = int(Fraction(mantissa) * 10 ** (digits - 1))
    return Fraction(kept) * Fraction(10) ** (int(exponent) - digits + 1)
