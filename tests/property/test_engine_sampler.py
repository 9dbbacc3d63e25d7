"""The sampler over sets of columns: its weights are the sums they stand for, up to rounding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from oracledp._engine import SupportForest
from oracledp.classes import Conjunctions, DecisionLists, Halfspaces
from oracledp.classes.base import QueryClass
from oracledp.data.literals import Literals
from oracledp.errors import CapacityError
from oracledp.exact.exponentials import exp_enclosure
from oracledp.mechanisms.sampling.support_sampler import SupportTrials, _plant
from oracledp.mechanisms.sampling.tree_sampler import sample_exponential
from oracledp.mechanisms.sampling.trials import BITS, keep, powers
from oracledp.oracles.decision_list_search import distinct_columns
from oracledp.oracles.problem import WeightedProblem
from oracledp.oracles.values import all_values
from oracledp.randomness.source import SeededRandomness

CLASSES: list[QueryClass] = [
    DecisionLists(Literals.named(*"abc"), length=2),
    DecisionLists(Literals.named(*"abcd"), length=3),
    DecisionLists(Literals.named(*"ab").with_negations(), length=3),
    DecisionLists(Literals.named(*"ab"), length=0),
    DecisionLists(Literals.named("a"), length=4),
    Halfspaces(Literals.named(*"abcd"), max_nonzero=2, thresholds=(-1, 0, 1)),
    Halfspaces(Literals.named(*"abcde"), weights=(-2, 0, 1, 3), max_nonzero=3),
    Halfspaces(Literals.named(*"abc"), weights=(Fraction(-1, 2), 0, 1), max_nonzero=9, thresholds=(0, Fraction(1, 3))),
    Halfspaces(Literals.named(*"ab"), weights=(0,), max_nonzero=1, thresholds=(0, 1)),
]


def problems(queries: QueryClass, seed: int, *, large: int = 9) -> list[WeightedProblem]:
    """Two branches of opposite signs, with equal and constant columns now and then."""
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 2, (int(rng.integers(0, 40)), queries.dimension)).astype(np.uint8)
    if seed % 3 == 0:
        records[:, 0] = seed % 2
    if seed % 3 == 1:
        records[:, -1] = records[:, 0]
    half = queries.dimension // 2
    if (
        queries.literals[half].negated() == queries.literals[0]
    ):  # opposite columns, so that lists can run out of records
        records[:, half:] = 1 - records[:, :half]
    weights = rng.integers(-large, large + 1, len(records))
    return [WeightedProblem.build(queries, records, sign * weights, 3 * sign) for sign in (1, -1)]


def grown(made: list[WeightedProblem], rate: Fraction, *, whole: bool, first: int = 1) -> SupportForest:
    forest = SupportForest()
    for problem in made:
        _plant(forest, problem)
    forest.prepare(powers(rate), float(rate), first)
    while whole and forest.unopened():
        forest.refine()
    return forest


@pytest.mark.parametrize("queries", CLASSES, ids=repr)
@pytest.mark.parametrize("seed", range(6))
def test_every_query_is_counted_once(queries: QueryClass, seed: int) -> None:
    """At rate zero every query weighs one, and an opened set exactly what its count said."""
    forest = grown(problems(queries, seed), Fraction(0), whole=False, first=0)
    assert forest.total() == 2 * queries.size << BITS
    while forest.unopened():
        _, (exponent, chosen, inside) = forest.enter(forest.total() - 1)  # those that are only counted come last
        assert exponent >= 0
        assert chosen == inside
        assert forest.total() == 2 * queries.size << BITS


@pytest.mark.parametrize("queries", CLASSES, ids=repr)
@pytest.mark.parametrize("seed", range(6))
def test_bounds_and_counts_are_those_of_the_cells(queries: QueryClass, seed: int) -> None:
    """The frontier before anything is opened, against sums over the records for every set of columns."""
    made = problems(queries, seed)
    expected: Counter[tuple[int, int, int]] = Counter()
    for tree, problem in enumerate(made):
        columns, place, _ = distinct_columns(problem.packed)
        table = columns.matrix() if isinstance(queries, DecisionLists) else problem.records
        for size in range(min(most_read(queries), table.shape[1]) + 1):
            for subset in combinations(range(table.shape[1]), size):
                cells: Counter[tuple[int, ...]] = Counter()
                for row, weight in zip(table[:, subset].tolist(), problem.weights.tolist(), strict=True):
                    cells[tuple(row)] += weight
                bound = problem.constant + sum(min(0, cell) for cell in cells.values())
                expected[tree, bound, queries_on(queries, subset, place)] += 1
    found: Counter[tuple[int, int, int]] = Counter()
    for tree, bound, leaves, count in grown(made, Fraction(1), whole=False, first=0).unopened():
        found[tree, bound, leaves] += count
    assert found == expected


def most_read(queries: QueryClass) -> int:
    if isinstance(queries, Halfspaces):
        return queries.budget if queries.values else 0
    assert isinstance(queries, DecisionLists)
    return queries.positions


def queries_on(queries: QueryClass, subset: tuple[int, ...], place: list[int]) -> int:
    """How many queries read exactly these columns."""
    if isinstance(queries, Halfspaces):
        return int(len(queries.values) ** len(subset) * len(queries.thresholds))
    assert isinstance(queries, DecisionLists)
    tests = [column for column in place if column in subset]
    found = 0
    for chosen in product([None, *tests], repeat=queries.positions):  # each rule has two labels, and the default too
        if set(chosen) - {None} == set(subset):
            found += 2 ** (1 + sum(column is not None for column in chosen))
    return found


@pytest.mark.parametrize("queries", CLASSES, ids=repr)
@pytest.mark.parametrize("rate", [Fraction(1, 1000), Fraction(1, 7), Fraction(2), Fraction(60)])
def test_the_total_is_the_sum_over_all_queries(queries: QueryClass, rate: Fraction) -> None:
    for seed in range(6):
        made = problems(queries, seed)
        forest = grown(made, rate, whole=True)
        values = np.concatenate([all_values(problem) for problem in made]).tolist()
        low = sum(exp_enclosure(rate * (value - forest.origin), BITS)[0] for value in values)
        high = sum(exp_enclosure(rate * (value - forest.origin), BITS)[1] for value in values)
        assert low <= forest.total() <= high * (1 + Fraction(1, 1 << 50)) + 64 * len(values)


@pytest.mark.parametrize("queries", CLASSES, ids=repr)
def test_a_walk_ends_at_the_value_it_paid_for(queries: QueryClass) -> None:
    """Exponents along a walk add up to the query's value, and no step outweighs what it was drawn by."""
    rng = np.random.default_rng(7)
    for seed in range(5):
        made, rate = problems(queries, seed), Fraction(1, 9)
        forest = grown(made, rate, whole=seed % 2 == 0)
        for _ in range(30):
            number = int(rng.integers(0, 1 << 62)) * forest.total() >> 62
            tree, (exponent, chosen, inside) = forest.enter(number)
            value, entering = forest.origin, True
            while True:
                assert exponent >= 0
                assert exp_enclosure(rate * exponent, BITS)[0] * inside <= chosen << BITS
                assert entering or forest.height(exponent) * inside <= chosen << BITS
                assert exp_enclosure(rate * exponent, BITS)[1] <= forest.height(exponent) <= 1 << BITS
                value += exponent
                if forest.done():
                    break
                exponent, chosen, inside = forest.step(int(rng.integers(0, 1 << 62)) * inside >> 62)
                entering = False
            parts = tuple(forest.parts())
            assert queries.contains(parts)
            assert made[tree].value(parts) == value


