"""What a single private selection gives: the learners' mechanisms side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt

from oracledp import bounds
from oracledp.bounds.shape import Shape
from oracledp.classes.base import QueryClass
from oracledp.classes.decision_trees import DecisionTrees
from oracledp.errors import OracleDPError
from oracledp.mechanisms.gaussian_bound import calibrate_variance
from oracledp.mechanisms.private_trees import SPLITTING
from oracledp.mechanisms.sampling.tree_sampler import samples
from oracledp.oracles.registry import total_oracles
from oracledp.oracles.values import MOST_QUERIES
from oracledp.oracles.work import MOST_TREE_CELLS, tree_cells
from oracledp.planning.options import Option
from oracledp.privacy.guarantee import Neighbours

PURE, CONTINGENT = "pure, robust", "pure, contingent on the solver"


@dataclass(frozen=True)
class Question:
    """The public numbers of one selection."""

    queries: QueryClass
    shape: Shape
    rows: int
    epsilon: Fraction
    delta: Fraction | None
    neighbours: Neighbours
    beta: float

    @property
    def sensitivity(self) -> int:
        """Δ of the neighbour relation."""
        return self.neighbours.comparison_sensitivity

    @property
    def solver_privacy(self) -> str:
        """What RSPM promises: robust where a total oracle serves the class."""
        return PURE if total_oracles(self.queries) else CONTINGENT


def selection_options(question: Question) -> Iterator[Option]:
    """The exponential mechanism, report-noisy-min and RSPM with every noise that the class allows."""
    yield _exponential(question)
    yield _k_hot(question)
    if question.shape.size <= MOST_QUERIES:
        yield _noisy_min(question)
    if question.shape.elements:
        yield _separator(question)
        if question.delta is not None:
            yield from _gaussian(question)


def _exponential(question: Question) -> Option:
    size, epsilon = log_candidates(question.queries, question.shape.log_size), float(question.epsilon)

    def curve(rows: float, eps: float) -> float:
        return bounds.exponential(size, epsilon=eps, rows=rows, beta=question.beta, sensitivity=question.sensitivity)

    return Option(
        mechanism="private-tree" if drawn_as_trees(question.queries) else "exponential",
        error=curve(question.rows, epsilon),
        mean_error=bounds.exponential_mean(size, epsilon=epsilon, rows=question.rows, sensitivity=question.sensitivity),
        privacy=PURE,
        oracle_calls=0,
        available=samplable(question.queries),
        note="" if samplable(question.queries) else "the class is too large to enumerate and has no tree sampler",
        curve=curve,
    )


def log_candidates(queries: QueryClass, log_size: float) -> float:
    """ln of the number of queries; for trees, of the prior's whole mass over the least that a tree may have of it."""
    if not drawn_as_trees(queries):
        return log_size
    bases = [branch.base.as_decision_trees() for branch in queries.branches()]
    return max(_log_prior(trees) for trees in bases if trees is not None)


def _log_prior(trees: DecisionTrees) -> float:
    """A node costs a tree ln(d/ρ) if it is split and ln(1/(1-ρ)) if not; labels multiply the mass at every leaf."""
    node = max(log(trees.dimension / SPLITTING), log(1 / (1 - SPLITTING)))
    return float((2**trees.depth - 1) * node + 2**trees.depth * log(trees.labels))


def samplable(queries: QueryClass) -> bool:
    """Whether the exponential mechanism can be sampled: by enumeration, from a search tree, or tree by tree."""
    known = queries.size <= MOST_QUERIES or all(samples(branch.base) for branch in queries.branches())
    return known or drawn_as_trees(queries)


def drawn_as_trees(queries: QueryClass) -> bool:
    """Whether the class is one of decision trees, few enough in nodes, from which ``learn --model tree`` draws."""
    trees = [branch.base.as_decision_trees() for branch in queries.branches()]
    return all(
        found is not None and tree_cells(found.dimension, found.depth, found.labels) <= MOST_TREE_CELLS
        for found in trees
    )


def _k_hot(question: Question) -> Option:
    shape, common = question.shape, {"sensitivity": question.sensitivity}

    def curve(rows: float, eps: float) -> float:
        return bounds.rspm_k_hot(
            shape.hot, shape.parts, epsilon=eps, rows=rows, beta=question.beta, size=shape.size, **common
        )

    return Option(
        mechanism="rspm",
        error=curve(question.rows, float(question.epsilon)),
        mean_error=bounds.rspm_k_hot_mean(
            shape.hot, shape.parts, epsilon=float(question.epsilon), rows=question.rows, **common
        ),
        privacy=question.solver_privacy,
        oracle_calls=len(question.queries.branches()),
        curve=curve,
    )


def _noisy_min(question: Question) -> Option:
    size, sensitivity = question.shape.size, question.sensitivity

    def curve(rows: float, eps: float) -> float:
        return bounds.report_noisy_min(size, epsilon=eps, rows=rows, beta=question.beta, sensitivity=sensitivity)

    return Option(
        mechanism="report-noisy-min",
        error=curve(question.rows, float(question.epsilon)),
        mean_error=bounds.rspm_k_hot_mean(
            1, size, epsilon=float(question.epsilon), rows=question.rows, sensitivity=sensitivity
        ),
        privacy=PURE,
        oracle_calls=0,
        curve=curve,
    )


def _separator(question: Question) -> Option:
    shape = question.shape
    elements, margin = shape.elements or 1, shape.margin
    sensitivity = 1 if shape.nested else question.sensitivity

    def curve(rows: float, eps: float) -> float:
        return bounds.rspm_separator(
            elements, epsilon=eps, rows=rows, beta=question.beta, margin=margin, sensitivity=sensitivity
        )

    return Option(
        mechanism="rspm:separator",
        error=curve(question.rows, float(question.epsilon)),
        mean_error=bounds.rspm_separator_mean(
            elements, epsilon=float(question.epsilon), rows=question.rows, margin=margin, sensitivity=sensitivity
        ),
        privacy=question.solver_privacy,
        oracle_calls=len(question.queries.branches()),
        curve=curve,
    )


def _gaussian(question: Question) -> Iterator[Option]:
    """Gaussian noise at the least certified variance; left out where no variance serves."""
    shape, delta = question.shape, question.delta
    if delta is None or shape.elements is None or not shape.elements <= 2000:
        return
    sensitivity = 1 if shape.nested else question.sensitivity
    shift = -(-sensitivity // shape.margin)
    try:
        variance = calibrate_variance(
            epsilon=question.epsilon, delta=delta, shift=shift, elements=shape.elements, size=shape.size
        )
    except OracleDPError:
        return
    sigma = sqrt(variance)
    yield Option(
        mechanism="rspm:gaussian",
        error=bounds.gaussian_rspm(shape.elements, sigma=sigma, rows=question.rows, beta=question.beta),
        mean_error=bounds.gaussian_rspm_mean(shape.elements, sigma=sigma, rows=question.rows),
        privacy="(ε,δ), " + question.solver_privacy.split(", ")[1],
        oracle_calls=len(question.queries.branches()),
        curve=_scaled(bounds.gaussian_rspm(shape.elements, sigma=sigma, rows=1, beta=question.beta), question),
    )


def _scaled(at_one_row: float, question: Question) -> Callable[[float, float], float]:
    epsilon = float(question.epsilon)

    def curve(rows: float, eps: float) -> float:
        return at_one_row / rows * epsilon / eps

    return curve
