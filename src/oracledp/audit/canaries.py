"""One-run canaries: many rows, each in or out by the toss of a coin, guessed from a single release.

If a mechanism is (ε, δ)-DP under add/remove-one, then given the guesses so far each coin is guessed rightly with
probability at most p = e^ε/(1+e^ε), but for δ. So for m canaries, all of them guessed,
Pr[at least v right] <= f(v) + 2mδ·max_i (f(v-i) - f(v))/i with f(v) = Pr[Binomial(m, p) >= v]
(Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run", 2023). The greatest ε whose bound is below
alpha is refuted.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.black_box import ALPHA, Measurement
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.exact.numbers import Exact
from oracledp.extras import optional
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.synthesis import Synthesizer

CANARIES = 200
DELTA = Fraction(1, 10**12)  # a greater one would drown alpha in the bound
Mask = NDArray[np.bool_]
Scores = Callable[[Mask], NDArray[np.float64]]  # which canaries are in -> how much the release looks as if each was


def one_run(name: str, scores: Scores, claimed: Guarantee, *, canaries: int = CANARIES) -> Measurement:
    """Toss the coins, run once, call the half with the greater scores in, and see which epsilons that refutes."""
    coins = np.random.default_rng().integers(0, 2, canaries).astype(bool)
    looks = scores(coins)
    guessed = np.zeros(canaries, dtype=bool)
    guessed[np.argsort(looks, kind="stable")[canaries // 2 :]] = True
    right = int((guessed == coins).sum())
    return Measurement(name, claimed, refuted_epsilon(right, canaries, claimed.delta), 1, ALPHA)


def refuted_epsilon(right: int, canaries: int, delta: Fraction, alpha: float = ALPHA) -> float:
    """The greatest ε, to three places, under which so many right guesses are less likely than alpha.

    >>> refuted_epsilon(100, 200, Fraction(0)), refuted_epsilon(200, 200, Fraction(0)) > 2
    (0.0, True)
    """
    low, high = 0.0, 20.0
    if chance(right, canaries, low, delta) >= alpha:
        return 0.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if chance(right, canaries, middle, delta) < alpha else (low, middle)
    return low


def chance(right: int, canaries: int, epsilon: float, delta: Fraction) -> float:
    """The bound on the probability of so many right guesses under (ε, δ)-DP."""
    binomial = optional("scipy.stats", extra="solvers").binom
    tails = binomial.sf(np.arange(right, -1, -1) - 1, canaries, 1 / (1 + exp(-epsilon)))  # f(v), f(v-1), ..., f(0)
    steps = (tails[1:] - tails[0]) / np.arange(1, right + 1) if right else np.zeros(1)
    return float(tails[0] + 2 * canaries * float(delta) * steps.max())


def synthesizer_scores(epsilon: Exact) -> Scores:
    """Canaries with a category each, read off the fitted synthesizer's answers."""
    people = [f"p{i}" for i in range(CANARIES)]
    columns: dict[str, Any] = {"person": {"kind": "categorical", "values": people}, "y": {"kind": "boolean"}}
    schema = Schema({"columns": columns})

    def scores(coins: Mask) -> NDArray[np.float64]:
        inside = np.flatnonzero(coins)
        codes = np.stack([inside, np.zeros_like(inside)], axis=1).astype(schema.code_dtype)
        fitted = Synthesizer(schema, epsilon=epsilon, delta=DELTA).fit(Table.from_codes(codes, schema))
        return np.array([fitted.answer([f"person = {name}"]).value for name in people])

    return scores


def claim() -> Guarantee:
    """What the synthesizer promises here."""
    return Guarantee(epsilon=Fraction(1), delta=DELTA, neighbours=Neighbours.ADD_REMOVE, proof="measured-synthesis")


def findings() -> list[Measurement]:
    """The synthesizer, by one run."""
    return [one_run("synthesizer / canaries in one run", synthesizer_scores(1), claim())]
