"""Single queries in the synthesizer: tables that agree with the query, exact counts, gradients, selection, rounds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from oracledp.classes import Conjunctions, Disjunctions, Halfspaces, Parities, Query, QueryClass, ZeroOneLoss
from oracledp.data.literals import Literal, Literals
from oracledp.data.schema import Schema
from oracledp.errors import BudgetExceeded
from oracledp.privacy.gaussian_accounting import GaussianBudget
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis.bins import Integers, nested_bins
from oracledp.synthesis.counted import CountedQuery
from oracledp.synthesis.fitting import Fit, Pull
from oracledp.synthesis.hierarchy import combined_counts
from oracledp.synthesis.layout import Layout
from oracledp.synthesis.literal_choice import chosen_literals
from oracledp.synthesis.measurements import Meter, NoisyQueries, Records
from oracledp.synthesis.program import measure_workload
from oracledp.synthesis.query_terms import query_terms
from oracledp.synthesis.searched import NamedClass, concrete
from oracledp.synthesis.terms import State
from oracledp.synthesis.workload import Workload

SCHEMA = Schema(
    {
        "age": {"kind": "integer", "lo": 0, "hi": 5},
        "job": {"kind": "categorical", "values": ["none", "farm", "shop"]},
        "member": {"kind": "boolean", "nullable": True},
    }
)
LITERALS = Literals(
    (Literal("age", ">=", 2), Literal("age", "<", 4), Literal("job", "=", "farm"), Literal.boolean("member"))
)
DOMAIN = np.array(list(product(range(6), range(3), range(3))))
CLASSES: tuple[QueryClass, ...] = (
    Conjunctions(LITERALS),
    Disjunctions(LITERALS),
    Parities(LITERALS),
    Halfspaces(LITERALS, max_nonzero=3, thresholds=(0, 1, 2)),
    Halfspaces(LITERALS, weights=(Fraction(-1, 2), 0, 2), thresholds=(1,)),
    ZeroOneLoss.of(Halfspaces(LITERALS[:3], max_nonzero=2, thresholds=(0, 1)), LITERALS[3]),
    Conjunctions(LITERALS, max_width=2).closure(),
)


class Silent(Meter):
    """A meter that charges and draws as it should, and forgets its noise."""

    def _noisy(self, counts: Integers, squared_sensitivity: int, rho: Fraction) -> tuple[Integers, Fraction]:
        _, variance = super()._noisy(counts, squared_sensitivity, rho)
        assert variance > 0
        return counts, variance


def records(codes: Integers) -> Records:
    unique, counts = np.unique(codes, axis=0, return_counts=True)
    return Records(unique, counts, (6, 3, 3), (True, False, False), (False, False, True))


def meter(codes: Integers, neighbours: Neighbours = Neighbours.ADD_REMOVE, rho: Fraction = Fraction(100)) -> Meter:
    return Silent(records(codes), GaussianBudget(rho), neighbours, SeededRandomness(1))


def random_codes(seed: int, rows: int) -> Integers:
    rng = np.random.default_rng(seed)
    return DOMAIN[rng.choice(len(DOMAIN), rows, p=rng.dirichlet(np.full(len(DOMAIN), 0.3)))]


@pytest.mark.parametrize("queries", CLASSES, ids=lambda q: f"{q.kind}-{q.size}")
def test_tables_agree_with_the_query_on_the_whole_domain(queries: QueryClass) -> None:
    matrix = SCHEMA.literal_values(queries.literals, DOMAIN.astype(np.uint8))
    for query in queries:
        counted = CountedQuery.of(query, SCHEMA)
        assert np.array_equal(counted.values(DOMAIN), query(matrix))
        form = counted.product()
        if form is not None:
            factors = [f[DOMAIN[:, c]] for c, f in zip(counted.columns, form[2], strict=True)]
            assert np.allclose(form[0] + form[1] * np.prod([np.ones(len(DOMAIN)), *factors], axis=0), query(matrix))


def test_every_subset_class_has_a_product_form() -> None:
    for queries in CLASSES[:3]:
        assert all(CountedQuery.of(query, SCHEMA).product() is not None for query in queries)


def counted_queries() -> list[CountedQuery]:
    chosen = [list(queries)[-2] for queries in CLASSES]
    return [CountedQuery.of(query, SCHEMA) for query in chosen]


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_signed_counts_are_exact_and_so_is_their_sensitivity(neighbours: Neighbours) -> None:
    codes, queries = random_codes(0, 30), counted_queries()
    found = meter(codes, neighbours).queries(queries, Fraction(1, 2))
    assert found.values.tolist() == [int((2 * q.values(codes).astype(int) - 1).sum()) for q in queries]
    base = codes if neighbours is Neighbours.ADD_REMOVE else codes[1:]
    changes = [
        int(
            (
                (meter(np.vstack([base, row]), neighbours).queries(queries, Fraction(1, 2)).values - found.values) ** 2
            ).sum()
        )
        for row in DOMAIN
    ]
    assert max(changes) <= found.variance == len(queries) * neighbours.comparison_sensitivity**2
    assert neighbours is not Neighbours.ADD_REMOVE or min(changes) == found.variance


def test_gradients_match_differences() -> None:
    rng = np.random.default_rng(3)
    masses = [np.array([0.2, 0.1, 0.3, 0.2, 0.1, 0.1]), np.array([0.5, 0.3, 0.2]), np.array([0.3, 0.3, 0.4])]
    layout = Layout(tuple(nested_bins(m, o, [0.15]) for m, o in zip(masses, (True, False, False), strict=True)))
    queries = tuple(counted_queries())
    group = NoisyQueries(queries, np.array([3, -20, 40, 10, -7, 11, 30]), Fraction(9))
    terms = query_terms(layout, masses, [group], 50.0, 1.0)
    assert len(terms) == 4
    parts = np.concatenate([rng.dirichlet(np.ones(b.size), 5) for b in layout.bins], axis=1)
    weights = rng.dirichlet(np.ones(5))

    def loss(parts: np.ndarray, weights: np.ndarray) -> float:
        total = 0.0
        for query, value in zip(queries, group.values, strict=True):
            share = sum(
                w * np.prod([masses[c][x] / masses[c][layout.bins[c].fine == layout.bins[c].fine[x]].sum()
                             * row[layout.blocks()[c]][layout.bins[c].fine[x]] for c, x in enumerate(record)])
                for row, w in zip(parts, weights, strict=True) for record in DOMAIN[query.values(DOMAIN)]
            )  # fmt: skip
            total += 0.5 * (2 * share - 1 - value / 50) ** 2 * 2500 / 9
        return total

    state = State.at(parts.astype(np.float32), weights.astype(np.float32))
    for term in terms:
        term.add(state)
    direction, other = rng.standard_normal(parts.shape), rng.standard_normal(5)
    for block in layout.blocks():  # stay on the simplex, where the sums of a component are one
        direction[:, block] -= direction[:, block].mean(axis=1, keepdims=True)
    other -= other.mean()
    step = 1e-5
    by_parts = (loss(parts + step * direction, weights) - loss(parts - step * direction, weights)) / (2 * step)
    by_weights = (loss(parts, weights + step * other) - loss(parts, weights - step * other)) / (2 * step)
    assert (state.slope * weights[:, None] * direction).sum() == pytest.approx(by_parts, rel=1e-3)
    assert state.pull @ other == pytest.approx(by_weights, rel=1e-3)


def test_sharpening_doubles_what_is_missed_beyond_the_noise_and_nothing_else() -> None:
    rng = np.random.default_rng(7)
    gauge = Silent(
        records(random_codes(8, 500)), GaussianBudget(Fraction(1)), Neighbours.ADD_REMOVE, SeededRandomness(0)
    )
    measured = measure_workload(gauge, Workload.parse(["ranges", "member"], SCHEMA), SCHEMA, rng)
    measured = replace(measured, queries=(gauge_queries(),))
    fit = replace(Fit.of(measured, (6, 0, 0)).centred(), pull=Pull()).begun(5, rng)
    assert len(fit.terms) >= 6
    parts = np.concatenate([rng.dirichlet(np.ones(b.size), 5) for b in measured.bins], axis=1).astype(np.float32)
    weights = rng.dirichlet(np.ones(5)).astype(np.float32)
    for term in fit.terms:
        slopes = {}
        for errors in (None, 0.0, 1e9):
            state = State.at(parts, weights)
            (term if errors is None else term.sharpened(state, errors)).add(state)
            slopes[errors] = state.slope
        assert np.allclose(slopes[0.0], 2 * slopes[None], rtol=1e-3, atol=1e-5 * np.abs(slopes[None]).max())
        assert np.array_equal(slopes[1e9], slopes[None])


def gauge_queries() -> NoisyQueries:
    return NoisyQueries(tuple(counted_queries()), np.array([3, -20, 40, 10, -7, 11, 30]), Fraction(9))


@pytest.mark.parametrize("queries", [CLASSES[0], CLASSES[2], CLASSES[3], CLASSES[5]], ids=lambda q: q.kind)
def test_selection_finds_what_is_wrong_and_charges_for_it(queries: QueryClass) -> None:
    codes = random_codes(4, 3000)
    gauge = meter(codes, rho=Fraction(1))
    shuffled = np.stack([np.random.default_rng(c).permutation(codes[:, c]) for c in range(3)], axis=1)
    query = gauge.select(queries, SCHEMA, shuffled, 3000, Fraction(1, 2))
    assert gauge.spent == Fraction(1, 2)
    gaps = {q.parts: abs(_share(q, codes) - _share(q, shuffled)) for q in queries}
    assert gaps[query.parts[:-1]] >= max(gaps.values()) - 0.01
    with pytest.raises(BudgetExceeded):
        gauge.select(queries, SCHEMA, shuffled, 3000, Fraction(3, 5))


def _share(query: Query, codes: Integers) -> float:
    return float(query(SCHEMA.literal_values(query.owner.literals, codes.astype(np.uint8))).mean())


def test_literals_are_chosen_from_released_masses() -> None:
    masses = [np.array([0.3, 0.1, 0.1, 0.1, 0.1, 0.3]), np.array([0.005, 0.6, 0.395]), np.array([0.4, 0.5, 0.1])]
    names = [str(literal) for literal in chosen_literals(SCHEMA, masses, 3, negations=False)]
    assert names == ["age >= 1", "age >= 5", "job = farm", "job = shop", "member", "member is missing"]
    assert "age < 5" in [str(literal) for literal in chosen_literals(SCHEMA, masses, 3, negations=True)]


def test_all_but_constant_columns_still_have_literals() -> None:
    masses = [np.eye(6)[0], np.eye(3)[1], np.eye(3)[0]]
    assert len(chosen_literals(SCHEMA, masses, 4, negations=True)) == 3


@pytest.mark.parametrize("kind", ["conjunctions", "disjunctions", "parities", "halfspaces"])
def test_named_classes_become_searchable(kind: str) -> None:
    masses = [np.full(6, 1 / 6), np.full(3, 1 / 3), np.full(3, 1 / 3)]
    queries = concrete(NamedClass(kind, 3), SCHEMA, masses)
    assert queries.kind == kind
    assert 100 < queries.size < 20_000_000


@pytest.mark.parametrize("workload", ["conjunctions:3", {"halfspaces:2": 1, "parities:2": 1}, "ranges", ["member"]])
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_a_whole_run_spends_its_budget_and_no_more(workload: object, neighbours: Neighbours) -> None:
    codes = random_codes(5, 2000)
    gauge = Meter(records(codes), GaussianBudget(Fraction(1, 10)), neighbours, SeededRandomness(0))
    parsed = Workload.parse(workload, SCHEMA)
    measured = measure_workload(gauge, parsed, SCHEMA, np.random.default_rng(0))
    assert Fraction(9, 10) * gauge.rho <= gauge.spent <= gauge.rho
    wanted = 1 if parsed.queries else sum(2 for _ in parsed.classes)
    assert len(measured.queries) >= wanted


def test_counts_of_levels_are_combined_by_least_squares() -> None:
    rng = np.random.default_rng(6)
    first, second = np.array([0, 0, 1, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 0, 1, 1])
    values, (a, b) = rng.normal(10, 3, 7), (rng.normal(20, 3, 3), rng.normal(40, 3, 2))
    found, _ = combined_counts(values, 4.0, [(first, a, 2.0), (second, b, 1.0)])
    design = np.concatenate([np.eye(7), np.eye(3)[first].T, np.eye(2)[second].T])
    root = np.sqrt(np.concatenate([np.full(7, 1 / 4), np.full(3, 1 / 2), np.ones(2)]))
    expected = np.linalg.lstsq(design * root[:, None], np.concatenate([values, a, b]) * root, rcond=None)[0]
    assert np.allclose(found, expected)
