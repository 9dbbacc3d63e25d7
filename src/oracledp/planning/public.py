"""The error to expect on data like a public table: worst-case bounds know nothing of how good the second-best is."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracledp.data.table import Table
from oracledp.errors import CapacityError
from oracledp.mechanisms.objective import Minimum, Objective
from oracledp.mechanisms.perturbed_min import ReportSeparatorPerturbedMin
from oracledp.oracles.registry import resolve
from oracledp.oracles.values import MOST_QUERIES
from oracledp.planning.options import Option
from oracledp.planning.selection import Question
from oracledp.randomness.source import SeededRandomness

RUNS = 60


def with_public_error(option: Option, question: Question, public: Table) -> Option:
    """The option with the mean error that its mechanism has on a public table, scaled to the planned rows.

    n rows at ε of the same composition as N public rows behave as those N rows at ε·n/N.
    """
    epsilon = question.epsilon * question.rows / public.rows
    if option.mechanism == "exponential" and question.queries.size <= MOST_QUERIES:
        return replace(option, public_error=_gibbs(question, public, epsilon))
    if option.mechanism in ("rspm", "rspm:separator"):
        embedding = "separator" if option.mechanism.endswith("separator") else "k-hot"
        return replace(option, public_error=_simulated(question, public, epsilon, embedding))
    return option


def _objective(question: Question, public: Table, resolution: int) -> Objective:
    records = public.matrix(question.queries.literals)
    return Objective.of(question.queries, records, public.counts, resolution=resolution)


def _gibbs(question: Question, public: Table, epsilon: Fraction) -> float:
    """The exponential mechanism's own mean, from the value of every query."""
    values: NDArray[np.int64] = _objective(question, public, 0).all_values()
    gaps = (values - values.min()).astype(np.float64)
    weights = np.exp(-gaps * float(epsilon) / question.sensitivity)
    return float(weights @ gaps / weights.sum() / public.rows)


def _simulated(question: Question, public: Table, epsilon: Fraction, embedding: str) -> float | None:
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
