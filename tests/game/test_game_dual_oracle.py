"""The data player's oracle against the exact search over records: every class, boolean and mixed schemas."""

import numpy as np
import pytest

import oracledp as odp
from oracledp.classes.base import QueryClass
from oracledp.classes.linked import LinkedQueries, PastQueries
from oracledp.game.data_player import descend
from oracledp.oracles.dual_search import BestRecord, Block, solve_dual

BOOLEAN = odp.Schema({"columns": {f"c{j}": {"kind": "boolean"} for j in range(8)}})
MIXED = odp.Schema(
    {
        "columns": {
            "a": {"kind": "boolean"},
            "b": {"kind": "boolean"},
            "size": {"kind": "categorical", "values": ["s", "m", "l"], "nullable": True},
            "age": {"kind": "integer", "lo": 0, "hi": 7, "thresholds": [2, 5]},
            "place": {"kind": "categorical", "values": ["x", "y", "z", "w"]},
        }
    }
)


def classes(schema: odp.Schema) -> list[QueryClass]:
    both = schema.literals.with_negations()
    return [
        odp.Conjunctions(both, max_width=3),
        odp.Disjunctions(both, max_width=3),
        odp.Parities(schema.literals, max_width=3),
        odp.Halfspaces(schema.literals, max_nonzero=3, thresholds=(0, 1, 2)),
    ]


def blocks(queries: QueryClass, schema: odp.Schema) -> list[Block]:
    """The literals of each column with the patterns that its codes give."""
    found = []
    for column in schema.columns:
        mine = [j for j, literal in enumerate(queries.literals) if literal.column == column.name]
        patterns = np.array([column.holds(queries.literals[j]) for j in mine]).T
        found.append(Block(tuple(mine), tuple(tuple(int(bit) for bit in row) for row in patterns)))
    return found


CASES = [(schema, queries) for schema in (BOOLEAN, MIXED) for queries in classes(schema)]


@pytest.mark.parametrize(("schema", "queries"), CASES, ids=[f"{q.kind}-{len(s.columns)}" for s, q in CASES])
def test_descent_finds_what_the_exact_search_proves(schema: odp.Schema, queries: QueryClass) -> None:
    rng = np.random.default_rng(1)
    closed = queries.closure()
    everything = list(closed.all_parts())
    for _ in range(5):
        chosen = [everything[i] for i in rng.integers(0, len(everything), 25)]
        exact = solve_dual(closed, chosen, np.full(25, -1, dtype=np.int64), groups=blocks(closed, schema))
        assert isinstance(exact, BestRecord)
        linked = LinkedQueries.of(chosen, closed, schema)
        starts = np.stack([rng.integers(0, size, 200) for size in schema.sizes], axis=1)
        free = [np.zeros((200, size), dtype=np.float32) for size in schema.sizes]
        reached = linked.values(descend(starts, free, linked, sweeps=8, rng=rng)).sum(axis=1)
        assert reached.max() == -exact.value
        assert reached.mean() > linked.values(starts).sum(axis=1).mean()


@pytest.mark.parametrize(("schema", "queries"), CASES, ids=[f"{q.kind}-{len(s.columns)}" for s, q in CASES])
def test_gains_are_differences_of_losses(schema: odp.Schema, queries: QueryClass) -> None:
    """What a column's codes gain is what re-evaluating every query says, up to a constant per record."""
    rng = np.random.default_rng(2)
    closed = queries.closure()
    everything = list(closed.all_parts())
    linked = LinkedQueries.of([everything[i] for i in rng.integers(0, len(everything), 30)], closed, schema)
    codes = np.stack([rng.integers(0, size, 20) for size in schema.sizes], axis=1)
    for column, size in enumerate(schema.sizes):
        gains = linked.gains(column, linked.totals(codes), codes)
        direct = np.empty_like(gains)
        for code in range(size):
            changed = codes.copy()
            changed[:, column] = code
            direct[:, code] = linked.values(changed).sum(axis=1)
        assert np.allclose(gains - gains[:, :1], direct - direct[:, :1], atol=1e-4)


def test_equal_queries_are_merged_and_opposites_cancel() -> None:
    closed = odp.Conjunctions(BOOLEAN.literals, max_width=2).closure()
    past = PastQueries(closed, BOOLEAN)
    assert past.linked(10) is None
    for parts in ((0, 1, 8), (0, 1, 8), (2, 8), (2, 9)):
        past.add(parts)
    plain = past.linked(0)
    assert plain is not None
    assert plain.weights.tolist() == [2.0]
    hopeful = past.linked(10)
    assert hopeful is not None
    assert sorted(hopeful.weights.tolist()) == [-10.0, 2.0]
