"""Regression for a bounded target: what it finds, what it promises, what it refuses, and scikit-learn's own checks."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.utils.estimator_checks import check_estimator

from oracledp.data.schema import Schema
from oracledp.errors import CapacityError, ModelError, ParameterError
from oracledp.learners import CardRegressor, TreeRegressor, load_model
from oracledp.learners.regressors import PrivateRegressor
from oracledp.mechanisms.value_trees import GRID, STEPS, squared_errors
from oracledp.privacy.ledger import Ledger

RNG = np.random.default_rng(8)
X = RNG.integers(0, 2, (4000, 4))
Y = 20 + 30 * X[:, 0] + 20 * X[:, 1] + RNG.normal(0, 5, 4000)
EXPECTED_FAILURES = {
    "check_estimators_empty_data_messages": "the number of rows is private: no rows are rows like any other",
    "check_supervised_y_no_nan": "a target that is refused would tell about its row",
    "check_sample_weight_equivalence_on_dense_data": "a row of weight two moves a sum less than two rows may",
}


def made(kind: type[PrivateRegressor], **options: Any) -> Any:
    delta = {"delta": "1e-6"} if kind is CardRegressor else {}
    return kind(**{"epsilon": 2, "target_bounds": (0, 100), "bounds": (0, 1), **delta, **options})


@pytest.mark.parametrize("kind", [TreeRegressor, CardRegressor])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_the_mean_is_found_and_the_promise_kept(kind: Any, neighbours: str, tmp_path: Path) -> None:
    """Means lie 20 apart; with 4,000 rows at ε = 2 they are found within 6 but for chances far below 1e-6."""
    ledger = Ledger.create(tmp_path / "ledger", epsilon=2, delta="1e-6", neighbours=neighbours)
    model = made(kind, neighbours=neighbours, ledger=ledger)
    promised = model.guarantee
    model.fit(X, Y)
    expected = 20 + 30 * X[:, 0] + 20 * X[:, 1]
    assert np.abs(model.predict(X) - expected).mean() < 6
    assert (model.guarantee_, model.guarantee_.robust, model.guarantee_.proof) == (promised, True, "regression")
    assert ledger.spent[0] == 2
    model.save(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert np.array_equal(again.predict(X), model.predict(X))
    assert str(again) == str(model)
    assert len(model.get_rules()) >= 2


@pytest.mark.parametrize("kind", [TreeRegressor, CardRegressor])
def test_no_target_is_refused_and_none_leaves_the_bounds(kind: Any) -> None:
    odd = Y.astype(object)
    odd[:6] = [None, "x", float("nan"), float("inf"), -(10**400), 1e300]
    found = made(kind).fit(X, odd).predict(X)
    assert found.min() >= 0
    assert found.max() <= 100
    assert len(made(kind).fit(X[:0], Y[:0]).predict(X)) == 4000


def test_a_target_within_the_frame() -> None:
    frame = pandas.DataFrame(X, columns=list("abcd")).assign(cost=Y)
    schema = Schema({**dict.fromkeys("abcd", "boolean"), "cost": "integer 0..100"})
    model = made(TreeRegressor, bounds=None, schema=schema, target="cost").fit(frame)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert "if a:" in str(model)


def test_weights_of_rows_move_a_card() -> None:
    y = np.tile([10.0, 90.0], 2000)
    heavy = made(CardRegressor, max_sample_weight=9).fit(X, y, sample_weight=np.where(y > 50, 9, 1))
    assert heavy.predict(X).mean() > made(CardRegressor).fit(X, y).predict(X).mean() + 10


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (TreeRegressor, {"target_bounds": (1, 0)}, "target_bounds"),
        (TreeRegressor, {"target_bounds": 3}, "target_bounds"),
        (TreeRegressor, {"leaf_share": 1}, "leaf_share"),
        (TreeRegressor, {"depth": 0}, "depth"),
        (CardRegressor, {"delta": 0}, "delta"),
        (CardRegressor, {"rows": 0}, "rows"),
    ],
)
def test_bad_options_cost_nothing(kind: Any, options: dict[str, Any], words: str, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger", epsilon=3, delta="1e-3")
    with pytest.raises((ParameterError, CapacityError), match=words):
        made(kind, ledger=ledger, **options).fit(X, Y)
    assert ledger.spent == (0, 0)


def test_errors_of_levels_stay_within_their_reach() -> None:
    errors = squared_errors(np.arange(-5, GRID + 6))
    assert errors.min() == 0
    assert errors.max() == STEPS


def test_a_saved_tree_with_a_leaf_too_few_is_refused(tmp_path: Path) -> None:
    import json

    made(TreeRegressor).fit(X, Y).save(tmp_path / "model.json")
    data = json.loads((tmp_path / "model.json").read_text())
    data["rules"]["leaf_values"].pop()
    (tmp_path / "model.json").write_text(json.dumps(data))
    with pytest.raises(ModelError, match="leaves"):
        load_model(tmp_path / "model.json")


@pytest.mark.parametrize("kind", [TreeRegressor, CardRegressor])
def test_check_estimator(kind: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = made(kind, epsilon=200, target_bounds=(-500, 500), bounds=(-5, 5), cuts=3)
        results = check_estimator(estimator, expected_failed_checks=EXPECTED_FAILURES, on_fail=None, on_skip=None)
    failed = {row["check_name"]: repr(row["exception"]) for row in results if row["status"] == "failed"}
    assert failed == {}
