"""The search for a good design with independent labels, in floating point: it proposes, exact arithmetic decides.

A *lane* is one choice of the discrete and free parameters; all lanes climb their ladders of pass
probabilities together in numpy. Names follow Theorem 5 of README.md.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.mechanisms.robust import search_two_sample

Floats = NDArray[np.float64]

SCATTERED = 128  # lanes to start from
KEPT = 48  # lanes that evolve
GENERATIONS = 80
CALLS_WEIGHT = 0.01  # a signal one per cent greater is worth 2.7 times the calls, not more
EXCESS_WEIGHT = 2  # paid for calls beyond those allowed, on the way to a design that is
SLACK = 1e-6  # left for the rounding of floats to fractions


@dataclass(frozen=True)
class Task(search_two_sample.Task):
    """What a design must satisfy."""

    @property
    def fewest_others(self) -> int:
        """The least N with (N+1)/N <= e^ε."""
        return int(1 / (self.growth - 1)) + 1


@dataclass(frozen=True)
class Lanes:
    """Many candidate designs at once.

    ``calls`` is in units of the calls allowed, ``first`` is N_min over the number of parts, ``few`` and
    ``unseen`` are shares of delta, ``deviation`` is σ. The counts guess how many steps share the second and
    the third term of delta; climbing improves them.
    """

    parts: Floats
    calls: Floats
    order: Floats
    sharpness: Floats
    failure_sharpness: Floats
    few: Floats
    unseen: Floats
    first: Floats
    deviation: Floats
    unlike_count: Floats
    unseen_count: Floats

    def __getitem__(self, index: Any) -> Lanes:
        return Lanes(*(getattr(self, f.name)[index] for f in fields(self)))

    @property
    def logs(self) -> Floats:
        """All parameters as one array of logarithms."""
        return np.asarray(np.log(np.array([getattr(self, f.name) for f in fields(self)])))

    @classmethod
    def from_logs(cls, logs: Floats, task: Task) -> Lanes:
        """The nearest lanes that make sense."""
        least = task.fewest_others + 3
        parts = np.clip(np.rint(np.exp(logs[0])), least, max(task.rows // 2, least))
        low = np.array([1e-6, 0.25, 1, 1, 0.003, 0.003, 0.01, 1e-6, 1e-9, 1e-9])
        high = np.array([1e6, 60, 60, 60, 0.45, 0.5, 0.97, 6, 1e9, 1e9])
        return cls(parts, *np.clip(np.exp(logs[1:]), low[:, None], high[:, None]))

    def runs(self, task: Task) -> Floats:
        """R."""
        return np.maximum(2, np.floor(self.calls * task.max_calls / self.parts))

    def minimum_passing(self, task: Task) -> Floats:
        """N_min."""
        return np.clip(np.rint(self.first * self.parts), task.fewest_others, self.parts - 2)

    def merit(self) -> Floats:
        """The logarithm of the signal, less a little for the calls, and much for those that are not allowed."""
        signal, calls = np.log(self.deviation / np.sqrt(self.parts - 1)), np.log(self.calls)
        return np.asarray(signal - CALLS_WEIGHT * calls - EXCESS_WEIGHT * np.maximum(0, calls))


def scattered(task: Task, chance: np.random.Generator) -> Lanes:
    """Lanes all over the place."""

    def spread(low: float, high: float) -> Floats:
        return chance.uniform(log(low), log(high), SCATTERED)

    parts, enough = spread(8 + 10 / task.epsilon, 40 + 150 / task.epsilon), 1 / (task.delta * task.max_calls)
    logs = [parts, spread(enough, 30 * enough), spread(1.5, 7), spread(1, 10), spread(1, 10), spread(0.01, 0.4)]
    logs += [spread(0.02, 0.5), spread(0.1, 0.85), np.full(SCATTERED, log(2.0)), parts - log(2), parts - log(2)]
    return Lanes.from_logs(np.array(logs), task)


@dataclass(frozen=True)
class Climb:
    """Where the ladders ended: their pass probabilities, the delta they cost, and whether they are valid."""

    table: Floats
    delta: Floats
    alive: NDArray[np.bool_]
    unlike_count: Floats
    unseen_count: Floats

    def good(self, task: Task) -> NDArray[np.bool_]:
        """Which lanes meet the task."""
        return np.asarray(self.alive & (self.table[-1] >= 1 - task.beta) & (self.delta <= task.delta))


def climb(lanes: Lanes, task: Task) -> Climb:
    """Let every g grow as fast as its shares of delta allow."""
    K, lam, p, q, others = lanes.parts, lanes.order, lanes.sharpness, lanes.failure_sharpness, task.rows - 1
    eta = lanes.deviation * K / np.sqrt(others * (K - 1))
    start, first = lanes.few * task.delta, lanes.minimum_passing(task)
    unlike = lam * np.log(lam) - (1 + lam) * np.log1p(lam) + lam * eta + (1 - 1 / p) * others * _lone(lam * eta, K)
    unseen = eta + (1 - 1 / q) * others * _lone(eta, K) - np.log(lanes.runs(task))
    unlike_cap = np.log((1 - lanes.few - lanes.unseen) * task.delta) - unlike - np.log(lanes.unlike_count) / p
    unseen_cap = np.log(lanes.unseen * task.delta) - unseen - np.log(lanes.unseen_count) / q
    g, alive, slope = start.copy(), np.isfinite(unlike_cap), np.full_like(start, 1e-3)
    unlike_sum, unseen_sum, table = np.zeros_like(g), np.zeros_like(g), [np.zeros_like(g), g]
    for N in range(1, int(K.max())):
        selection = np.sqrt(np.maximum(0, (K - 1) / N - 1)) * lanes.deviation
        moment = lam * selection + others * _record(lam * eta, p * lam * eta / N, K) / p
        share = np.log(np.maximum(K - N, 1) / (N * (N + 1))) + selection - unseen_cap
        share += others * _record(eta, q * eta / N, K) / q
        most = np.minimum(np.exp(-share), 1 - (1 - g) / task.growth * (1 + 1e-9))
        slope = _steepest(slope, lam, N, task.epsilon, np.log(g / (N + 1)) + moment - unlike_cap)
        low, on = first > N, K > N
        fast = np.minimum(g * np.exp(slope), most)
        alive &= low | ~on | (fast >= g * (1 - 1e-12))
        slow = np.minimum((N + 1) * start, g * task.growth * (N + 1) / N * (1 - 1e-9))
        new = np.where(low, slow, np.maximum(fast, g))
        likeness = np.minimum((N + 1) * task.growth * g / new - N, N * (task.growth - 1))
        excess = np.log(new / (N + 1)) - lam * np.log(np.maximum(likeness, 1e-12)) + moment - unlike_cap
        unlike_sum += np.where(on & ~low, np.exp(np.minimum(p * excess, 60)), 0)
        unseen_sum += np.where(on & ~low, np.exp(np.minimum(q * (np.log(new) + share), 60)), 0)
        slope = np.where(low, 1e-3, np.log(new / g))
        g = np.where(on, new, g)
        table.append(g)
    unlike_sum, unseen_sum = np.maximum(unlike_sum, 1e-9), np.maximum(unseen_sum, 1e-9)
    spent = start + np.exp(unlike + unlike_cap + np.log(unlike_sum) / p)
    spent += np.exp(unseen + unseen_cap + np.log(unseen_sum) / q)
    return Climb(np.array(table), spent, alive, unlike_sum, unseen_sum)


def _steepest(slope: Floats, lam: Floats, N: int, epsilon: float, rest: Floats) -> Floats:
    """Solve  slope - λ ln((N+1)e^{ε-slope} - N) + rest = 0  by Newton's method, from the last solution."""
    for _ in range(3):
        grown = (N + 1) * np.exp(epsilon - slope)
        likeness = np.maximum(grown - N, 1e-12)
        value = slope - lam * np.log(likeness) + rest
        slope = np.clip(slope - value / (1 + lam * grown / likeness), -0.5, epsilon + log((N + 1) / N) - 1e-9)
    return slope


