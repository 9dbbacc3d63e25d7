"""Invariants of the frontier: children partition their node and never outweigh it; hard cases end."""

from fractions import Fraction

import numpy as np
import pytest

from oracledp._engine import SubsetForest
from oracledp.classes import Conjunctions, ReadOnceFormulas
from oracledp.data.literals import Literals
from oracledp.errors import CapacityError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.mechanisms.sampling.subset_sampler import _plant
from oracledp.mechanisms.sampling.tree_sampler import sample_exponential
from oracledp.mechanisms.sampling.trials import BITS, ONE, keep, powers
from oracledp.oracles.problem import WeightedProblem
from oracledp.randomness.source import SeededRandomness


def problem(seed: int, *, rows: int = 60, literals: int = 7, width: int | None = 3, large: int = 9) -> WeightedProblem:
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 2, (rows, literals)).astype(np.uint8)
    queries = Conjunctions(Literals.named(*(f"x{j}" for j in range(literals))), max_width=width)
    return WeightedProblem.build(queries, records, rng.integers(-large, large + 1, rows))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rate", [Fraction(1, 1000), Fraction(1, 3), Fraction(50)])
def test_children_partition_and_never_outweigh(seed: int, rate: Fraction) -> None:
    forest = SubsetForest()
    made = problem(seed)
    _plant(forest, made)
    forest.prepare(powers(rate), float(rate))
    leaves = sum(forest.node(i)[4] for i in range(forest.size))
    assert leaves == made.query_class.size
    for _ in range(200):
        inner = [i for i in range(forest.size) if not forest.node(i)[0]]
        if not inner:
            break
        _, _, _, distance, count, height = forest.node(inner[0])
        before = forest.size
        forest.descend(inner[0], 0)
        grown = [inner[0], *range(before, forest.size)]
        assert sum(forest.node(i)[4] for i in grown) == count
        assert sum(forest.node(i)[4] * forest.node(i)[5] for i in grown) <= count * height
        assert all(forest.node(i)[3] >= distance for i in grown)
    assert sum(forest.node(i)[4] for i in range(forest.size)) == made.query_class.size


def test_leaves_carry_the_exact_value_and_a_high_enough_height() -> None:
    made, rate = problem(1), Fraction(1, 5)
    forest = SubsetForest()
    _plant(forest, made)
    forest.prepare(powers(rate), float(rate))
    values = {made.value(tuple(forest.node(i)[2])) - forest.node(i)[3] for i in range(forest.size) if forest.node(i)[0]}
    assert len(values) == 1  # value minus distance is the origin, the same for all leaves
    for i in range(forest.size):
        _, _, _, distance, _, height = forest.node(i)
        assert height >= exp_enclosure(distance * rate, BITS)[0]


def test_a_strong_rate_finds_the_minimum_and_a_weak_one_does_not_mind() -> None:
    made = problem(3, large=1 << 40)
    source = SeededRandomness(1)
    best = min(made.value(parts) for parts in made.query_class.all_parts())
    assert made.value(sample_exponential([made], Fraction(1), source)[1]) == best
    drawn = {sample_exponential([made], Fraction(1, 1 << 60), source)[1] for _ in range(60)}
    assert len(drawn) > 30


def test_empty_data_and_single_literals() -> None:
    queries = Conjunctions(Literals.named("a"))
    empty = WeightedProblem.build(queries, np.zeros((0, 1), dtype=np.uint8), np.zeros(0, dtype=np.int64))
    source = SeededRandomness(2)
    assert {sample_exponential([empty], Fraction(1), source)[1] for _ in range(40)} == {(), (0,)}


def test_acceptance_is_decided_however_close() -> None:
    source = SeededRandomness(0)
    assert all(keep(Fraction(0), ONE, ONE, source) for _ in range(50))
    tiny = sum(keep(Fraction(44), ONE, 1, source) for _ in range(2000))  # 2^63 e^-44 is about 0.72
    assert 1300 < tiny < 1580


def test_what_has_no_tree_is_refused() -> None:
    formulas = WeightedProblem.build(
        ReadOnceFormulas(Literals.named("a")), np.ones((1, 1), dtype=np.uint8), np.ones(1, dtype=np.int64)
    )
    with pytest.raises(CapacityError, match="read-once"):
        sample_exponential([formulas], Fraction(1), SeededRandomness(0))
    noisy = problem(0).with_noise(np.ones(7, dtype=np.int64))
    with pytest.raises(CapacityError):
        sample_exponential([noisy], Fraction(1), SeededRandomness(0))
