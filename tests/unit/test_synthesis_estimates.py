"""Estimates behind intervals: unbiased, with the stated variance, and better than any single measurement."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oracledp.classes import Conjunctions
from oracledp.data.literals import Literal, Literals
from oracledp.data.output.conditions import allowed_codes, parse_conditions
from oracledp.data.schema import Schema
from oracledp.privacy.gaussian_accounting import GaussianBudget
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis.answers import answer_conjunction
from oracledp.synthesis.estimates import part_estimate, query_estimate
from oracledp.synthesis.layout import Layout
from oracledp.synthesis.measurements import Meter, Records
from oracledp.synthesis.mixture import Mixture
from oracledp.synthesis.model import SyntheticModel
from oracledp.synthesis.program import measure_workload
from oracledp.synthesis.workload import Workload

SCHEMA = Schema(
    {
        "age": {"kind": "integer", "lo": 0, "hi": 63},
        "a": {"kind": "boolean"},
        "b": {"kind": "boolean"},
        "c": {"kind": "boolean"},
        "d": {"kind": "boolean"},
    }
)
ROWS = 4000
RUNS = 150


def codes() -> np.ndarray:
    rng = np.random.default_rng(0)
    age = rng.integers(0, 64, ROWS)
    return np.stack([age, *((rng.random(ROWS) < 0.2 + 0.01 * age).astype(np.int64) for _ in range(4))], axis=1)


CODES = codes()


def released(seed: int, workload: object) -> SyntheticModel:
    """What a fit would release, without fitting: intervals never look at the model."""
    unique, counts = np.unique(CODES, axis=0, return_counts=True)
    records = Records(unique, counts, SCHEMA.sizes, (True, False, False, False, False), (False,) * 5)
    meter = Meter(records, GaussianBudget(Fraction(1, 4)), Neighbours.ADD_REMOVE, SeededRandomness(seed))
    found = measure_workload(meter, Workload.parse(workload, SCHEMA), SCHEMA, np.random.default_rng(seed))
    layout = Layout(found.bins)
    parts = np.concatenate([np.full((1, m), 1 / m) for m in layout.sizes], axis=1)
    guarantee = Guarantee(epsilon=1, delta="1e-6", neighbours=Neighbours.ADD_REMOVE, proof="measured-synthesis")
    return SyntheticModel(
        SCHEMA,
        guarantee,
        found.total,
        found.marginals,
        Mixture(layout, np.ones(1), parts),
        found.tables,
        found.features,
        found.parities,
        found.queries,
    )


QUERIES = (["age >= 13"], ["age >= 20", "age < 40"], ["a"], ["a", "not b"], ["a", "b", "not c"], ["age >= 32", "d"])
OWN = ["age >= 17", "a", "b", "c", "d"]


def truth(query: list[str]) -> float:
    allowed = allowed_codes(parse_conditions(query, SCHEMA), SCHEMA)
    return float(np.all([allowed[c][CODES[:, c]] for c in range(5)], axis=0).mean())


@pytest.mark.parametrize("workload", ["marginals:3", "ranges"])
def test_estimates_are_unbiased_with_the_stated_variance(workload: str) -> None:
    """Standardised errors of 150 seeded runs have mean near 0 and variance near 1."""
    models = [released(seed, workload) for seed in range(RUNS)]
    resolved = 0
    for query in QUERIES:
        allowed = allowed_codes(parse_conditions(query, SCHEMA), SCHEMA)
        part = tuple(sorted({SCHEMA.position(literal.column) for literal in parse_conditions(query, SCHEMA)}))
        found = [estimate for model in models if (estimate := part_estimate(model, part, allowed)) is not None]
        if len(found) < RUNS:
            continue
        resolved += 1
        errors = np.array([(mean - truth(query)) / deviation for mean, deviation in found])
        assert abs(errors.mean()) < 0.45
        assert 0.6 < errors.var() < 1.5
    assert resolved >= 5


def test_a_query_of_the_workload_has_a_narrow_interval() -> None:
    plain, own = released(3, "marginals:3"), released(3, {"marginals:3": 4, tuple(OWN): 1})
    allowed = allowed_codes(parse_conditions(OWN, SCHEMA), SCHEMA)
    assert query_estimate(plain, range(5), allowed) is None
    estimate = query_estimate(own, range(5), allowed)
    assert estimate is not None
    assert abs(estimate[0] - truth(OWN)) < 5 * estimate[1]
    wide, narrow = (answer_conjunction(model, OWN, 0.95) for model in (plain, own))
    assert narrow.high - narrow.low < 0.5 * (wide.high - wide.low)
    assert narrow.low <= truth(OWN) <= narrow.high


def test_other_queries_over_the_same_columns_are_not_mistaken_for_it() -> None:
    own = released(3, {"marginals:3": 4, tuple(OWN): 1})
    other = ["age >= 18", "a", "b", "c", "d"]
    assert query_estimate(own, range(5), allowed_codes(parse_conditions(other, SCHEMA), SCHEMA)) is None


def test_levels_narrow_the_intervals_of_ranges() -> None:
    models = {workload: released(4, workload) for workload in ("marginals:2", "ranges")}
    widths = {}
    for name, model in models.items():
        found = [answer_conjunction(model, [f"age >= {low}", f"age < {low + 30}"], 0.95) for low in (5, 11, 17, 23)]
        widths[name] = float(np.mean([answer.high - answer.low for answer in found]))
    assert widths["ranges"] < widths["marginals:2"]


def test_negated_counts_of_a_query_serve_it_too() -> None:
    rules = Conjunctions(
        Literals((Literal.boolean("a"), Literal.boolean("b"), Literal.boolean("c"), Literal.boolean("d")))
    )
    negated = rules.closure().query(0, 1, 2, 3, rules.part_count + 1)
    model = released(5, [negated])
    query = ["a", "b", "c", "d"]
    estimate = query_estimate(model, (1, 2, 3, 4), allowed_codes(parse_conditions(query, SCHEMA), SCHEMA))
    assert estimate is not None
    assert abs(estimate[0] - truth(query)) < 5 * estimate[1]
