"""The dual search against all records, ties included."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.classes import Conjunctions, DecisionLists, Disjunctions, Halfspaces, Parities
from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.data.literals import Literals
from oracledp.errors import CapacityError, ParameterError
from oracledp.oracles.base import Failed
from oracledp.oracles.dual_search import BestRecord, Block, solve_dual


def literals(count: int) -> Literals:
    return Literals.named(*(f"x{j}" for j in range(count)))


CLASSES: list[QueryClass] = [
    Conjunctions(literals(6)),
    Conjunctions(literals(6), max_width=2).closure(),
    Disjunctions(literals(6), max_width=3),
    Disjunctions(literals(5)).closure(),
    Parities(literals(6)),
    Parities(literals(6), max_width=2).closure(),
    Halfspaces(literals(5), thresholds=(0, 1, 2)),
    Halfspaces(literals(6), weights=(-2, 0, Fraction(1, 2), 1), max_nonzero=3, thresholds=(Fraction(1, 3),)),
    Halfspaces(literals(5), max_nonzero=2).closure(),
]
GROUPS: list[list[tuple[int, ...] | Block]] = [
    [],
    [(0, 3, 4)],
    [(4, 1), (2, 3)],
    [Block.at_least(1, 2, 4), (0, 3)],
    [(0, 1, 2, 3, 4)],
]


def brute_force(
    queries: QueryClass,
    chosen: list[Parts],
    weights: np.ndarray,
    groups: list[tuple[int, ...] | Block],
    costs: np.ndarray,
) -> tuple[tuple[int, ...], int]:
    """The first record of least value, one by one."""
    best: tuple[int, tuple[int, ...]] | None = None
    blocks = [group if isinstance(group, Block) else Block.one_hot(*group) for group in groups]
    for record in product((0, 1), repeat=queries.dimension):
        if any(tuple(record[c] for c in block.columns) not in block.patterns for block in blocks):
            continue
        value = sum(c for c, bit in zip(costs.tolist(), record, strict=True) if bit)
        row = np.array([record], dtype=np.uint8)
        value += sum(w for w, parts in zip(weights.tolist(), chosen, strict=True) if queries.evaluate(parts, row)[0])
        if best is None or value < best[0]:
            best = (value, record)
    assert best is not None
    return best[1], best[0]


def random_queries(rng: np.random.Generator, everything: list[Parts], count: int) -> list[Parts]:
    return [everything[int(i)] for i in rng.integers(0, len(everything), count)]


@pytest.mark.parametrize("groups", GROUPS, ids=range(len(GROUPS)))
@pytest.mark.parametrize("queries", CLASSES, ids=lambda c: c.kind)
def test_agrees_with_all_records(queries: QueryClass, groups: list[tuple[int, ...] | Block]) -> None:
    rng = np.random.default_rng([len(groups), queries.dimension, queries.size])
    everything = list(queries.all_parts())
    for index in range(16):
        chosen = random_queries(rng, everything, int(rng.integers(0, 9)))
        scale = (1 << 62) // 40 if index % 4 == 0 else 1
        weights = rng.integers(-2, 3, len(chosen)) * scale
        costs = rng.integers(-1, 2, queries.dimension) * (index % 3 > 0) * scale
        found = solve_dual(queries, chosen, weights, groups=groups, costs=costs)
        assert isinstance(found, BestRecord)
        assert (found.record, found.value) == brute_force(queries, chosen, weights, groups, costs)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.data())
def test_any_small_problem(data: st.DataObject) -> None:
    queries = data.draw(st.sampled_from(CLASSES))
    everything = list(queries.all_parts())
    chosen = data.draw(st.lists(st.sampled_from(everything), max_size=10))
    weights = np.array(
        data.draw(st.lists(st.integers(-4, 4), min_size=len(chosen), max_size=len(chosen))), dtype=np.int64
    )
    d = queries.dimension
    costs = np.array(data.draw(st.lists(st.integers(-4, 4), min_size=d, max_size=d)), dtype=np.int64)
    groups = data.draw(st.sampled_from(GROUPS))
    found = solve_dual(queries, chosen, weights, groups=groups, costs=costs)
    assert isinstance(found, BestRecord)
    assert (found.record, found.value) == brute_force(queries, chosen, weights, groups, costs)


def test_many_columns_in_groups() -> None:
    """Seven attributes of one to seven values, against the value of every combination."""
    rng = np.random.default_rng(4)
    starts = np.cumsum([0, *range(1, 8)])
    groups = [tuple(range(a, b)) for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
    queries = Conjunctions(literals(28), max_width=3)
    chosen = [tuple(sorted(int(rng.choice(groups[g])) for g in rng.choice(7, 3, replace=False))) for _ in range(60)]
    weights = rng.integers(-3, 4, 60)
    found = solve_dual(queries, chosen, weights, groups=groups)
    assert isinstance(found, BestRecord)
    rows = np.zeros((5040, 28), dtype=np.uint8)
    for row, ones in zip(rows, product(*groups), strict=True):
        row[list(ones)] = 1
    values = sum(w * queries.evaluate(parts, rows).astype(int) for w, parts in zip(weights, chosen, strict=True))
    ties = [tuple(row) for row in rows[values == values.min()].tolist()]
    assert (found.value, found.record) == (values.min(), min(ties))


def test_a_work_limit_fails_in_the_same_place_every_time() -> None:
    rng = np.random.default_rng(3)
    queries = Conjunctions(literals(12), max_width=3)
    chosen = random_queries(rng, list(queries.all_parts()), 60)
    weights = rng.integers(-3, 4, 60)
    found = solve_dual(queries, chosen, weights)
    assert isinstance(found, BestRecord)
    work = found.certificate.work
    assert solve_dual(queries, chosen, weights, work_limit=work) == found
    assert solve_dual(queries, chosen, weights, work_limit=work - 1) == Failed("work limit reached")


def test_mistakes_are_named() -> None:
    queries = Conjunctions(literals(3))
    with pytest.raises(ParameterError, match="one entry per query"):
        solve_dual(queries, [(0,)], np.array([1, 2]))
    with pytest.raises(ParameterError, match="one entry per column"):
        solve_dual(queries, [(0,)], np.array([1]), costs=np.array([1]))
    with pytest.raises(ParameterError, match="disjoint"):
        solve_dual(queries, [(0,)], np.array([1]), groups=[(0, 1), (1, 2)])
    with pytest.raises(ParameterError, match="not a query"):
        solve_dual(queries, [(7,)], np.array([1]))
    with pytest.raises(ParameterError, match="points on literals"):
        solve_dual(DecisionLists(literals(3)), [(0, 7)], np.array([1]))
    with pytest.raises(ParameterError, match="one bit"):
        Block((0, 1), ((0, 2),))
    with pytest.raises(ParameterError, match="increasing"):
        Block((1, 0), ((0, 1),))
    with pytest.raises(CapacityError):
        solve_dual(queries, [(0,), (1,)], np.array([1 << 61, 1 << 61]))
