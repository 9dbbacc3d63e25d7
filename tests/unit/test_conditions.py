"""Conditions as users write them: what each says, and what is said to whoever asks for something else."""

from __future__ import annotations

import numpy as np
import pytest

import oracledp as odp
from oracledp.data.literals import Literal
from oracledp.data.output.conditions import allowed_codes, parse_conditions
from oracledp.errors import ParameterError
from oracledp.synthesis.workload import Workload

SCHEMA = odp.Schema(
    {
        "columns": {
            " age": "integer 0..120",
            "paid": "numeric 0..500 by 0.5",
            "far": "integer 0..9999999 by 1",
            "cut": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [25, 26, 65], "nullable": True},
            "real": {"kind": "numeric", "lo": 0, "hi": 1, "thresholds": [0.5, 0.75]},
            "price": {"kind": "decimal", "lo": 0, "hi": 100, "places": 2},
            "job": "cook | smith | a and b | sales rep | 'quoted'",
            "smoker": "boolean?",
            "sick": "boolean",
            "house size": {"kind": "categorical", "values": [1, 2]},
            "day": {"kind": "date", "lo": "2020-01-01", "hi": "2025-12-31", "format": "%d/%m/%Y", "nullable": True},
            "swapped": {"kind": "date", "lo": "2020-01-01", "hi": "2025-12-31", "format": "%Y-%d-%m"},
            "wait": {"kind": "duration", "lo": "0:00:00", "hi": "5:00:00", "format": "%H:%M"},
            "seen": {"kind": "timestamp", "lo": "2020-01-01 00:00:00", "hi": "2020-03-01 23:59:59", "resolution": 3600},
            "rock and roll": "boolean",
        }
    }
)