def _record(own: Floats, other: Floats, parts: Floats) -> Floats:
    stretch = np.sinh(other) / other
    mean = (np.expm1(own) + (parts - 1) * np.expm1(-other)) / parts
    return np.asarray(np.log(stretch) + mean / stretch + 1 / stretch - 1 + ((parts - 1) * other - own) / parts)


def _lone(own: Floats, parts: Floats) -> Floats:
    return np.asarray(np.log1p(np.expm1(own) / parts) - own / parts)


def settled(lanes: Lanes, ended: Climb) -> Lanes:
    """The lanes with the counts that they turned out to have."""
    return replace(
        lanes,
        unlike_count=np.where(ended.alive, ended.unlike_count, lanes.unlike_count),
        unseen_count=np.where(ended.alive, ended.unseen_count, lanes.unseen_count),
    )


def search(task: Task) -> Lanes:
    """The best lanes found by differential evolution, best first. Only public numbers enter, and it is repeatable."""
    chance = np.random.default_rng(0)
    tight = replace(task, delta=task.delta * (1 - SLACK), beta=task.beta * (1 - SLACK))
    with np.errstate(all="ignore"):
        lanes = _widest(scattered(tight, chance), tight)
        for _ in range(GENERATIONS if len(lanes.parts) else 0):
            lanes = _evolved(lanes, tight, chance)
    lanes = lanes[lanes.runs(task) * lanes.parts <= task.max_calls]
    return lanes[np.argsort(-lanes.merit(), kind="stable")]


def _widest(lanes: Lanes, task: Task) -> Lanes:
    """The best lanes, each with the greatest deviation at which it succeeds; those that never do are dropped."""
    low, high, found = np.zeros_like(lanes.parts), 2 * lanes.deviation, np.zeros_like(lanes.parts)
    for _ in range(10):
        middle = (low + high) / 2
        ended = climb(replace(lanes, deviation=middle), task)
        lanes, good = settled(lanes, ended), ended.good(task)
        low, high, found = np.where(good, middle, low), np.where(good, high, middle), np.where(good, middle, found)
    lanes = replace(lanes, deviation=found)[found > 0]
    return lanes[np.argsort(-lanes.merit(), kind="stable")[:KEPT]]


def _evolved(lanes: Lanes, task: Task, chance: np.random.Generator) -> Lanes:
    """Every lane tries a step along the difference of two others, towards a third among the better ones."""
    size = len(lanes.parts)
    order = np.argsort(-lanes.merit(), kind="stable")
    leader = order[chance.integers(0, 1 + size // 6, size)]
    one, two = chance.integers(0, size, (2, size))
    logs = lanes.logs
    pull = chance.uniform(0.2, 0.9, size)
    trial = logs + pull * (logs[:, leader] - logs) + pull * (logs[:, one] - logs[:, two])
    trial += 0.01 * chance.normal(size=trial.shape)
    trial = np.where(chance.random(trial.shape) < 0.8, trial, logs)
    new = Lanes.from_logs(trial, task)
    for _ in range(2):
        ended = climb(new, task)
        new = settled(new, ended)
    better = ended.good(task) & (new.merit() > lanes.merit())
    return Lanes(*(np.where(better, getattr(new, f.name), getattr(lanes, f.name)) for f in fields(Lanes)))
