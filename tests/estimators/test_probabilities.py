"""Probabilities: from logistic cards, and by noisy counts in bands for everything else."""

import numpy as np
import pandas as pd
import pytest

from oracledp.learners import (
    ConjunctionClassifier,
    DecisionListClassifier,
    HalfspaceClassifier,
    PrivateRuleClassifier,
    TargetAmongFeaturesWarning,
    load_model,
)

DRAWS = np.random.default_rng(3)
X = DRAWS.integers(0, 2, (5000, 5))
CHANCE = 0.1 + 0.4 * X[:, 0] + 0.4 * X[:, 1] * X[:, 0]
Y = (DRAWS.random(5000) < CHANCE).astype(int)


def test_a_logistic_card_knows_how_sure_it_is() -> None:
    model = PrivateRuleClassifier(epsilon=3, delta="1e-5", classes=[0, 1]).fit(X, Y)
    found = model.predict_proba(X)
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-9
    assert np.abs(found[:, 1] - CHANCE).mean() < 0.1
    assert (found.argmax(axis=1) == model.predict(X)).all()


@pytest.mark.parametrize("kind", [DecisionListClassifier, ConjunctionClassifier, HalfspaceClassifier])
def test_counted_bands_give_chances_that_agree_with_predictions(kind: type, tmp_path: object) -> None:
    model = kind(epsilon=3, probabilities=True, classes=[0, 1]).fit(X, Y)
    found = model.predict_proba(X)
    assert np.abs(found[:, 1] - CHANCE).mean() < 0.2
    assert (found.argmax(axis=1) == model.predict(X)).all()
    assert ((model.decision_function(X) > 0) == (model.predict(X) == 1)).all()
    assert model.guarantee_ == model.guarantee
    model.save(f"{tmp_path}/model.json")
    assert np.allclose(load_model(f"{tmp_path}/model.json").predict_proba(X), found)


def test_several_classes_have_a_band_each() -> None:
    model = ConjunctionClassifier(epsilon=9, probabilities=True, classes=[0, 1, 2]).fit(X, X[:, 0] + X[:, 1])
    assert model.predict_proba(X).shape == (5000, 3)


def test_a_rule_that_counted_nothing_has_no_probabilities() -> None:
    assert not hasattr(ConjunctionClassifier(epsilon=1, classes=[0, 1]).fit(X, Y), "predict_proba")


def test_a_notebook_shows_the_rule_and_its_guarantee() -> None:
    model = PrivateRuleClassifier(epsilon=3, delta="1e-5", classes=[0, 1])
    assert "PrivateRuleClassifier" in model._repr_html_()
    shown = model.fit(X, Y)._repr_html_()
    assert "points add up" in shown
    assert "(3, 1e-05)-differentially private" in shown


def test_a_target_among_the_features_is_named() -> None:
    frame = pd.DataFrame({"a": X[:, 0], "b": Y})
    with pytest.warns(TargetAmongFeaturesWarning, match="'b' is among the features"):
        ConjunctionClassifier(epsilon=1, classes=[0, 1]).fit(frame, frame["b"])


def test_a_card_prints_its_risks_and_draws_its_points():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    model = PrivateRuleClassifier(epsilon=3, delta="1e-5", bounds=(0, 1), classes=[0, 1]).fit(X, Y)
    table = model.risk_table()
    assert table["probability"].is_monotonic_increasing
    assert "chance of 1" in str(model)
    assert len(model.plot().patches) == len(model.get_rules()) - 1
    assert str(model.guarantee_) in model._repr_html_inner()
