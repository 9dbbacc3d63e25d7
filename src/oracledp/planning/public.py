"""The error to expect on data like a stand-in: worst-case bounds know nothing of how good the second-best is."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import CapacityError
from oracledp.mechanisms.objective import Minimum, Objective
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.oracles.registry import resolve
from oracledp.oracles.values import MOST_QUERIES
from oracledp.planning.options import Option
from oracledp.planning.selection import Question
from oracledp.planning.stand_in import StandIn
from oracledp.randomness.source import SeededRandomness

RUNS = 60


def with_public_error(option: Option, question: Question, public: StandIn) -> Option:
    """The option with the mean error that its mechanism has on a public table, scaled to the planned rows."""
    found = error_on(option.mechanism, question, public)
    return option if found is None else replace(option, public_error=found)


def error_on(mechanism: str, question: Question, rows: StandIn) -> float | None:
    """The mean error of a selection on rows that are not private; None where it is not known.

    n rows at ε of the same composition as N rows here behave as those N rows at ε·n/N.
    """
    epsilon = question.epsilon * question.rows / rows.rows
    if mechanism == "exponential" and question.queries.size <= MOST_QUERIES:
        return _gibbs(question, rows, epsilon)
    if mechanism in ("rspm", "rspm:separator"):
        embedding = "separator" if mechanism.endswith("separator") else "k-hot"
        return _simulated(question, rows, epsilon, embedding)
    return None


def _objective(question: Question, public: StandIn, resolution: int) -> Objective:
    return Objective.of(question.queries, public.records, public.counts, resolution=resolution)


def _gibbs(question: Question, public: StandIn, epsilon: Fraction) -> float:
    """The exponential mechanism's own mean, from the value of every query."""
    values: NDArray[np.int64] = _objective(question, public, 0).all_values()
    gaps = (values - values.min()).astype(np.float64)
    weights = np.exp(-gaps * float(epsilon) / question.sensitivity)
    return float(weights @ gaps / weights.sum() / public.rows)


def _simulated(question: Question, public: StandIn, epsilon: Fraction, embedding: str) -> float | None:
    """RSPM's mean over a few runs; None where no total oracle serves the class."""
    try:
        oracle = resolve("auto", question.queries)
        mechanism = ReportSeparatorPerturbedMin.calibrate(
            question.queries, epsilon=epsilon, neighbours=question.neighbours, oracle=oracle, embedding=embedding
        )
        if not oracle.total:
            return None
        objective = _objective(question, public, mechanism.perturbation.resolution)
        source = SeededRandomness(0)  # public data: nothing to protect, and plans repeat
        found = [mechanism.run(objective, source) for _ in range(RUNS)]
        zero = np.zeros(mechanism.perturbation.coordinates, dtype=np.int64)
        best = mechanism.run_with(objective, zero)
    except CapacityError:
        return None
    values = [objective.value(minimum.parts) for minimum in found if isinstance(minimum, Minimum)]
    if not isinstance(best, Minimum) or not values:
        return None
    scale = public.rows << objective.resolution
    return (sum(values) / len(values) - objective.value(best.parts)) / scale
