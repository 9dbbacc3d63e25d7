"""Codes, labels, literals and values of each kind of column."""

from __future__ import annotations

import numpy as np
import pytest

from oracledp.data.literals import Literal
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError

PEOPLE = Schema(
    {
        "columns": {
            "age": {"kind": "integer", "lo": 17, "hi": 90, "thresholds": [25, 35, 45, 55, 65]},
            "hours": {"kind": "numeric", "lo": 0, "hi": 100, "bins": 10, "nullable": True},
            "education": {"kind": "categorical", "values": ["HS-grad", "Masters"], "other": "Other"},
            "married": {"kind": "boolean"},
            "rooms": {"kind": "integer", "lo": 1, "hi": 4},
            "region": {"kind": "categorical", "values": [10, 20], "nullable": True},
        }
    }
)


def test_sizes_count_other_and_missing() -> None:
    assert PEOPLE.sizes == (6, 11, 3, 2, 4, 3)
    assert PEOPLE.domain_size == 6 * 11 * 3 * 2 * 4 * 3
    assert [column.ordered for column in PEOPLE.columns] == [True, True, False, False, True, False]
    assert PEOPLE.code_dtype == np.uint8


def test_labels_print_bins_single_values_and_missing() -> None:
    assert PEOPLE["age"].labels == ("[17, 25)", "[25, 35)", "[35, 45)", "[45, 55)", "[55, 65)", "[65, 90]")
    assert PEOPLE["hours"].labels[-3:] == ("[80, 90)", "[90, 100]", "missing")
    assert PEOPLE["rooms"].labels == ("1", "2", "3", "4")
    assert PEOPLE["region"].labels == ("10", "20", "missing")


def test_every_threshold_and_every_value_is_a_literal() -> None:
    texts = [str(literal) for literal in PEOPLE.literals]
    assert texts[:5] == ["age >= 25", "age >= 35", "age >= 45", "age >= 55", "age >= 65"]
    assert texts[13:15] == ["hours >= 90", "hours is missing"]
    assert texts[15:] == [
        "education = HS-grad",
        "education = Masters",
        "education = Other",
        "married",
        *("rooms >= 2", "rooms >= 3", "rooms >= 4"),
        *("region = 10", "region = 20", "region is missing"),
    ]


def test_literal_tables_are_look_ups_from_code_to_truth() -> None:
    assert PEOPLE.literal_table("rooms").tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert PEOPLE.literal_table("region").tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert PEOPLE.literal_table("married").tolist() == [[0], [1]]
    assert PEOPLE.literal_table("hours").shape == (11, 10)
    assert PEOPLE.literal_table("hours").dtype == np.uint8


def test_a_missing_value_fails_every_test_but_its_own_and_passes_the_negations() -> None:
    hours = PEOPLE["hours"]
    assert hours.holds(Literal("hours", ">=", 10))[-1] == 0
    assert hours.holds(Literal("hours", "<", 10))[-1] == 1
    assert hours.holds(Literal("hours", "is not", "missing")).tolist() == [1] * 10 + [0]


@pytest.mark.parametrize(
    "literal",
    [
        Literal("age", ">=", 30),
        Literal("age", "=", 25),
        Literal("age", "is", "missing"),
        Literal("education", "=", "PhD"),
        Literal("education", ">=", "Masters"),
        Literal("married", "=", "true"),
        Literal("hours", ">=", 25),
    ],
)
def test_a_literal_outside_the_schema_is_refused(literal: Literal) -> None:
    with pytest.raises(ParameterError, match=f"column '{literal.column}' of the schema has no literal"):
        PEOPLE[literal.column].holds(literal)


def test_integer_bins_differ_by_at_most_one_value() -> None:
    column = Schema({"x": {"kind": "integer", "lo": 1, "hi": 10, "bins": 4}})["x"]
    assert column.labels == ("[1, 4)", "[4, 6)", "[6, 9)", "[9, 10]")


def test_numeric_edges_are_the_nearest_floats() -> None:
    column = Schema({"x": {"kind": "numeric", "lo": 0, "hi": 1, "bins": 10}})["x"]
    assert [literal.value for literal in column.literals] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]


def test_decoding_gives_values_inside_the_bin_with_types_from_the_schema() -> None:
    codes = np.array([[0, 9, 2, 1, 3, 2], [5, 10, 0, 0, 0, 1]], dtype=np.uint8)
    values = PEOPLE.decode(codes)
    assert values["age"].tolist() == [21, 78]
    assert values["hours"].tolist() == [95.0, None]
    assert values["education"].tolist() == ["Other", "HS-grad"]
    assert values["married"].tolist() == [True, False]
    assert values["rooms"].tolist() == [4, 1]
    assert values["region"].tolist() == [None, 20]
    dtypes = [values[name].dtype for name in PEOPLE.names]
    assert dtypes == [np.int64, object, object, np.bool_, np.int64, object]


def test_the_last_place_stays_inside_the_bin() -> None:
    codes = np.array([[0, 0, 0, 0, 0, 0]], dtype=np.uint8)
    values = PEOPLE.decode(codes, np.full(codes.shape, np.nextafter(1.0, 0.0)))
    assert values["age"].tolist() == [24]
    assert values["hours"][0] < 10


def test_decoding_refuses_codes_that_do_not_exist() -> None:
    with pytest.raises(ParameterError, match="column 'married' has the codes 0 to 1 only"):
        PEOPLE["married"].decode(np.array([2], dtype=np.uint8))
    with pytest.raises(ParameterError, match="one column per column"):
        PEOPLE.decode(np.zeros((1, 2), dtype=np.uint8))


def test_unknown_columns_are_named() -> None:
    assert "age" in PEOPLE
    assert "wage" not in PEOPLE
    with pytest.raises(ParameterError, match="no column 'wage'; it has age, hours"):
        PEOPLE["wage"]


def test_equal_definitions_are_equal_schemas() -> None:
    assert Schema(PEOPLE.to_json()) == PEOPLE
    assert hash(Schema(PEOPLE.to_json())) == hash(PEOPLE)
    assert Schema({"a": {"kind": "boolean"}}) == Schema({"columns": {"a": {"kind": "boolean"}}})
    assert Schema({"a": {"kind": "boolean"}}) != Schema({"a": {"kind": "boolean", "nullable": True}})
