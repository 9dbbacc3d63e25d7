"""The search for a two-sample design, in floating point: it proposes, exact arithmetic decides (Theorem 7).

Ladders with Laplace noise come first. Where scipy is there, a linear programme then bends some of them: at a fixed ψ
the bound is linear in the pass probabilities once it is known which of its two forms is the smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from math import ceil, exp, expm1, lgamma, log, log1p, log10, sqrt

import numpy as np
from numpy.typing import NDArray

from oracledp.extras import optional

Floats = NDArray[np.float64]

SAMPLED = (1.0, 1.5, 2.0, 2.6, 3.5)  # 1/q in units of 1/((e^ε - 1)β), where giving up begins to cost
TESTED = (0.6, 0.85, 1.1, 1.5)  # tests in units of 1/q
FEW = (6, 8, 11, 16, 22, 32, 45)  # 1/q, and tests, that are tried as well where giving up costs little: at a large ε
TEST_SHARES = (0.35, 0.45, 0.55, 0.7, 0.9)  # of ε, for the noise of the test
COARSE, FINE = 150, 700  # points of ψ, twice each
MARGIN, SILENT_MARGIN = 1.01, 0.997  # of σ and of e^ε for ⊥ in the programme, which sees ψ at a few points only
BENT = (0.5, 0.25, 0.75)  # 1/q of what is bent, in the same units: 1.5 at δ = 1e-4, 2 at 1e-6; and 3/4 of that
BENT_TESTS = 1.1
BENDS = 10  # steps of it
BEST = 3
MOST_BENT = 220  # tests: beyond, the programme takes minutes
DEVIATIONS = 9.0  # more than any σ that is of use


@dataclass(frozen=True)
class Task:
    """What a design must satisfy."""

    epsilon: float
    delta: float
    beta: float
    rows: int
    max_calls: int

    @property
    def growth(self) -> float:
        """e^ε."""
        return exp(self.epsilon)


@dataclass(frozen=True)
class Candidate:
    """A design in floats: 1/q, m, the ladder, and the greatest σ = η sqrt((n-1)q(1-q)) at which it is private."""

    cells: int
    ladder: Floats
    deviation: float

    @property
    def tests(self) -> int:
        """m."""
        return len(self.ladder) - 1

    @property
    def merit(self) -> float:
        """In proportion to the signal."""
        return self.deviation / sqrt(self.cells - 1)


def search(task: Task) -> list[Candidate]:
    """The best candidates, best first. Only public numbers enter, and it is repeatable."""
    coarse, fine = _grid(COARSE), _grid(FINE)
    found = sorted(_plain(task, coarse), key=lambda one: -one.merit)
    if find_spec("scipy") is not None:
        small = [one for one in found if one.tests <= MOST_BENT]
        found = [*(_bent(one, task, coarse, fine) for one in _leaders(small, task)), *found[:2]]
    settled = [Candidate(one.cells, one.ladder, _widest(one, task, fine)) for one in found]
    return sorted(settled, key=lambda one: -one.merit)


def _grid(points: int) -> Floats:
    """ψ, dense near one, where ladders are decided."""
    return np.unique(np.concatenate([np.linspace(0, 1, points), 1 - np.geomspace(1e-6, 0.5, points)]))


def _plain(task: Task, grid: Floats) -> Iterator[Candidate]:
    """Laplace tests of many sizes, each with its greatest deviation."""
    unit = 1 / (expm1(task.epsilon) * task.beta)
    few = FEW if unit < FEW[-1] else ()
    for cells in sorted({*(max(3, round(unit * factor)) for factor in SAMPLED), *few}):
        for tests in sorted({*(max(6, round(cells * factor)) for factor in TESTED), *few}):
            ladders = [ladder for ladder in _laplace(task, tests) if cells <= task.rows and tests < task.max_calls]
            tried = [Candidate(cells, ladder, 0.0) for ladder in ladders]
            best = max((Candidate(cells, one.ladder, _widest(one, task, grid)) for one in tried),
                       key=lambda one: one.merit, default=None)  # fmt: skip
            if best is not None and best.deviation > 0:
                yield best


def _laplace(task: Task, tests: int) -> Iterator[Floats]:
    for share in TEST_SHARES:
        ratio = exp(-share * task.epsilon)
        room = ceil(log(1 / (task.beta * (1 + ratio))) / (share * task.epsilon))
        if tests - room >= 1:
            below = np.arange(tests + 1) - (tests - room)
            tail = ratio ** np.maximum(np.abs(below), 1.0 - below) / (1 + ratio)
            ladder = np.where(below <= 0, tail, 1 - tail)
            ladder[0] = 0
            yield np.minimum(ladder, 1 - task.beta * (1 - 1e-9))


def _leaders(found: list[Candidate], task: Task) -> list[Candidate]:
    """What is bent: the best Laplace tests, and others whose sizes a free ladder makes the most of."""
    unit = (BENT[0] - BENT[1] * log10(task.delta)) / (expm1(task.epsilon) * task.beta)
    near = [min(found, key=lambda one: _distance(one, unit * factor)) for factor in (1, BENT[2]) if found]
    return list({(one.cells, one.tests): one for one in (*near, *found[:BEST])}.values())


def _distance(one: Candidate, cells: float) -> float:
    return abs(log(one.cells / cells)) + abs(log(one.tests / (BENT_TESTS * one.cells)))


@dataclass(frozen=True)
class _Curve:
    """The bound at every ψ: its parts as numbers for a ladder, or as rows that a ladder is multiplied with."""

    above: Floats
    below: Floats
    share: Floats  # q e^η k
    unseen: Floats  # the same times (1-ψ)/R
    growth: float
    sampling: float

    @classmethod
    def of(cls, one: Candidate, task: Task, grid: Floats, deviation: float) -> _Curve:
        q, others, runs = 1 / one.cells, task.rows - 1, max(2.0, task.max_calls // one.tests)
        eta = deviation / sqrt(others * q * (1 - q))
        drift = others * (log1p(q * expm1(eta)) - q * eta)
        psi = np.maximum(grid, 1e-9)
        likeness = np.exp(np.minimum(drift + deviation * np.sqrt((1 - psi) / psi) - np.log(psi) + eta, 300.0))
        share = q * likeness
        above, below = _binomials(one.cells, one.tests, len(grid))
        return cls(above, below, share, share * (1 - grid) / runs, task.growth, q)

    def excess(self, ladder: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """δ at every ψ, and where the finer form is the smaller."""
        above, below, missed = self.above @ ladder, self.below @ ladder, 1 - self.sampling
        gap = above - self.growth * below
        fine = np.maximum(missed * gap + above * self.share, 0) + above * self.unseen
        rough = missed * np.maximum(gap, 0) + above * self.sampling
        giving_up = np.maximum(1 - below * missed - self.growth * (1 - above), 0)
        return np.minimum(fine, rough) + giving_up, fine <= rough


def _widest(one: Candidate, task: Task, grid: Floats) -> float:
    low, high = 0.0, DEVIATIONS
    for _ in range(20):
        middle = (low + high) / 2
        good = _Curve.of(one, task, grid, middle).excess(one.ladder)[0].max() <= task.delta
        low, high = (middle, high) if good else (low, middle)
    return low


def _bent(one: Candidate, task: Task, coarse: Floats, fine: Floats) -> Candidate:
    """The ladder changed by linear programmes, each for a deviation a little greater than the last that succeeded."""
    best, step = one, 0.12
    for _ in range(BENDS):
        wanted, ladder = best.deviation * (1 + step), best.ladder
        curve, check = _Curve.of(best, task, coarse, MARGIN * wanted), _Curve.of(best, task, fine, wanted)
        for _ in range(2):
            ladder = _programme(curve, curve.excess(ladder)[1], ladder, task)
            good = bool(check.excess(ladder)[0].max() <= task.delta)
            if good:
                break
        if good:
            best = Candidate(best.cells, ladder, wanted)
        else:
            step /= 2
    return best


def _programme(curve: _Curve, fine: NDArray[np.bool_], ladder: Floats, task: Task) -> Floats:
    """The ladder of the least δ, if the finer form of the bound is taken where ``fine`` says so."""
    count, missed = len(ladder), 1 - curve.sampling
    share, unseen = np.minimum(curve.share, 1e9)[:, None], np.minimum(curve.unseen, 1e9)[:, None]
    gap = missed * (curve.above - curve.growth * curve.below)
    first = np.where(fine[:, None], gap + curve.above * share, gap)
    rest = np.where(fine[:, None], curve.above * unseen, curve.above * curve.sampling)
    growth = SILENT_MARGIN * curve.growth
    silent = growth * curve.above - missed * curve.below
    rows = [rest + x * first + y * silent for x in (0, 1) for y in (0, 1)]
    room = [np.full(len(rest), y * (growth - 1)) for _ in (0, 1) for y in (0, 1)]
    rising = np.eye(count)[:-1] - np.eye(count, k=1)[:-1]
    matrix = np.vstack([np.hstack([np.vstack(rows) / task.delta, -np.ones((4 * len(rest), 1))]),
                        np.hstack([rising, np.zeros((count - 1, 1))])])  # fmt: skip
    limits = np.concatenate([np.concatenate(room) / task.delta, np.zeros(count - 1)])
    top = 1 - task.beta * (1 - 1e-9)
    found = optional("scipy.optimize", extra="solvers").linprog(
        np.eye(count + 1)[-1], A_ub=matrix, b_ub=limits, method="highs",
        bounds=[(0, 0), *[(0, top)] * (count - 2), (top, top), (0, None)],
    )  # fmt: skip
    if found.status != 0:
        return ladder
    bent = np.maximum.accumulate(np.clip(found.x[:-1], 0, top))
    bent[0] = 0
    return np.asarray(bent)


@lru_cache(maxsize=8)
def _binomials(cells: int, tests: int, points: int) -> tuple[Floats, Floats]:
    """The laws of the number of passing tests, with and against the changed record, at every ψ of a grid."""
    grid = next(grid for grid in (_grid(COARSE), _grid(FINE)) if len(grid) == points)
    counts = np.arange(tests + 1)
    ways = np.array([lgamma(tests + 1) - lgamma(t + 1) - lgamma(tests - t + 1) for t in counts])

    def law(chance: Floats) -> Floats:
        inside = np.clip(chance, 1e-300, 1 - 1e-16)[:, None]
        return np.asarray(np.exp(ways + counts * np.log(inside) + (tests - counts) * np.log1p(-inside)))

    return law(1 / cells + (1 - 1 / cells) * grid), law((1 - 1 / cells) * grid)