@pytest.mark.parametrize(
    ("text", "literals"),
    [
        ("age > 5", [" age >= 6"]),
        ("age <= 5", [" age < 6"]),
        ("not age > 5", [" age < 6"]),
        ("age == 5", [" age >= 5", " age < 6"]),
        ("age = 0", [" age < 1"]),
        ("age=120", [" age >= 120"]),
        ('" age" >= 3', [" age >= 3"]),
        ("paid <= 12.5", ["paid < 13"]),
        ("far <= 1239999", ["far < 1240000"]),
        ("cut <= 64", ["cut < 65"]),
        ("cut = 25", ["cut >= 25", "cut < 26"]),
        ("real >= .5", ["real >= 0.5"]),
        ("'real' < 0.75", ["real < 0.75"]),
        ("price <= 2.5", ["price < 2.51"]),
        ("day > 30/12/2024", ["day >= 2024-12-31"]),
        ("day > 2024-12-30", ["day >= 2024-12-31"]),
        ("day = 01/01/2020", ["day is not missing", "day < 2020-01-02"]),
        ("swapped >= 2024-03-04", ["swapped >= 2024-04-03"]),
        ("wait > 1:30", ["wait >= 1:31:00"]),
        ("wait >= 01:30:00", ["wait >= 1:30:00"]),
        ("seen <= 2020-01-01 05:00:00", ["seen < 2020-01-01 06:00:00"]),
        ("job == cook", ["job = cook"]),
        ("job != cook", ["job != cook"]),
        ("not job == cook", ["job != cook"]),
        ('job = "sales rep"', ["job = sales rep"]),
        ("job = 'quoted'", ["job = 'quoted'"]),
        ("`house size` == 2", ["house size = 2"]),
        ("smoker = false", ["not smoker", "smoker is not missing"]),
        ("smoker == True", ["smoker"]),
        ("smoker != true", ["not smoker"]),
        ("sick != false", ["sick"]),
        ("not 'sick'", ["not sick"]),
        ("'cut' is missing", ["cut is missing"]),
        ("age >= 60 and sick", [" age >= 60", "sick"]),
        ("age > 60 AND job = a and b and not sick", [" age >= 61", "job = a and b", "not sick"]),
        ("rock and roll and not rock and roll", ["rock and roll", "not rock and roll"]),
        ("sick and job = 'a and b'", ["sick", "job = a and b"]),
    ],
)
def test_texts_say_literals(text: str, literals: list[str]) -> None:
    assert [str(literal) for literal in parse_conditions(text, SCHEMA)] == literals
    allowed_codes(parse_conditions(text, SCHEMA), SCHEMA)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agee >= 60", "no column 'agee'; did you mean 'age'?"),
        ("AGE", "no column 'AGE'; did you mean 'age'?"),
        ("sick and not smokr", "no column 'smokr'; did you mean 'smoker'?"),
        ("height >= 3", "no column 'height'; the columns are age, paid, far, "),
        ("age != 5", "column ' age' takes >=, >, <, <= and = with a number from 0 to 120, such as 'age >= 60'"),
        ("age >= sixty", "column ' age' takes >=, >,"),
        ("age => 60", "column ' age' takes >=, >,"),
        ("age between 5 and 9", "column ' age' takes >=, >,"),
        ("age >= 60 or sick", "conditions are joined by 'and' alone"),
        ("age >= 1e999999999", "column ' age' takes >=, >,"),
        ("cut >= 1e999999999", "column 'cut' takes >=, >,"),
        ("cut >= " + "1" * 5000, "column 'cut' takes >=, >,"),
        ("not age = 5", "has no opposite of =: ask for < or for >"),
        ("age >= 0", "goes from 0 to 120, so this holds for all of its values"),
        ("not age >= 0", "holds for none"),
        ("age > 120", "holds for none"),
        ("age = 121", "holds for none"),
        ("cut >= 61", "'cut >= 61': column 'cut' cannot be cut there; possible near 61: 26, 65"),
        ("cut > 61", "possible near 61: 25, 64"),
        ("cut = 30", "column 'cut' has no cell for 30 alone; possible: 'cut >= 26 and cut < 65'"),
        ("far >= 1234567", "possible near 1234567: 1230000, 1240000"),
        ("paid >= 12.3", "possible near 12.3: 12, 12.5"),
        ("paid = 12.3", "possible near 12.3: 12, 12.5"),
        ("wait >= 1:30:30", "possible near 1:30:30: 01:30, 01:31"),
        ("day >= 12/31/2024", "with a date from 01/01/2020 to 31/12/2025, such as 'day >= 01/01/2023', or 'day is m"),
        ("real >= 0.6", "possible near 0.6: 0.5, 0.75"),
        ("real > 0.5", r"takes >= and < with one of its thresholds (0.5, 0.75), such as 'real >= 0.75'"),
        ("job = cok", "column 'job' has no value 'cok'; did you mean 'cook'?"),
        ("house size = 3", "it takes = and != with one of 1, 2"),
        ("job > 3", "column 'job' takes = and != with one of its values, such as 'job = cook'"),
        ("smoker != false", "true or false: write 'smoker' or 'not smoker', or 'smoker is missing'"),
        ("sick is missing", "'sick is missing': column 'sick' is never missing"),
        ("sick and", "column 'sick' is true or false"),
        (" ", "an empty text is no condition"),
    ],
)
def test_a_refusal_is_one_line_about_the_column_that_was_meant(text: str, message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        parse_conditions(text, SCHEMA)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_short_name_of_two_columns_is_none() -> None:
    twice = odp.Schema({" age": "boolean", "age ": "boolean", "old": "boolean"})
    with pytest.raises(ParameterError, match="no column 'age'"):
        parse_conditions("age", twice)
    assert parse_conditions("' age'", twice) == (Literal.boolean(" age"),)
    exact = odp.Schema({" age": "boolean", "age": "boolean"})
    assert parse_conditions("age", exact) == (Literal.boolean("age"),)


def test_rules_of_a_schema_may_name_a_column_without_its_blanks() -> None:
    schema = odp.Schema({"columns": {" age": "integer 0..9", "old": "boolean"}, "deny": [["age < 5", "old"]]})
    assert schema.deny == ((Literal(" age", "<", 5), Literal.boolean("old")),)
    assert odp.Schema(schema.to_json()) == schema


def test_equality_leaves_missing_values_out_and_less_keeps_them() -> None:
    for text, missing in (
        ("cut = 25", False),
        ("day = 01/01/2020", False),
        ("smoker = false", False),
        ("cut <= 64", True),
    ):
        literals = parse_conditions(text, SCHEMA)
        assert allowed_codes(literals, SCHEMA)[SCHEMA.position(literals[0].column)][-1] == missing, text


def test_only_texts_and_literals_are_conditions() -> None:
    with pytest.raises(ParameterError, match="a condition is a text"):
        parse_conditions([5], SCHEMA)  # type: ignore[list-item]


def test_many_conditions_are_tried_one_by_one() -> None:
    """Not in every grouping: there are 2 to the 500th."""
    assert len(parse_conditions(" and ".join(["sick"] * 500), SCHEMA)) == 500
    with pytest.raises(ParameterError, match="no column 'bad'"):
        parse_conditions(" and ".join([*["sick"] * 500, "bad"]), SCHEMA)


def test_workloads_take_what_conditions_may_say() -> None:
    asked = Workload.parse(["age <= 64 and smoker", ("cut = 25", "sick")], SCHEMA)
    literals = [[str(literal) for literal in query.query.owner.literals] for query, _ in asked.queries]
    assert literals == [[" age < 65", "smoker"], ["cut >= 25", "cut < 26", "sick"]]


def test_far_values_share_cells_whose_ends_are_the_possible_thresholds() -> None:
    grid = SCHEMA["far"].grid  # type: ignore[attr-defined]
    for start in grid.starts[1:].tolist()[:: len(grid.starts) // 50]:
        (literal,) = parse_conditions(f"far >= {start}", SCHEMA)
        held = SCHEMA["far"].holds(literal).astype(bool)
        assert np.array_equal(held, grid.starts >= start)
