"""The sampler over parities: every parity is counted once, under its own value, and can be found."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oracledp.classes import Parities
from oracledp.data.literals import Literals
from oracledp.exact.exponentials import exp_enclosure
from oracledp.mechanisms.sampling.parity_sampler import ParityTrials
from oracledp.mechanisms.sampling.trials import BITS, ONE, Draw
from oracledp.oracles import sparse_parities
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import SeededRandomness


def branches(rng: np.random.Generator, *, large: int = 5) -> list[WeightedProblem]:
    literals, rows = int(rng.integers(1, 7)), int(rng.integers(0, 40))
    width = None if rng.random() < 0.3 else int(rng.integers(0, literals + 1))
    queries = Parities(Literals.named(*(f"x{j}" for j in range(literals))), max_width=width)
    records = (rng.random((rows, literals)) < rng.choice([0.2, 0.5, 0.9])).astype(np.uint8)
    weights = rng.integers(-large, large + 1, rows)
    return [WeightedProblem.build(queries, records, sign * weights, 3 * sign) for sign in (1, -1)]


@pytest.mark.parametrize("kept", [1 << 20, 0], ids=["kept", "made again"])
@pytest.mark.parametrize("rate", [Fraction(1, 1000), Fraction(1, 3), Fraction(40)], ids=str)
def test_stretches_of_the_total_are_the_parities(rate: Fraction, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Walks along all numbers below the total, one parity after the other: the exact law of a trial."""
    monkeypatch.setattr(sparse_parities, "MOST_KEPT", kept)
    rng = np.random.default_rng(3)
    for _ in range(12):
        made = branches(rng)
        trials = ParityTrials(made, rate)
        met, number = set(), 0
        while number < trials.total():
            problem, distance, height = trials.forest.enter(number)
            parts = tuple(trials.forest.parts())
            assert made[problem].value(parts) == trials.origin + distance
            assert exp_enclosure(rate * distance, BITS)[1] <= height <= exp_enclosure(rate * distance, BITS)[1] + 64
            met.add((problem, parts))
            number += height
        assert number == trials.total()
        assert met == {(b, parts) for b in (0, 1) for parts in made[b].query_class.all_parts()}


def test_a_trial_is_all_but_certain_and_consistent() -> None:
    rng = np.random.default_rng(4)
    source = SeededRandomness(1)
    for _ in range(10):
        made = branches(rng, large=1 << 40)
        trials = ParityTrials(made, Fraction(1, 1 << 38))
        draw = trials.trial(source)
        assert isinstance(draw, Draw)
        assert made[draw.problem].value(draw.parts) == trials.origin + draw.distance
        assert trials.total() >= ONE
