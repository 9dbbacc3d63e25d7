"""What ``fit`` may be given: bounds by column, a target within the frame, weights of rows; and what it refuses."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from oracledp.data.schema import Schema
from oracledp.errors import DataError, ParameterError
from oracledp.learners import (
    ConjunctionClassifier,
    DecisionListClassifier,
    HalfspaceClassifier,
    PrivateRuleClassifier,
    TargetAmongFeaturesWarning,
    TreeClassifier,
    load_model,
)
from oracledp.learners.cuts import TRUTH_VALUES, CutEncoder
from oracledp.learners.given import WEIGHTS_READ, row_weights

RNG = np.random.default_rng(4)
AGES = RNG.integers(0, 90, 3000)
FRAME = pandas.DataFrame({"age": AGES, "member": RNG.integers(0, 2, 3000), "job": RNG.choice(["cook", "smith"], 3000)})
SCHEMA = Schema({"age": {"kind": "integer", "lo": 0, "hi": 90, "thresholds": [30, 60]}, "member": "boolean"})
WITH_JOB = Schema({**SCHEMA.to_json()["columns"], "job": "cook | smith"})


def test_numbers_without_bounds_are_refused_by_column_and_never_by_value() -> None:
    with pytest.raises(DataError, match=r"^column 'age' holds more than 0 and 1: say what it may hold") as refusal:
        ConjunctionClassifier(epsilon=1, classes=[0, 1]).fit(FRAME[["member", "age"]], AGES >= 60)
    assert not any(str(age) in str(refusal.value) for age in range(10, 90))
    with pytest.raises(DataError, match="column 'x0'"):
        TreeClassifier(epsilon=1, classes=[0, 1]).fit([["yes"], ["no"]], [0, 1])
    model = ConjunctionClassifier(epsilon=1, classes=[0, 1])
    assert model.guarantee.assumes == (TRUTH_VALUES,)
    assert model.fit([[0, 1.0], [True, None], [1, float("nan")]], [0, 1, 1]).guarantee_.assumes == (TRUTH_VALUES,)


@pytest.mark.parametrize("bounds", [{"age": (0, 90), "member": (0, 1)}, [(0, 90), (0, 1)], np.array([[0, 90], [0, 1]])])
def test_each_column_has_bounds_of_its_own(bounds: Any, tmp_path: Any) -> None:
    model = TreeClassifier(epsilon=50, bounds=bounds, cuts={"age": 2, "member": 1}, classes=[False, True], depth=1)
    model.fit(FRAME[["age", "member"]], AGES >= 60)
    assert "age >= 60" in str(model)
    model.save(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert (again.predict(FRAME[["age", "member"]]) == model.predict(FRAME[["age", "member"]])).all()
    assert isinstance(again.rules_.encoder, CutEncoder)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bounds": {"age": (0, 9)}}, "bounds say nothing of column 'member'"),
        ({"bounds": [(0, 9)]}, "one for each of the 2 columns"),
        ({"bounds": {"age": (9, 0), "member": (0, 1)}}, "bounds of column 'age'"),
        ({"bounds": 7}, "bounds of column 'age' must be two numbers"),
        ({"bounds": (0, 9), "cuts": {"age": 2}}, "cuts say nothing of column 'member'"),
    ],
)
def test_bad_bounds_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        PrivateRuleClassifier(epsilon=1, classes=[0, 1], **options).fit(FRAME[["age", "member"]], AGES >= 60)


def test_the_target_is_a_column_or_a_literal_of_the_frame() -> None:
    by_literal = ConjunctionClassifier(epsilon=20, schema=SCHEMA, target="age >= 60").fit(FRAME)
    assert by_literal.guarantee_.robust
    assert by_literal.classes_.tolist() == [False, True]
    assert by_literal.feature_names_in_.tolist() == ["member"]
    by_category = TreeClassifier(epsilon=20, schema=WITH_JOB, target="job", depth=1).fit(FRAME)
    assert by_category.guarantee_.robust
    assert by_category.classes_.tolist() == ["cook", "smith"]
    plain = FRAME[["age", "member"]].assign(old=(AGES >= 45) * 1)
    model = TreeClassifier(epsilon=50, bounds={"age": (0, 90), "member": (0, 1)}, target="old", depth=1).fit(plain)
    assert (model.predict(plain) == plain["old"]).mean() > 0.95
    assert (model.predict(plain.drop(columns="old")) == model.predict(plain)).all()


@pytest.mark.parametrize(
    ("X", "y", "target", "words"),
    [
        (FRAME, AGES, "member", "not both"),
        (FRAME.to_numpy(), None, "member", "must be a frame"),
        (FRAME.drop(columns="age"), None, "age >= 60", "'age', the target, is missing"),
    ],
)
def test_a_target_that_is_not_there(X: Any, y: Any, target: str, words: str) -> None:
    with pytest.raises((DataError, ParameterError), match=words):
        ConjunctionClassifier(epsilon=1, schema=SCHEMA, target=target).fit(X, y)


def test_a_target_among_the_features_is_told() -> None:
    with pytest.warns(TargetAmongFeaturesWarning, match="'member'"):
        ConjunctionClassifier(epsilon=1, schema=SCHEMA, classes=[0, 1]).fit(FRAME, FRAME["member"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ConjunctionClassifier(epsilon=1, schema=SCHEMA, classes=[0, 1], target="member").fit(FRAME)


def test_weights_are_whole_and_bounded_whatever_they_are() -> None:
    odd = row_weights([1, 2.5, -3, 99, "x", None, float("nan"), float("inf")], 8, 3)
    assert odd.of_rows is not None
    assert (odd.of_rows.tolist(), odd.heaviest, odd.assumes) == ([6, 15, 0, 18, 0, 0, 0, 18], 18, ())
    assert row_weights([0.5, 0.25], 2, None).assumes == (WEIGHTS_READ,)
    assert row_weights([40, 20], 2, 40).heaviest == 40
    with pytest.raises(ValueError, match="expected"):
        row_weights([1], 2, 3)


@pytest.mark.parametrize("kind", [DecisionListClassifier, HalfspaceClassifier, TreeClassifier])
def test_weights_decide_what_is_learned(kind: Any) -> None:
    """Half of the rows say yes, half no; the heavy ones win."""
    X, y = np.tile([[1, 0], [0, 1]], (4000, 1)), np.repeat([0, 1], 4000)
    delta = {"delta": "1e-6"} if kind is HalfspaceClassifier else {}
    model = kind(epsilon=2, bounds=(0, 1), classes=[0, 1], max_sample_weight=5, **delta)
    for heavy in (0, 1):
        model.fit(X, y, sample_weight=np.where(y == heavy, 5, 1))
        assert (model.predict(X) == heavy).all()
        assert model.guarantee_.robust
    assert not model.set_params(max_sample_weight=None).fit(X, y, sample_weight=y + 1.0).guarantee_.robust


def test_class_and_sample_weights_together_stay_within_their_unit() -> None:
    X, y = np.tile([[1, 0], [0, 1]], (50, 1)), np.repeat([0, 1], 50)
    model = ConjunctionClassifier(
        epsilon=1, bounds=(0, 1), classes=[0, 1], class_weight={0: 1, 1: 999}, max_sample_weight=100
    )
    fitting: Any = model.prepare(X, y, sample_weight=y).fitting
    assert max(fitting.weights) * fitting.heaviest <= 1000
    assert fitting.guarantee.epsilon == Fraction(1)


def test_pipelines_clones_and_pickles_keep_what_was_asked() -> None:
    turned = make_pipeline(
        FunctionTransformer(lambda rows: 1 - rows), ConjunctionClassifier(epsilon=9, bounds=(0, 1), classes=[0, 1])
    )
    X = RNG.integers(0, 2, (2000, 2))
    assert (turned.fit(X, 1 - X[:, 0]).predict(X) == 1 - X[:, 0]).all()
    model = TreeClassifier(epsilon=1, bounds={"age": (0, 9)}, target="age", max_sample_weight=4)
    assert clone(model).get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
