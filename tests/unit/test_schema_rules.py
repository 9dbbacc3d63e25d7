"""Literals as text, and the deny rules made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracledp.data.literals import Literal
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError, SchemaError

COLUMNS = {
    "age": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [25, 65], "nullable": True},
    "hours": {"kind": "numeric", "lo": 0, "hi": 1, "thresholds": [0.5]},
    "married": {"kind": "boolean"},
    "income>50K": {"kind": "boolean"},
    "income": {"kind": "categorical", "values": ["<=50K", ">50K"]},
    "house size": {"kind": "categorical", "values": [1, 2]},
}
SCHEMA = Schema(COLUMNS)


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("age >= 25", Literal("age", ">=", 25)),
        ("age>=25.0", Literal("age", ">=", 25)),
        ("  age  <  65 ", Literal("age", "<", 65)),
        ("not age >= 25", Literal("age", "<", 25)),
        ("age is missing", Literal.missing("age")),
        ("age is not missing", Literal.missing("age").negated()),
        ("hours >= .5", Literal("hours", ">=", 0.5)),
        ("married", Literal.boolean("married")),
        ("not married", Literal.boolean("married").negated()),
        ("married is true", Literal.boolean("married")),
        ("income>50K", Literal.boolean("income>50K")),
        ("income = >50K", Literal("income", "=", ">50K")),
        ("income=<=50K", Literal("income", "=", "<=50K")),
        ("income != >50K", Literal("income", "!=", ">50K")),
        ("house size = 2", Literal("house size", "=", 2)),
    ],
)
def test_texts_mean_literals(text: str, literal: Literal) -> None:
    assert SCHEMA.literal(text) == literal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("age >= 30", "thresholds of 'age' are 25, 65"),
        ("age <= 25", "thresholds of 'age'"),
        ("income = 50K", "the literals of 'income' are income = <=50K, income = >50K"),
    ],
)
def test_an_unknown_literal_is_refused_with_what_there_is(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=f"is not a literal of the schema.*{message}"):
        SCHEMA.literal(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("weight >= 3", "no column 'weight'; the columns are age, hours, married"),
        ("", "no column ''; the columns are"),
        ("agee >= 25", "no column 'agee'; did you mean 'age'"),
        ("not maried", "no column 'maried'; did you mean 'married'"),
    ],
)
def test_an_unknown_column_is_refused_with_what_was_meant(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        SCHEMA.literal(text)


def test_blanks_around_a_value_matter_only_where_values_differ_by_them() -> None:
    one = Schema({"x": {"kind": "categorical", "values": [" a", "b"]}})
    assert one.literal("x=a") == one.literal("x =  a") == Literal("x", "=", " a")
    two = Schema({"x": {"kind": "categorical", "values": [" a", "a"]}})
    assert two.literal("x = a") == Literal("x", "=", "a")
    assert two.literal("x =  a") == Literal("x", "=", " a")
    with pytest.raises(ParameterError, match="is not a literal"):
        two.literal("x=a")


def test_deny_rules_are_kept_and_mark_records() -> None:
    schema = Schema({"columns": COLUMNS, "deny": [["married", "age < 25"], ["hours >= 0.5", "income = >50K"]]})
    assert schema.deny[0] == (Literal.boolean("married"), Literal("age", "<", 25))
    codes = np.array([[0, 0, 1, 0, 0, 0], [1, 0, 1, 0, 0, 0], [1, 1, 0, 0, 1, 0], [3, 0, 1, 0, 0, 0]], dtype=np.uint8)
    assert schema.denied(codes).tolist() == [True, False, True, True]  # a missing age is not >= 25
    assert SCHEMA.denied(codes).tolist() == [False] * 4
    assert Schema(schema.to_json()) == schema


def test_a_rule_whose_text_would_be_misread_is_saved_in_parts() -> None:
    odd = {
        "a": {"kind": "categorical", "values": ["x", "y"]},
        "a = x": {"kind": "boolean"},
    }
    schema = Schema({"columns": odd, "deny": [[["a", "=", "x"], "a = x"]]})
    assert schema.deny == ((Literal("a", "=", "x"), Literal.boolean("a = x")),)
    assert Schema(schema.to_json()) == schema


@pytest.mark.parametrize(
    ("deny", "message"),
    [
        ("married", "must be a list of rules"),
        (["married"], "rule 1: must be a list of literals"),
        ([["married"], []], "rule 2: must be a list of literals"),
        ([[True]], "rule 1: every literal must be text"),
        ([[["wage", "=", 3]]], "rule 1: unknown column 'wage'"),
        ([["age < 30"]], "rule 1: 'age < 30' is not a literal"),
        ([["age >= 65", "age < 25"]], "rule 1: no record can satisfy"),
        ([["income = >50K", "income = <=50K"]], "rule 1: no record can satisfy"),
    ],
)
def test_a_bad_rule_is_refused_by_number(deny: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=f"key 'deny'.*{message}"):
        Schema({"columns": COLUMNS, "deny": deny})


@pytest.mark.parametrize(
    "rules",
    [
        [["a"], ["not a"]],
        [["a", "b"], ["a", "not b"], ["not a"]],
        [["n >= 5"], ["n < 5"]],
        [["n >= 5", "a"], ["n < 5", "a"], ["not a", "b"], ["not a", "not b", "n >= 2"], ["not b", "n < 2"]],
    ],
)
def test_rules_that_forbid_every_record_are_refused_before_anything_is_paid(rules: list[list[str]]) -> None:
    columns = {"a": "boolean", "b": "boolean", "n": {"kind": "integer", "lo": 0, "hi": 9, "thresholds": [2, 5]}}
    with pytest.raises(SchemaError, match="forbid every record"):
        Schema({"columns": columns, "deny": rules})
    assert len(Schema({"columns": columns, "deny": rules[:-1]}).deny) == len(rules) - 1
