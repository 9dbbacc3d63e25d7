"""Workloads: what users may write, what it means, and what they are told when it means nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from oracledp.classes import Conjunctions, Halfspaces, Parities
from oracledp.data.literals import Literal, Literals
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.synthesis import Synthesizer
from oracledp.synthesis.program import budget_shares, rounds
from oracledp.synthesis.searched import NamedClass
from oracledp.synthesis.workload import Workload

SCHEMA = Schema(
    {
        "age": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [20, 40, 60]},
        "job": {"kind": "categorical", "values": ["farm", "shop and bar"]},
        "member": {"kind": "boolean"},
    }
)
LITERALS = SCHEMA.literals


def parse(given: Any) -> Workload:
    return Workload.parse(given, SCHEMA)


@pytest.mark.parametrize(("name", "order"), [("marginals:1", 2), ("marginals:2", 2), ("marginals:3", 3)])
def test_marginals(name: str, order: int) -> None:
    assert parse(name) == Workload(order, Fraction(1))


def test_classes_by_name_stand_on_all_marginals() -> None:
    found = parse("conjunctions:6")
    assert (found.order, found.marginals, found.classes[0].searched) == (3, 1, NamedClass("conjunctions", 6))
    assert parse("halfspaces").classes[0].searched == NamedClass("halfspaces", 3)


def test_a_list_of_conditions_queries_and_classes() -> None:
    rules = Conjunctions(LITERALS, max_width=2)
    query = Parities(Literals((Literal.boolean("member"), Literal("age", ">=", 20)))).query(0, 1)
    found = parse(["member", ["age >= 40", "not member"], "age < 20 and job = farm", query, rules])
    assert [str(counted.query) for counted, _ in found.queries] == [
        "member",
        "(age >= 40) and (not member)",
        "(age < 20) and (job = farm)",
        "member xor (age >= 20)",
    ]
    assert found.classes[0].searched is rules


def test_a_condition_may_hold_the_word_and() -> None:
    assert [str(q.query) for q, _ in parse("job = shop and bar").queries] == ["job = shop and bar"]


def test_weights_as_mapping_and_as_pairs() -> None:
    for given in (
        {"marginals:2": 3, ("member", "age >= 20"): 0.5},
        [("marginals:2", 3), (("member", "age >= 20"), 0.5)],
    ):
        found = parse(given)
        assert (found.marginals, [weight for _, weight in found.queries]) == (3, [Fraction(1, 2)])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("marginals:4", "from 1 to 3"),
        ("marginals", "from 1 to 3"),
        ("conjunctions:0", "positive integer"),
        ("conjunctions:two", "positive integer"),
        ("ranges:2", "no number"),
        ("everything", "no column 'everything'.*marginals"),
        ({"marginals:3": 0}, "weight"),
        ({"marginals:3": "much"}, "weight"),
        ([], "empty"),
        (7, "a workload is"),
        ([7], "may hold"),
        (Parities(Literals.named(*(f"x{i}" for i in range(40)))), "cannot search"),
        (Conjunctions(Literals.named("height")), "no column 'height'"),
        (Halfspaces(LITERALS, weights=(0, 10**9), max_nonzero=2), "cannot search"),
        ([Halfspaces(LITERALS, weights=(0, 10**9), max_nonzero=2).query(0)], "add up to at most"),
        ([["member", "height > 2"]], "no column 'height'"),
    ],
)
def test_errors_name_what_is_wrong(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Synthesizer(SCHEMA, epsilon=1, delta="1e-6", workload=given)


def test_ranges_need_an_ordered_column() -> None:
    with pytest.raises(ParameterError, match="no ordered column"):
        Workload.parse("ranges", Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}}))


def test_shares_of_the_budget_add_up() -> None:
    assert budget_shares(parse("marginals:3")) == (1.0, 0.0, 0.0, 0.0)
    for given in ("halfspaces", "ranges", ["member"], {"marginals:2": 1, "ranges": 2, "member": 3, "parities": 4}):
        shares = budget_shares(parse(given))
        assert sum(shares) == pytest.approx(1)
        assert min(shares) >= 0
        assert shares[0] > 0.15


def test_larger_classes_are_searched_in_fewer_rounds() -> None:
    small, large = (Halfspaces(LITERALS, max_nonzero=k) for k in (1, 3))
    assert rounds(small, 30, 0.2) >= rounds(large, 30, 0.2) >= 2
