"""Decision trees as a class, their least member, and the sums of weights they are drawn from."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from oracledp.audit.tree_law import errors_of, prior
from oracledp.classes import query_from_json
from oracledp.classes.decided_tests import decides
from oracledp.classes.decision_trees import DecisionTrees
from oracledp.classes.pictures import branches_in_words
from oracledp.data.literals import Literal, Literals
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import BrokenSearchTree, CapacityError, ModelError, ParameterError
from oracledp.exact.exponentials import exp_enclosure, power_enclosure
from oracledp.mechanisms.private_trees import PrivateTrees, usual_depth
from oracledp.mechanisms.sampling import decision_tree_sampler as sampler
from oracledp.mechanisms.sampling.decision_tree_sampler import TreeSampler
from oracledp.oracles.decision_tree_search import DecisionTreeSearchOracle
from oracledp.oracles.exhaustive import ExhaustiveOracle
from oracledp.oracles.problem import WeightedProblem
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness

MIXED = Literals(
    (
        Literal("age", ">=", 30),
        Literal("age", ">=", 40),
        Literal.boolean("smoker"),
        Literal("job", "=", "x"),
        Literal("job", "=", "y"),
    )
)
SHAPES = [(1, 2, 5), (2, 3, 5), (2, 2, 5), (3, 2, 3), (2, 1, 2)]


def sample(seed: int, literals: int, labels: int, rows: int = 40) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 900, (rows, labels)) * rng.integers(0, 2, (rows, labels))
    return rng.integers(0, 2, (rows, literals)).astype(np.uint8), weights.astype(np.int64)


@pytest.mark.parametrize(("depth", "labels", "literals"), SHAPES)
def test_a_class_lists_what_it_contains(depth: int, labels: int, literals: int) -> None:
    trees = DecisionTrees(MIXED[:literals], depth=depth, labels=labels)
    listed = list(trees.all_parts())
    assert len(listed) == trees.size == len(set(listed))
    assert listed == sorted(listed)
    for parts in listed[:: max(1, len(listed) // 200)]:
        assert trees.contains(parts)
        assert trees.parts_of_tree(trees.tree(parts)) == parts
        assert query_from_json(trees.query(*parts).to_json()) == trees.query(*parts)


def test_no_path_makes_a_test_that_it_has_decided() -> None:
    trees = DecisionTrees(MIXED, depth=2)
    assert not trees.contains(trees.parts_of_tree((1, (0, 1, 0), 0)))  # age >= 30 where age >= 40
    assert trees.contains(trees.parts_of_tree((1, 0, (0, 1, 0))))
    assert not trees.contains(trees.parts_of_tree((3, (4, 1, 0), 0)))  # job = y where job = x
    assert not trees.contains(trees.parts_of_tree((2, (2, 1, 0), 0)))


@pytest.mark.parametrize("values", list(product((0, 25, 30, 35, 40, 45), ("x", "y", "z"))))
def test_what_is_decided_is_true_of_every_row(values: tuple[int, str]) -> None:
    """Whenever a literal is said to be decided, all rows with that outcome agree about it."""
    ages = np.array([0, 25, 30, 35, 40, 45])
    for threshold, other in product((30, 40), repeat=2):
        for outcome in (True, False):
            if decides(Literal("age", ">=", threshold), outcome, Literal("age", ">=", other)):
                assert len(set((ages[(ages >= threshold) == outcome] >= other).tolist())) == 1
    assert not decides(Literal("age", ">=", 30), True, Literal("job", "=", values[1]))


def test_a_tree_prints_evaluates_and_is_cut_to_what_it_says() -> None:
    trees = DecisionTrees(MIXED, depth=2, labels=3)
    parts = trees.parts_of_tree((2, (0, 2, 1), (3, 0, 0)))
    records = np.array([[1, 0, 1, 0, 0], [0, 0, 1, 0, 0], [1, 1, 0, 1, 0]], dtype=np.uint8)
    assert trees.label(parts, records).tolist() == [2, 1, 0]
    assert trees.leaf(parts, records).tolist() == [0, 1, 2]
    assert trees.evaluate(parts, records).tolist() == [True, True, False]
    assert trees.describe(trees.simplified(parts)) == "if smoker then (if age >= 30 then 2 else 1) else 0"
    picture = trees.picture(trees.simplified(parts))
    assert branches_in_words(picture, "abc").splitlines()[1:] == [  # type: ignore[arg-type]
        "  if smoker:", "    if age >= 30: c", "    otherwise: b", "  otherwise: a",
    ]  # fmt: skip


@pytest.mark.parametrize("depth", [0, 6, -1, 2.5, "deep"])
def test_a_depth_is_a_small_whole_number(depth: object) -> None:
    with pytest.raises(ParameterError, match="depth"):
        DecisionTrees(MIXED, depth=depth)  # type: ignore[arg-type]


def test_parts_that_are_no_tree_are_refused() -> None:
    trees = DecisionTrees(MIXED, depth=1)
    with pytest.raises(ModelError):
        trees.query(0, 1, 2)
    with pytest.raises(ModelError):
        trees.query(*range(50))


# ---- the least tree --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("depth", "labels", "literals"), [(1, 2, 5), (2, 2, 4), (2, 3, 3), (3, 2, 3)])
@pytest.mark.parametrize("seed", range(6))
def test_the_search_finds_the_first_least_tree_with_and_without_costs(
    seed: int, depth: int, labels: int, literals: int
) -> None:
    rng = np.random.default_rng(seed)
    trees = DecisionTrees(MIXED[:literals], depth=depth, labels=labels)
    records = rng.integers(0, 2, (30, literals)).astype(np.uint8)
    plain = WeightedProblem.build(trees, records, rng.integers(-3, 4, 30))
    noisy = plain.with_noise(rng.integers(-4, 5, trees.part_count))
    for problem in (plain, noisy):
        found, expected = DecisionTreeSearchOracle().solve(problem), ExhaustiveOracle().solve(problem)
        assert (found.query.parts, found.value) == (expected.query.parts, expected.value)  # type: ignore[union-attr]
        assert problem.value(found.query.parts) == found.value  # type: ignore[union-attr]


def test_large_trees_are_refused_by_public_numbers() -> None:
    many = Literals.named(*(f"x{i}" for i in range(200)))
    assert usual_depth(200, 2) == 3
    mechanism = PrivateTrees(DecisionTrees(many, depth=4), Fraction(1), Neighbours.ADD_REMOVE)
    with pytest.raises(CapacityError, match="smaller depth"):
        mechanism.check(100)
    assert not DecisionTreeSearchOracle().supports(DecisionTrees(many, depth=5))


# ---- weights ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("power", [0, 1, 7, 1000, 10**6 + 1])
@pytest.mark.parametrize("x", [Fraction(1, 10**6), Fraction(1, 3), Fraction(64)])
def test_powers_are_enclosed(x: Fraction, power: int) -> None:
    low, high, exponent = power_enclosure(x, power, 64)
    assert low <= high <= low + 4
    if x * power < 2000:
        below, above = exp_enclosure(x * power, 4000)
        assert Fraction(low) * Fraction(2) ** exponent <= Fraction(above, 1 << 4000)
        assert Fraction(high) * Fraction(2) ** exponent >= Fraction(below, 1 << 4000)


def exact(number: tuple[int, int]) -> Fraction:
    return number[0] * Fraction(2) ** number[1]


@pytest.mark.parametrize(("depth", "labels", "literals"), SHAPES)
@pytest.mark.parametrize("rate", [Fraction(1, 700), Fraction(1, 30)])
def test_every_tree_has_its_exact_share_of_the_root(depth: int, labels: int, literals: int, rate: Fraction) -> None:
    """The products of a trial telescope to prior · e^(-rate·errors) / root, and every bound is a bound."""
    trees = DecisionTrees(MIXED[:literals], depth=depth, labels=labels)
    records, weights = sample(depth, literals, labels)
    drawing = TreeSampler.over(trees, PackedRecords.of(records), weights, rate, Fraction(4, 5))
    nodes: dict[frozenset[tuple[int, bool]], tuple[object, ...]] = {}

    def node(path: tuple[tuple[int, bool], ...]) -> tuple[object, ...]:
        key = frozenset(path)
        if key not in nodes:
            errors, bounds, tests, children, total = drawing.bounds.node(list(path))
            options = [exact(option) for option in sampler.weighed(bounds, children, Fraction(4, 5))]
            scale = 5 * len(tests) if tests else 1
            slack = exact(total) * scale - sum(options)
            assert 0 <= slack <= exact(total) * scale / 2**50
            for wrong, bound in zip(errors, bounds, strict=True):
                low, high, exponent = power_enclosure(rate, wrong, 100)
                assert (
                    low * Fraction(2) ** exponent
                    <= exact(bound)
                    <= high * Fraction(2) ** exponent * (1 + Fraction(1, 2**50))
                )
            nodes[key] = errors, bounds, tests, [option / (exact(total) * scale) for option in options]
        return nodes[key]

    def share(tree: object, path: tuple[tuple[int, bool], ...]) -> tuple[Fraction, int, Fraction]:
        errors, bounds, tests, odds = node(path)
        if isinstance(tree, int):
            return odds[tree], errors[tree], exact(bounds[tree])  # type: ignore[index]
        test, held, other = tree  # type: ignore[misc]
        a, b = share(held, (*path, (test, True))), share(other, (*path, (test, False)))
        return odds[labels + tests.index(test)] * a[0] * b[0], a[1] + b[1], a[2] * b[2]  # type: ignore[attr-defined, index]

    root = exact(drawing.bounds.node([])[4])
    listed = list(trees.all_parts())
    for parts in listed[:: max(1, len(listed) // 300)]:
        tree = trees.tree(parts)
        grown, errors, bound = share(tree, ())
        assert errors == errors_of(tree, records, weights) == drawing.errors(parts)
        assert grown == prior(trees, tree, depth, (), Fraction(4, 5)) * bound / root


def test_draws_follow_the_law() -> None:
    """A chi-square test at 1e-6 over the trees of depth one, and none of depth two is impossible."""
    trees = DecisionTrees(MIXED[:3], depth=1)
    records, weights = sample(3, 3, 2, rows=12)
    weights = np.minimum(weights, 2)
    drawing = TreeSampler.over(trees, PackedRecords.of(records), weights, Fraction(1, 5), Fraction(4, 5))
    listed = list(trees.all_parts())
    expected = np.array(
        [
            float(prior(trees, trees.tree(parts), 1, (), Fraction(4, 5))) * np.exp(-drawing.errors(parts) / 5)
            for parts in listed
        ]
    )
    expected /= expected.sum()
    source, draws = SeededRandomness(11), 6_000
    counts = dict.fromkeys(listed, 0)
    for _ in range(draws):
        counts[drawing.draw(source)] += 1
    observed = np.array([counts[parts] for parts in listed])
    statistic = float(((observed - draws * expected) ** 2 / (draws * expected)).sum())
    assert statistic < 75  # 13 degrees of freedom: 1e-6 is at 56


def test_bounds_that_are_too_low_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = DecisionTrees(MIXED, depth=2)
    records, weights = sample(1, 5, 2)
    powers = sampler._powers
    with monkeypatch.context() as patch:
        patch.setattr(sampler, "_powers", lambda rate: powers(2 * rate))
        low = TreeSampler.over(trees, PackedRecords.of(records), weights, Fraction(1, 2), Fraction(4, 5))
    with pytest.raises(BrokenSearchTree):
        low.draw(SeededRandomness(0))
    miscounted = TreeSampler.over(trees, PackedRecords.of(records), weights, Fraction(1, 2), Fraction(4, 5))
    object.__setattr__(miscounted, "weights", weights + 1)
    with pytest.raises(BrokenSearchTree):
        miscounted.draw(SeededRandomness(0))


def test_a_table_without_rows_is_any_other() -> None:
    trees = DecisionTrees(MIXED, depth=3)
    mechanism = PrivateTrees(trees, Fraction(1), Neighbours.ADD_REMOVE)
    nothing = PackedRecords.of(np.zeros((0, 5), dtype=np.uint8))
    parts = mechanism.run(nothing, np.zeros((0, 2), dtype=np.int64), SeededRandomness(2))
    assert trees.contains(parts)
