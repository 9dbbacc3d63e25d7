"""How accurate synthetic data will be: the measured synthesizer's noise, and OracleQuery's proven error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, log, pi, prod, sqrt

from oracledp import bounds
from oracledp.bounds.shape import Shape
from oracledp.classes.base import QueryClass
from oracledp.planning.options import Option
from oracledp.privacy.gaussian_accounting import gaussian_budget
from oracledp.privacy.guarantee import Neighbours
from oracledp.synthesis.recipe import settings


@dataclass(frozen=True)
class SynthesisQuestion:
    """The public numbers of a synthetic table: how many values each column has, and a query class if there is one."""

    sizes: tuple[int, ...]
    rows: int
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    beta: float
    queries: QueryClass | None = None

    @property
    def log_domain(self) -> float:
        """ln|X|."""
        return sum(log(size) for size in self.sizes)


def synthesis_options(question: SynthesisQuestion) -> Iterator[Option]:
    """The measured synthesizer, then the query-release game with each query player."""
    yield measured_option(question)
    if question.queries is not None:
        for player in bounds.oracle_query.PLAYERS:
            yield _game_option(question, player)


def measured_option(question: SynthesisQuestion) -> Option:
    """The noise of a three-way cell when every order is measured once, as the synthesizer does.

    A cell of three two-group columns is an eighth of the sum of one constant, three one-way, three two-way and one
    three-way signed count. The model fitted to the counts and the coarsening of long columns come on top.
    """
    rho = float(gaussian_budget(question.epsilon, question.delta).rho)

    def curve(rows: float, eps: float) -> float:
        scaled = rho if eps == float(question.epsilon) else rho * (eps / float(question.epsilon)) ** 2
        return _cell_deviation(question, scaled) / rows * _expected_maximum(_cells(question.sizes))

    typical = _cell_deviation(question, rho) / question.rows
    return Option(
        mechanism="synthesizer",
        error=curve(question.rows, float(question.epsilon)),
        mean_error=typical * sqrt(2 / pi),
        privacy="(ε,δ), robust",
        oracle_calls=0,
        note="noise on three-way cells only, largest and mean; fitting and coarsening are not bounded",
        curve=curve,
    )


def _cell_deviation(question: SynthesisQuestion, rho: float) -> float:
    """The standard deviation, in rows, of the noise on one three-way cell of two-group columns."""
    sizes, delta = question.sizes, question.neighbours.comparison_sensitivity
    budget = 0.99 * rho
    rule = settings(budget, float(question.rows), sizes)
    one, two, three = (budget * share for share in rule.shares)
    columns = len(sizes)
    pairs = _products([min(size, max(rule.groups, 2)) - 1 for size in sizes], 2)
    triples = _products([min(size, rule.groups) - 1 for size in sizes], 3)
    # A table's cell has Δ₂² = Δ; a signed one-way count is the difference of two of them. Parities have Δ₂² = MΔ².
    variance = 3 * 2 * delta * columns / (2 * one) if one > 0 else 0.0
    variance += 3 * pairs * delta**2 / (2 * two) if two > 0 else 0.0
    variance += triples * delta**2 / (2 * three) if three > 0 else 0.0
    return sqrt(variance) / 8


def _products(features: Sequence[int], order: int) -> int:
    return sum(prod(chosen) for chosen in combinations(features, order))


def _cells(sizes: Sequence[int]) -> int:
    order = min(3, len(sizes))
    return max(2, comb(len(sizes), order) << order)


def _expected_maximum(count: int) -> float:
    """E max of ``count`` standard normal deviations, about sqrt(2 ln(2 count)) less its usual correction."""
    root = sqrt(2 * log(2 * count))
    return root - (log(log(2 * count)) + 1.1) / (2 * root)


def _game_option(question: SynthesisQuestion, player: str) -> Option:
    game = _game(question, player)
    best = game.best()

    def curve(rows: float, eps: float) -> float:
        changed = Fraction(eps).limit_denominator(10**9)
        return _game(question, player, rows=rows, epsilon=changed).best().error

    return Option(
        mechanism=f"oracle-query:{player}",
        error=best.error,
        privacy="(ε,δ), robust" if player == "exponential" else "(ε,δ), as its oracle",
        oracle_calls=best.rounds * (1 + game.draws),
        note=f"proved for {best.rounds} rounds with {game.draws} draws: selection {best.selection:.3g}, "
        f"regret {best.regret:.3g}, sampling {best.sampling:.3g}",
        curve=curve,
    )


def _game(
    question: SynthesisQuestion, player: str, *, rows: float | None = None, epsilon: Fraction | None = None
) -> bounds.Game:
    queries = question.queries
    assert queries is not None
    closed = queries.closure()
    return bounds.Game(
        Shape.of(closed),
        dual=len(queries.dual_separator()),
        log_domain=question.log_domain,
        epsilon=question.epsilon if epsilon is None else epsilon,
        delta=question.delta,
        rows=float(question.rows) if rows is None else rows,
        beta=question.beta,
        draws=20_000,
        player=player,
    )
