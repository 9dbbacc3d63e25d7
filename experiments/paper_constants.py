"""The paper's own constants, as a design, for comparison (E3: it returns ⊥ a quarter of the time)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, floor, log, sqrt

from experiments.parts.theorem_equal import EveryPart
from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.exact.numbers import Exact, positive, probability, whole
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.laplace_test import laplace_table

MOST_PARTS = 1_000_000


def paper_design(*, epsilon: Exact, delta: Exact, rows: int) -> Design:
    """K, R, ε' and the threshold of the published algorithm for a final (ε, δ), with ε* = ε/62 and δ* = δ/11.

    ε' is rounded down, K and R up. Its privacy is certified by Theorem 3 of experiments/parts/README.md: the published
    constants are far from tight.

    >>> design = paper_design(epsilon=1, delta="1e-6", rows=10**6)
    >>> design.parts, f"{design.calls:.1e}", round(design.relative_signal, 4), round(float(design.beta), 2)
    (1111, '2.8e+11', 0.0022, 0.25)
    """
    exact_epsilon, exact_delta = positive(epsilon, "epsilon"), probability(delta, "delta")
    star, small = float(exact_epsilon) / 62, float(exact_delta) / 11
    if star > 0.5 or small > 0.5:
        raise ParameterError("the paper's theorem is for epsilon <= 31 and delta <= 5.5")
    parts = ceil((1 + log(2 / small)) / star)
    if parts > MOST_PARTS:
        raise ParameterError(f"the paper's constants ask for more than {MOST_PARTS:,} parts here")
    if whole(rows, "rows", most=MOST_ROWS) < 2 * parts:
        raise ParameterError(f"the paper's constants need at least {2 * parts} rows")
    size = rows // parts
    inner = 1 / sqrt(8 * size * log(2 * parts / small))
    passing, threshold = floor(1 / star), floor((1 + log(1 / small)) / star)
    deviation = inner * sqrt(size * log(2 * parts / (small * passing)) / 2)
    return Design(
        epsilon=exact_epsilon,
        delta=exact_delta,
        rows=rows,
        parts=parts,
        runs_per_part=ceil(log(parts / small) / small),
        epsilon_inner=_below(inner),
        pass_probabilities=laplace_table(parts, Fraction(round(5000 * exp(-star)), 5000), threshold),
        theorem=EveryPart(passing, _below(deviation * (1 + 1e-6)), Fraction(0)),
    )


def _below(value: float) -> Fraction:
    """A fraction a little below a float."""
    return Fraction(value * (1 - 1e-9)).limit_denominator(10**9)
