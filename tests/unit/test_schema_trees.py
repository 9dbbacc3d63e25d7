"""Public trees over categories: their groups are runs of codes, literals of rules, and neighbours for bins."""

import numpy as np
import pytest

import oracledp as odp
from oracledp.errors import SchemaError
from oracledp.randomness.source import SeededRandomness

CODES = ["I21", "I22", "J45", "E10", "E11", "I50"]
TOWNS = {"South": {"Bavaria": ["Munich", "Hof"], "Hesse": ["Kassel"]}, "North": ["Kiel", "Emden"]}


def icd(**more: object) -> odp.Schema:
    return odp.Schema({"icd": {"kind": "categorical", "values": CODES, "hierarchy": "prefix 1, 2", **more}})


def test_prefixes_make_groups_of_neighbours() -> None:
    column = icd(other="none")["icd"]
    assert column.labels == ("E10", "E11", "I21", "I22", "I50", "J45", "none")
    groups = [str(literal) for literal in column.literals[7:]]
    assert groups == ["icd = E*", "icd = I*", "icd = I2*"]  # E1* is E*, and J* has one value
    assert column.holds(column.literals[8]).tolist() == [0, 0, 1, 1, 1, 0, 0]
    schema = icd(missing="?")
    assert odp.Schema(schema.to_json()) == schema
    assert schema["icd"].holds(schema.literal("icd != I*")).tolist() == [1, 1, 0, 0, 0, 1, 1]


def test_a_tree_by_name_may_be_the_list_of_values() -> None:
    schema = odp.Schema({"town": {"kind": "categorical", "hierarchy": TOWNS}})
    column = schema["town"]
    assert column.labels == ("Munich", "Hof", "Kassel", "Kiel", "Emden")
    held = {str(literal): column.holds(literal).tolist() for literal in column.literals[5:]}
    assert held["town = South"] == [1, 1, 1, 0, 0]
    assert held["town = Bavaria"] == [1, 1, 0, 0, 0]
    assert odp.Schema(schema.to_json()) == schema
    table = odp.Table.from_columns({"town": ["Hof", "Kiel", "Kiel"]}, schema, strict=True)
    assert table.matrix([schema.literal("town = North")]).ravel().tolist() == [0, 1]


def test_rules_and_conditions_speak_of_groups() -> None:
    schema = odp.Schema({"town": {"kind": "categorical", "hierarchy": TOWNS}, "sick": "boolean"})
    towns = ["Munich", "Hof", "Kassel", "Kiel", "Emden"] * 200
    rows = {"town": towns, "sick": [town in ("Kiel", "Emden") for town in towns]}
    table = odp.Table.from_columns(rows, schema)
    model = odp.Synthesizer(schema, epsilon=5, delta="1e-6").fit(table, source=SeededRandomness(1))
    made = model.sample(50, seed=1, where="town = North")
    assert set(made["town"]) == {"Kiel", "Emden"}
    assert made["sick"].mean() > 0.9
    found = model.answer(["town = South", "sick"])
    assert found.value < 0.05
    assert np.isclose(model.answer("town = North").value, 0.4, atol=0.05)


@pytest.mark.parametrize(
    ("column", "word"),
    [
        ({"values": CODES, "hierarchy": "prefix"}, "prefix 1, 3"),
        ({"values": CODES, "hierarchy": "prefix 3, 1"}, "increase"),
        ({"values": CODES, "hierarchy": "prefix 0"}, "greater than 0"),
        ({"hierarchy": "prefix 1"}, "prefix 1, 3"),
        ({"values": [1, 2], "hierarchy": "prefix 1"}, "needs values that are texts"),
        ({"values": ["Hof"], "hierarchy": TOWNS}, "but not in both"),
        ({"hierarchy": {"A": ["x", "x"]}}, "twice"),
        ({"hierarchy": {"A": {"B": ["x"]}, "C": {"B": ["y"]}}}, "the group 'B' stands in it twice"),
        ({"hierarchy": {"A": []}}, "is empty"),
        ({"hierarchy": {"A": "x"}}, "must hold a list"),
        ({"hierarchy": {"A": ["x", "A"]}}, "the name of a group and of a value"),
        ({"hierarchy": {"A": ["x", "y"]}, "other": "A"}, "the name of a group and of a value"),
        ({"hierarchy": {1: ["x", "y"]}}, "must be a text"),
        ({"hierarchy": []}, "must be 'prefix 1, 3'"),
        ({"hierarchy": TOWNS, "ordered": True}, "an order of its own"),
    ],
)
def test_odd_trees_are_refused_by_column_and_key(column: dict[str, object], word: str) -> None:
    with pytest.raises(SchemaError, match=f"column 'c', key 'hierarchy|ordered': .*{word}"):
        odp.Schema({"c": {"kind": "categorical", **column}})
