"""Names, numbers and refusals of the query classes, one by one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from oracledp.classes import (
    Conjunctions,
    DecisionLists,
    Disjunctions,
    Halfspaces,
    Parities,
    ReadOnceFormulas,
    ZeroOneLoss,
    class_from_json,
    query_from_json,
)
from oracledp.classes.separation import all_records, separating_rows
from oracledp.classes.subsets import minimum_distance
from oracledp.data.literals import Literal, Literals
from oracledp.errors import CapacityError, ModelError, ParameterError

AB, ABC = Literals.named("a", "b"), Literals.named("a", "b", "c")
NONE = Literals(())


@pytest.mark.parametrize(
    "make",
    [
        lambda: Conjunctions(NONE),
        lambda: Disjunctions(AB, max_width=-1),
        lambda: Parities(AB, max_width=True),
        lambda: Parities(AB, max_width=1.5),  # type: ignore[arg-type]
        lambda: Parities(AB, code=()),
        lambda: Parities(AB, code=((1, 0, 1),)),
        lambda: Parities(AB, code=((1, 2),)),
        lambda: Parities(AB, code=((1, 0),)),
        lambda: Halfspaces(NONE),
        lambda: Halfspaces(AB, weights=()),
        lambda: Halfspaces(AB, weights=(1, 1)),
        lambda: Halfspaces(AB, thresholds=()),
        lambda: Halfspaces(AB, weights=(-1, 1), max_nonzero=1),
        lambda: Halfspaces(AB, max_nonzero=-1),
        lambda: Halfspaces(AB, weights=(0, 1 << 61)),
        lambda: Halfspaces(AB, weights=(Fraction(1, (1 << 40) + 1), Fraction(1, (1 << 40) - 1))),
        lambda: DecisionLists(NONE),
        lambda: DecisionLists(AB, length=-1),
        lambda: DecisionLists(AB, width=0),
        lambda: ReadOnceFormulas(AB, gate="xor"),
        lambda: ReadOnceFormulas(AB, depth=-1),
        lambda: ReadOnceFormulas(NONE),
        lambda: Literals.named("a", "a"),
    ],
)
def test_bad_parameters_are_refused(make: Any) -> None:
    with pytest.raises(ParameterError):
        make()


def test_rules_are_printed_with_the_user_s_names() -> None:
    names = Literals((Literal("age", ">=", 40), Literal("education", "=", "Masters"))).with_negations()
    assert str(Conjunctions(names).query(0, 3)) == "(age >= 40) and (education != Masters)"
    assert str(Disjunctions(names).query(1, 2)) == "(education = Masters) or (age < 40)"
    assert str(Parities(names).closure().query(0, 1, 5)) == "not ((age >= 40) xor (education = Masters))"
    assert str(Conjunctions(names).query()) == "always"
    assert str(Disjunctions(names).query()) == "never"
    card = Halfspaces(names, weights=(-2, 0, 1), max_nonzero=2, thresholds=(Fraction(1, 2), 1))
    assert str(card.query(0, 3, 8)) == "-2·(age >= 40) +1·(education = Masters) >= 1/2"
    loss = ZeroOneLoss.of(DecisionLists(names, length=1), Literal("sick", "is", "true"))
    assert str(loss.query(1, 9)) == "predict sick when if age >= 40 then 1; else 0"


def test_sizes() -> None:
    many = Literals.named(*(f"x{i}" for i in range(71)))
    assert Conjunctions(many, max_width=3).size == 59_712
    assert Parities(many).size == 2**71
    assert Halfspaces(many, weights=(-1, 0, 1)).size == 3**71
    assert Halfspaces(many, weights=(-2, -1, 0, 1, 2), max_nonzero=2).size == 1 + 71 * 4 + 71 * 70 // 2 * 16
    assert DecisionLists(many, length=3).size == 143**3 * 2
    assert Conjunctions(many, max_width=3).hot == 3
    assert DecisionLists(many, length=3).hot == 4
    assert Halfspaces(many, max_nonzero=4, thresholds=(0, 1)).hot == 5


def test_only_queries_of_the_class_can_be_made() -> None:
    with pytest.raises(ModelError, match="are not a query"):
        Conjunctions(ABC, max_width=1).query(0, 1)
    assert Conjunctions(ABC).query(2, 0).parts == (0, 2)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "conjunctions"},
        {"kind": "spirals", "literals": []},
        {"kind": "conjunctions", "literals": [["a"]]},
        {"kind": "conjunctions", "literals": [["a", "is", "true"]], "max_width": "two"},
        {"kind": "conjunctions", "literals": [["a", "is", "true"]], "colour": 1},
        {"kind": "halfspaces", "literals": [["a", "is", "true"]], "weights": ["x"]},
        {"kind": "signed", "literals": []},
    ],
)
def test_broken_json_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises((ModelError, ParameterError)):
        class_from_json(data)


@pytest.mark.parametrize("data", [{}, {"class": {}}, {"class": Conjunctions(AB).to_json(), "parts": [7]}])
def test_broken_queries_are_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ModelError):
        query_from_json(data)


def test_the_margin_of_a_code_is_its_minimum_distance() -> None:
    triangle = ((1, 0), (0, 1), (1, 1))
    assert Parities(AB, code=triangle).separator().margin == minimum_distance(triangle) == 2
    with pytest.raises(CapacityError):
        minimum_distance((tuple([1] * 21),))


@pytest.mark.parametrize(
    ("weights", "cuts"),
    [
        ((-1, 1), [1]),
        ((-1, 0), [-1]),
        ((-2, -1), [Fraction(-1, 2)]),
        ((1, 2), [Fraction(1, 2)]),
        ((0, 3), [Fraction(1, 3)]),
    ],
)
def test_halfspace_cuts_of_every_sign(weights: tuple[int, ...], cuts: list[Fraction]) -> None:
    elements = Halfspaces(Literals.named("a"), weights=weights).separator().elements
    assert [element[0] for element in elements] == cuts


def test_halfspaces_keep_thresholds_other_than_one_apart_from_their_elements() -> None:
    """With threshold 2 the element 1 would be passed by no weight of {-1, 0, 1}: it needs the intercept coordinate."""
    queries = Halfspaces(AB, weights=(-1, 0, 1), thresholds=(2,))
    rows = queries.separator().records
    assert rows.shape == (4, 3)
    assert len({queries.evaluate(parts, rows).tobytes() for parts in queries.all_parts()}) == 9


def test_formulas() -> None:
    majority = ReadOnceFormulas(Literals.named(*"abcd"))
    assert [str(query) for query in majority][4:6] == ["majority(a, b, c)", "majority(a, b, d)"]
    assert majority.levels == 2


def test_too_many_formulas_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracledp.classes.formulas.MOST_FORMULAS", 500)
    with pytest.raises(CapacityError, match="more than 500 formulas"):
        list(ReadOnceFormulas(Literals.named(*"abcdefghijkl"), gate="nand"))


def test_separating_rows_stop_when_all_columns_differ() -> None:
    table = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 1]], dtype=bool)
    assert separating_rows(table) == [0, 2]


def test_all_records_of_many_literals_are_refused() -> None:
    with pytest.raises(CapacityError):
        all_records(13)


def test_lists_without_rules_cannot_tell_records_apart() -> None:
    with pytest.raises(ParameterError):
        DecisionLists(AB, length=0).dual_separator()
