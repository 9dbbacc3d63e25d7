"""Estimators on odd tables: one row, one class, constant columns, huge and tiny budgets. Nothing may crash."""

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.learners import (
    ConjunctionClassifier,
    DecisionListClassifier,
    DisjunctionClassifier,
    HalfspaceClassifier,
    ParityClassifier,
    PrivateRuleClassifier,
    load_model,
)

ESTIMATORS = (
    ConjunctionClassifier,
    DisjunctionClassifier,
    ParityClassifier,
    DecisionListClassifier,
    HalfspaceClassifier,
    PrivateRuleClassifier,
)
PARAMETERS = st.fixed_dictionaries(
    {
        "epsilon": st.sampled_from(["1e-6", "0.01", "1", "10000"]),
        "neighbours": st.sampled_from(["replace-one", "add-remove"]),
        "class_weight": st.sampled_from([None, {0: "1/3", 1: 2}]),
        "subsample": st.sampled_from([None, "0.3"]),
        "size": st.sampled_from([None, 1, 9]),
        "bounds": st.just((0, 1)),
        "cuts": st.sampled_from([1, 3]),
        "random_state": st.integers(0, 100),
    }
)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    st.sampled_from(ESTIMATORS),
    PARAMETERS,
    st.sampled_from([1, 2, 40]),
    st.sampled_from([1, 2, 6]),
    st.integers(1, 3),
    st.booleans(),
)
def test_fit_predict_print_save_and_load(estimator, parameters, rows, columns, classes, declared):
    rng = np.random.default_rng(rows * 100 + columns * 10 + classes)
    X, y = rng.integers(0, 2, (rows, columns)), rng.integers(0, classes, rows)
    known = list(range(max(classes, 2))) if declared else None
    model = estimator(classes=known, **parameters).fit(X, y)
    predicted = model.predict(X)
    assert set(predicted) <= set(model.classes_)
    assert str(model).startswith("predict")
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.json")
        again = load_model(Path(folder) / "model.json")
    assert np.array_equal(again.predict(X), predicted)
    assert again.guarantee_ == model.guarantee_
