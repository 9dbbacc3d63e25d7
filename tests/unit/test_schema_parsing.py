"""Every malformed definition is refused with the column and the key."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracledp.data.schema import Schema
from oracledp.errors import SchemaError

INTEGER = {"kind": "integer", "lo": 0, "hi": 10}
NUMERIC = {"kind": "numeric", "lo": 0, "hi": 10}
TEXTS = {"kind": "categorical", "values": ["a", "b"]}


@pytest.mark.parametrize(
    ("definition", "key", "message"),
    [
        ({}, "kind", "missing"),
        ({"kind": "int"}, "kind", "unknown kind 'int'"),
        ({"kind": "catgorical"}, "kind", r"did you mean 'categorical'\?"),
        ({"kind": "boolean", "values": [1]}, "values", "unknown"),
        (INTEGER | {"threshold": [1]}, "threshold", r"unknown \(did you mean 'thresholds'\?\)"),
        (TEXTS | {"clip": True}, "clip", "unknown"),
        ({"kind": "integer", "hi": 10}, "lo", "missing; bounds must be given"),
        ({"kind": "integer", "lo": 0}, "hi", "missing"),
        ({"kind": "numeric", "lo": 0, "bins": 3}, "hi", "missing"),
        (INTEGER | {"hi": None}, "hi", "missing"),
        (INTEGER | {"lo": 10}, "lo", "less than hi"),
        (NUMERIC | {"lo": 11, "bins": 2}, "lo", "less than hi"),
        (INTEGER | {"lo": 0.5}, "lo", "whole number"),
        (INTEGER | {"lo": True}, "lo", "whole number"),
        (INTEGER | {"hi": "10"}, "hi", "whole number"),
        (INTEGER | {"hi": 2**62}, "hi", r"2\^62"),
        (NUMERIC | {"hi": "1e3", "bins": 2}, "hi", "must be a number"),
        (NUMERIC | {"hi": float("nan"), "bins": 2}, "hi", "finite"),
        (NUMERIC | {"hi": float("inf"), "bins": 2}, "hi", "finite"),
        (NUMERIC | {"hi": 10**400, "bins": 2}, "hi", "finite"),
        (NUMERIC | {"hi": 2**53 + 1, "bins": 2}, "hi", "holds exactly"),
        (NUMERIC, "resolution", "needed"),
        (NUMERIC | {"resolution": 0}, "resolution", "greater than 0"),
        (NUMERIC | {"resolution": "fine"}, "resolution", "greater than 0"),
        (NUMERIC | {"resolution": 10**9}, "resolution", "at most hi - lo"),
        (NUMERIC | {"resolution": "1e-30"}, "resolution", "too fine"),
        (INTEGER | {"hi": 5000}, "resolution", "needed"),
        (INTEGER | {"resolution": 0.5}, "resolution", "whole number"),
        (INTEGER | {"resolution": 3, "thresholds": [1, 2]}, "thresholds", "closer together"),
        (INTEGER | {"bins": 12}, "bins", "at most 11"),
        (INTEGER | {"bins": 1}, "bins", "2 to"),
        (INTEGER | {"bins": 2.5}, "bins", "whole number"),
        (NUMERIC | {"bins": 100_000}, "bins", "2 to 10,000"),
        (NUMERIC | {"lo": 1, "hi": 1 + 2**-51, "bins": 50}, "bins", "too many"),
        (INTEGER | {"bins": 2, "thresholds": [5]}, "thresholds", "not both"),
        (INTEGER | {"thresholds": []}, "thresholds", "at least one"),
        (INTEGER | {"thresholds": 5}, "thresholds", "must be a list"),
        (INTEGER | {"thresholds": [3, 3]}, "thresholds", "increase strictly"),
        (INTEGER | {"thresholds": [5, 3]}, "thresholds", "increase strictly"),
        (INTEGER | {"thresholds": [0, 3]}, "thresholds", "greater than lo"),
        (INTEGER | {"thresholds": [3, 11]}, "thresholds", "at most hi"),
        (INTEGER | {"thresholds": [2.5]}, "thresholds", "whole number"),
        (NUMERIC | {"thresholds": ["2"]}, "thresholds", "must be a number"),
        (INTEGER | {"nullable": "yes"}, "nullable", "true or false"),
        (INTEGER | {"clip": 1}, "clip", "true or false"),
        ({"kind": "categorical"}, "values", "at least one value"),
        (TEXTS | {"values": []}, "values", "at least one value"),
        (TEXTS | {"values": "ab"}, "values", "must be a list"),
        (TEXTS | {"values": ["a", "b", "a"]}, "values", "'a' is listed twice"),
        (TEXTS | {"values": [True, False]}, "values", "quote words"),
        (TEXTS | {"values": [1, "a"]}, "values", "all texts or all integers"),
        (TEXTS | {"values": [1.5, 2.5]}, "values", "all texts or all integers"),
        (TEXTS | {"values": ["a", "b\0"]}, "values", "NUL"),
        (TEXTS | {"values": ["a", "\ud800"]}, "values", "surrogate"),
        (TEXTS | {"other": "b"}, "other", "must not be one of the values"),
        (TEXTS | {"other": 3}, "other", "must be a text"),
    ],
)
def test_a_bad_column_is_refused_by_name_and_key(definition: dict[str, Any], key: str, message: str) -> None:
    with pytest.raises(SchemaError, match=f"^column 'wage', key '{key}': .*{message}"):
        Schema({"columns": {"wage": definition}})


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ([], "must be a mapping"),
        ({}, "key 'columns': missing"),
        ({"columns": {}}, "at least one column"),
        ({"columns": ["age"]}, "at least one column"),
        ({"columns": {"a": {"kind": "boolean"}}, "denny": []}, r"unknown key 'denny' \(did you mean 'deny'\?\)"),
        ({"columns": {"a": 3}}, "column 'a': must be a mapping"),
        ({"columns": {True: {"kind": "boolean"}}}, "column True: the name must be text"),
        ({"columns": {"": {"kind": "boolean"}}}, "printable and not empty"),
        ({"columns": {"a\nb": {"kind": "boolean"}}}, "printable and not empty"),
        ({"columns": {"a": {"kind": "categorical", "values": ["x"]}}}, "column 'a' has a single code"),
        ({"a": {"kind": "categorical", "values": list(range(10_001))}}, "10,001 codes"),
    ],
)
def test_a_bad_schema_is_refused(definition: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        Schema(definition)


def test_a_column_may_be_called_columns_or_kind() -> None:
    assert Schema({"columns": {"kind": "boolean"}}).names == ("kind",)  # listed under the key, in short form
    assert Schema({"columns": {"columns": "boolean"}}).names == ("columns",)
    assert Schema({"columns": {"kind": "integer", "lo": 0, "hi": 9}}).names == ("columns",)
    assert Schema({"columns": {"kind": {"kind": "boolean"}}}).names == ("kind",)


def test_numbers_of_numpy_are_numbers() -> None:
    schema = Schema({"x": {"kind": "integer", "lo": np.int64(0), "hi": 9, "thresholds": np.array([3, 6])}})
    assert schema.to_json()["columns"]["x"]["thresholds"] == [3, 6]
    assert all(type(cut) is int for cut in schema.to_json()["columns"]["x"]["thresholds"])


def test_a_threshold_may_be_the_upper_bound() -> None:
    assert Schema({"x": NUMERIC | {"thresholds": [5, 10]}})["x"].labels == ("[0, 5)", "[5, 10)", "10")
