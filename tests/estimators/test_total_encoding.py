"""Estimators refuse no value of a row: each becomes what public definitions make of it, whatever others hold."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas
import pytest

from oracledp.data.schema import Schema
from oracledp.errors import DataError
from oracledp.learners import ConjunctionClassifier, DecisionListClassifier, TreeRegressor
from oracledp.learners.cuts import CutEncoder, as_numbers
from oracledp.learners.encoding import SchemaEncoder
from oracledp.learners.given import row_weights

SCHEMA = Schema(
    {
        "age": {"kind": "integer", "lo": 0, "hi": 9, "thresholds": [5]},
        "job": {"kind": "categorical", "values": ["a", "b"]},
    }
)
GOOD = pandas.DataFrame({"age": [1, 7] * 20, "job": ["a", "b"] * 20})
ODD: list[Any] = [None, "text", float("nan"), float("inf"), True, [1], b"", 10**400, pandas.NA, pandas.NaT, 99]
LABELS = [0, 1] * 20


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_no_value_of_a_row_is_refused_with_a_schema(value: Any) -> None:
    frame = GOOD.astype(object)
    frame.iloc[3] = pandas.Series({"age": value, "job": value}, dtype=object)
    model = ConjunctionClassifier(epsilon=1, schema=SCHEMA, classes=[0, 1]).fit(frame, LABELS)
    assert model.guarantee_.robust
    assert len(model.predict(frame)) == 40
    encoded = SchemaEncoder(SCHEMA).encode(frame)
    assert np.array_equal(np.delete(encoded, 3, axis=0), np.delete(SchemaEncoder(SCHEMA).encode(GOOD), 3, axis=0))


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_no_value_of_a_row_is_refused_without_a_schema(value: Any) -> None:
    rows = np.array([[0, 1], [1, 0]] * 20, dtype=object)
    rows[3, 0] = value
    model = DecisionListClassifier(epsilon=1, bounds=(0, 1), classes=[0, 1]).fit(rows, LABELS)
    assert len(model.predict(rows)) == 40
    listed = [list(row) for row in rows.tolist()]
    assert len(model.predict(listed)) == 40


def test_what_is_no_number_lies_below_every_cut() -> None:
    encoder = CutEncoder.evenly(("x",), (0, 4), 3)
    assert encoder.assumes == ()
    values = np.array([[None], ["x"], [np.nan], ["2.5"], [10**400], [-(10**400)], [np.inf]], dtype=object)
    assert encoder.encode(values).sum(axis=1).tolist() == [0, 0, 0, 2, 3, 0, 3]
    assert as_numbers(np.array([True, False])).tolist() == [1.0, 0.0]


def test_a_text_changes_no_other_row_of_a_list() -> None:
    rows = [[True, "a"], [5, "b"]]
    assert SchemaEncoder(SCHEMA).encode(rows).tolist() == SchemaEncoder(SCHEMA).encode([[-3, "a"], [5, "b"]]).tolist()


@pytest.mark.parametrize("odd", ["x", b"x", 1j, None, 2.5, [3], [1, 2], 10**400], ids=repr)
@pytest.mark.parametrize("labels", [[0, 1, 1], [True, False, True], [np.float32(0.1), 1, 0]], ids=repr)
def test_one_odd_label_or_weight_in_a_list_changes_no_other(labels: list[Any], odd: Any) -> None:
    """numpy makes texts of a whole list if one value is a text: then no other label was one of the classes."""
    rows = [[0], [1], [1], [0]]
    for model in (
        ConjunctionClassifier(epsilon=1, bounds=(0, 1), classes=[0, 1]),
        TreeRegressor(epsilon=1, bounds=(0, 1), target_bounds=(0, 1)),
    ):
        usual, changed = (model.prepare(rows, [*labels, last]).data.labels.tolist() for last in (0, odd))
        assert usual[:3] == changed[:3]
    weighed = [row_weights([*labels, last], 4, 3).of_rows for last in (0, odd)]
    assert np.array_equal(weighed[0][:3], weighed[1][:3])


def test_a_strict_estimator_refuses_and_says_what_it_assumes() -> None:
    frame = GOOD.assign(age=[99] + [1] * 39)
    strict = ConjunctionClassifier(epsilon=1, schema=SCHEMA, classes=[0, 1], strict=True)
    with pytest.raises(DataError, match=r"^column 'age': 1 row is above the bound 9; the first at row 1$"):
        strict.fit(frame, LABELS)
    assert strict.fit(GOOD, LABELS).guarantee_.assumes == ("all values of the table lie in its schema",)
    assert "holds only if all values of the table lie in its schema" in str(strict.guarantee_)


def test_no_rows_are_rows_like_any_other_under_add_remove() -> None:
    for schema, rows in ((SCHEMA, GOOD[:0]), (None, np.zeros((0, 2)))):
        parameters: dict[str, Any] = {"epsilon": 1, "schema": schema, "classes": [0, 1], "bounds": (0, 1)}
        assert ConjunctionClassifier(**parameters).fit(rows, []).guarantee_.robust


@pytest.mark.parametrize("label", [[1], {}, np.arange(3), Decimal("sNaN"), None, float("nan"), 7], ids=repr)
def test_no_label_is_refused_where_classes_are_declared(label: Any) -> None:
    labels = np.empty(40, dtype=object)
    labels[:] = LABELS
    labels[3] = label
    model = ConjunctionClassifier(epsilon=1, schema=SCHEMA, classes=[0, 1], size=1)
    assert model.prepare(GOOD, labels).data.labels.tolist() == [-1 if row == 3 else row % 2 for row in range(40)]
