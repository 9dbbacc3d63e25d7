"""PRSMA in a plan: its design and the error that its answer has."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import Any

from oracledp import bounds
from oracledp.bounds.shape import Shape
from oracledp.errors import OracleDPError
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.designer import design_prsma
from oracledp.planning.options import Option

FIELDS = (
    "tests",
    "runs",
    "sampling",
    "parts",
    "runs_per_part",
    "part_size",
    "epsilon_inner",
    "epsilon_test",
    "threshold",
    "delta_terms",
)


@dataclass(frozen=True)
class RobustQuestion:
    """The public numbers of a run of PRSMA; ``shape`` is None when only the design is wanted."""

    rows: int
    epsilon: Fraction
    delta: Fraction
    beta: float
    max_calls: int
    shape: Shape | None = None

    def design(self, epsilon: Fraction | None = None) -> Design:
        """The certified design; ⊥ may take a fifth of β."""
        chosen = self.epsilon if epsilon is None else epsilon
        return _designed(chosen, self.delta, self.rows, self.max_calls, self.beta / 5)


@lru_cache(maxsize=64)
def _designed(epsilon: Fraction, delta: Fraction, rows: int, max_calls: int, beta: float) -> Design:
    return design_prsma(epsilon=epsilon, delta=delta, rows=rows, max_calls=max_calls, beta=beta)


def robust_option(question: RobustQuestion, target: float | None) -> tuple[Option, Design]:
    """PRSMA with RSPM inside, k-hot noise."""
    design = question.design()
    error = _error(question, design)
    needed = None if target is None else _rows_for(question, design, target)
    stronger = None if target is None else _epsilon_for(question, error, target)
    option = Option(
        mechanism="prsma",
        error=error,
        privacy="(ε,δ), robust",
        oracle_calls=design.calls,
        rows_needed=needed,
        epsilon_needed=stronger,
        note="for any solver that knows when it failed; "
        f"answers with probability {1 - float(design.beta):.4f} if the solver never fails",
    )
    return option, design


def _error(question: RobustQuestion, design: Design) -> float:
    if question.shape is None:
        return float("nan")
    return bounds.prsma(design, question.shape, beta=question.beta)


def _rows_for(question: RobustQuestion, design: Design, target: float) -> int | None:
    """About how many rows a target needs, None where it is more than 10^18."""
    low, high = 2.0 * design.parts, 1e18
    if _error(question, design.at_rows(int(high))) > target:
        return None
    while high / low > 1.001:
        middle = sqrt(low * high)
        low, high = (middle, high) if _error(question, design.at_rows(int(middle))) > target else (low, middle)
    return int(high)


def _epsilon_for(question: RobustQuestion, error: float, target: float) -> float | None:
    """About the epsilon a target needs, by at most three more designs; None where none was found."""
    epsilon = question.epsilon
    for _ in range(3):
        if 0.95 < error / target <= 1.01:
            break
        grown = float(epsilon) * (error / target) ** 1.3
        epsilon = Fraction(min(max(grown, 1e-4), 64.0)).limit_denominator(10**4)
        try:
            error = _error(question, question.design(epsilon))
        except OracleDPError:
            return None
    return float(epsilon) if error <= 1.1 * target else None


def design_json(design: Design) -> dict[str, Any]:
    """The design's own JSON without the long table of pass probabilities; the fields that readers rely on first."""
    data = design.to_json()
    rest = {key: value for key, value in data.items() if key not in FIELDS and key != "pass_probabilities"}
    return {**{key: data[key] for key in FIELDS}, **rest}