def leaves_below(forest: SupportForest, numbers: list[int], inside: int) -> Iterator[tuple[int, ...]]:
    """The queries below the state that these numbers lead to, found by going there again for each of them."""
    if forest.done():
        yield tuple(forest.parts())
        return
    number = 0
    while number < inside:
        forest.enter(numbers[0])
        for earlier in numbers[1:]:
            forest.step(earlier)
        _, chosen, within = forest.step(number)
        yield from leaves_below(forest, [*numbers, number], within)
        number += chosen
    assert number == inside


@pytest.mark.parametrize("queries", [*CLASSES[:3], *CLASSES[5:]], ids=repr)
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_numbers_lead_to_every_query_once(queries: QueryClass, seed: int) -> None:
    """All stretches of the total, walked one after the other at rate zero, are the queries of the class."""
    forest = grown(problems(queries, seed), Fraction(0), whole=True)
    found, number = [], 0
    while number < forest.total():
        tree, (_, chosen, inside) = forest.enter(number)
        found += [(tree, parts) for parts in leaves_below(forest, [number], inside)]
        number += chosen
    assert sorted(found) == sorted((tree, parts) for tree in (0, 1) for parts in queries.all_parts())


@pytest.mark.parametrize("queries", [CLASSES[1], CLASSES[5]], ids=repr)
def test_numbers_lead_to_every_set_that_is_only_counted(queries: QueryClass) -> None:
    """Sets of the same bound and count are picked alike: each has its own stretch, and so another first query."""
    made = problems(queries, 0)
    found, number = [], 0
    while True:
        forest = grown(made, Fraction(0), whole=False, first=0)
        if number >= forest.total():
            break
        tree, (_, chosen, _) = forest.enter(number)
        while not forest.done():
            forest.step(0)
        found.append((tree, tuple(forest.parts())))
        number += chosen
    assert len(set(found)) == len(found) == sum(count for *_, leaves, count in forest.unopened() if leaves)


def test_a_strong_rate_finds_the_minimum_and_a_weak_one_does_not_mind() -> None:
    source = SeededRandomness(1)
    for queries in CLASSES[:2] + CLASSES[5:7]:
        made = problems(queries, 1, large=1 << 30)
        best = min(problem.value(parts) for problem in made for parts in queries.all_parts())
        branch, parts = sample_exponential(made, Fraction(1), source)
        assert made[branch].value(parts) == best
        drawn = {sample_exponential(made, Fraction(1, 1 << 60), source) for _ in range(40)}
        assert len(drawn) > 20


def test_keeping_is_decided_however_close() -> None:
    source = SeededRandomness(0)
    assert all(keep(Fraction(0), 5, 5, source) for _ in range(50))
    kept = sum(keep(Fraction(1), 3, 4, source) for _ in range(4000))  # 0.75 / e = 0.2759
    assert 940 < kept < 1270


def test_what_has_no_sets_to_sample_is_refused() -> None:
    assert SupportTrials.serves(DecisionLists(Literals.named(*(f"x{j}" for j in range(43))).with_negations(), length=4))
    assert not SupportTrials.serves(DecisionLists(Literals.named(*"ab"), width=2))
    assert not SupportTrials.serves(Halfspaces(Literals.named(*"ab")))
    assert not SupportTrials.serves(Conjunctions(Literals.named(*"ab")))
    noisy = problems(CLASSES[0], 1)[0].with_noise(np.ones(CLASSES[0].part_count, dtype=np.int64))
    with pytest.raises(CapacityError, match="decision-lists"):
        sample_exponential([noisy], Fraction(1), SeededRandomness(0))
