"""The estimators on small tables: rules, guarantees, frames, pipelines, classes, weights, missing values, saving."""

import json
import warnings
from fractions import Fraction

import numpy as np
import pandas
import polars
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import oracledp as odp
from oracledp.errors import BudgetExceeded, ModelError, ParameterError
from oracledp.learners import (
    ConjunctionClassifier,
    DecisionListClassifier,
    DisjunctionClassifier,
    HalfspaceClassifier,
    NotPrivateWarning,
    ParityClassifier,
    PrivateRuleClassifier,
    RepeatedFitWarning,
    TreeClassifier,
    load_model,
)

RNG = np.random.default_rng(5)
X = RNG.integers(0, 2, (4000, 4))
COLUMNS = ["smoker", "adult", "coffee", "tea"]
FRAME = pandas.DataFrame(X.astype(bool), columns=COLUMNS)
SCHEMA = odp.Schema({"columns": {name: {"kind": "boolean"} for name in COLUMNS}})

TARGETS = {
    ConjunctionClassifier: X[:, 0] & (1 - X[:, 1]),
    DisjunctionClassifier: X[:, 0] | X[:, 2],
    ParityClassifier: X[:, 1] ^ X[:, 3],
    DecisionListClassifier: np.where(X[:, 0] & X[:, 1], 0, X[:, 2]),
    HalfspaceClassifier: (X @ [2, -1, 1, 0] >= 1).astype(int),
    PrivateRuleClassifier: (X @ [2, -1, 1, 0] >= 1).astype(int),
    TreeClassifier: np.where(X[:, 0], X[:, 1] ^ X[:, 2], X[:, 3]),
}


def quiet_score(model, rows, labels):
    with pytest.warns(NotPrivateWarning, match="not private"):
        return model.score(rows, labels)


@pytest.mark.parametrize("estimator", TARGETS)
def test_each_estimator_finds_its_own_kind_of_rule(estimator):
    y = TARGETS[estimator]
    model = estimator(epsilon=4, schema=SCHEMA, classes=[0, 1], random_state=1).fit(FRAME, y)
    assert quiet_score(model, FRAME, y) > 0.97
    assert model.classes_.tolist() == [0, 1]
    assert not model.guarantee_.private  # a seed was used
    assert str(model).startswith("predict ")
    assert any(name in str(model) for name in COLUMNS)
    assert list(model.get_rules().columns) == ["class", "order", "condition", "value"]


@pytest.mark.parametrize("estimator", TARGETS)
def test_the_guarantee_is_pure_robust_and_exact(estimator):
    model = estimator(epsilon="0.1", bounds=(0, 1), classes=[0, 1]).fit(X, TARGETS[estimator])
    assert model.guarantee_.robust
    assert (model.guarantee_.epsilon, model.guarantee_.delta) == (Fraction(1, 10), 0)
    assert model.certificate_.trust.value == "proved"


@pytest.mark.parametrize("estimator", TARGETS)
@pytest.mark.parametrize("with_schema", [True, False])
def test_saving_and_loading_keeps_every_prediction_and_no_row(estimator, with_schema, tmp_path):
    rows = FRAME if with_schema else X
    schema = SCHEMA if with_schema else None
    model = estimator(epsilon=2, schema=schema, classes=[0, 1], random_state=3).fit(rows, TARGETS[estimator])
    model.save(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert type(again) is estimator
    assert np.array_equal(model.predict(rows), again.predict(rows))
    assert str(again) == str(model)
    assert set(json.loads((tmp_path / "model.json").read_text())) == {
        "oracledp-model",
        "estimator",
        "guarantee",
        "certificate",
        "text",
        "rules",
    }


def test_a_broken_file_is_one_clear_error(tmp_path):
    (tmp_path / "m.json").write_text('{"oracledp-model": 1, "estimator": "Nothing"}')
    with pytest.raises(ModelError, match=r"m\.json"):
        load_model(tmp_path / "m.json")


def test_pandas_polars_and_arrays_give_the_same_model():
    y = TARGETS[HalfspaceClassifier]
    rules = {
        str(HalfspaceClassifier(epsilon=1, schema=SCHEMA, classes=[0, 1], random_state=2).fit(rows, labels).rules_)
        for rows, labels in (
            (FRAME, y),
            (FRAME, pandas.Series(y, name="sick")),
            (polars.from_pandas(FRAME), polars.Series("sick", y)),
            (FRAME.to_numpy(), y),
        )
    }
    assert len(rules) == 1


def test_labels_read_from_the_data_make_the_guarantee_contingent():
    model = ConjunctionClassifier(epsilon=1).fit(X, TARGETS[ConjunctionClassifier])
    assert not model.guarantee_.robust
    assert "labels in y is public" in str(model.guarantee_)


def test_more_than_two_classes_share_the_budget():
    y = np.array(["low", "middle", "high"])[X[:, 0] + (X[:, 0] & X[:, 1])]
    model = PrivateRuleClassifier(epsilon=6, classes=["high", "low", "middle"], random_state=4).fit(X, y)
    assert len(model.rule_) == 3
    assert model.guarantee_.epsilon == 6
    assert quiet_score(model, X, y) > 0.9


def test_class_weights_shift_the_rule_and_are_never_read_from_data():
    y = (RNG.random(4000) < np.where(X[:, 0] == 1, 0.4, 0.05)).astype(int)
    plain = PrivateRuleClassifier(epsilon=2, classes=[0, 1], random_state=5).fit(X, y)
    heavy = PrivateRuleClassifier(epsilon=2, classes=[0, 1], class_weight={1: 3}, random_state=5).fit(X, y)
    assert plain.predict(X).mean() < 0.1 < heavy.predict(X).mean()
    with pytest.raises(ParameterError, match="dictionary"):
        PrivateRuleClassifier(epsilon=2, classes=[0, 1], class_weight="balanced").fit(X, y)


def test_missing_values_and_categories_go_through_the_schema():
    schema = odp.Schema(
        {
            "columns": {
                "town": {"kind": "categorical", "values": ["Bern", "Genf"], "nullable": True},
                "age": {"kind": "integer", "lo": 0, "hi": 100, "thresholds": [18, 65]},
                "sick": {"kind": "boolean"},
            }
        }
    )
    town = RNG.choice(np.array(["Bern", "Genf", None], dtype=object), 3000)
    frame = pandas.DataFrame({"town": town, "age": RNG.integers(0, 100, 3000)})
    y = pandas.Series([value is None for value in town], name="sick").to_numpy()
    labels = pandas.Series(y, name="sick")
    model = ConjunctionClassifier(epsilon=3, schema=schema, classes=[False, True], random_state=6).fit(frame, labels)
    assert "town" in str(model)
    assert np.array_equal(model.predict(frame), y)


def test_the_ledger_is_charged_once_before_the_fit_and_refuses(tmp_path):
    ledger = odp.Ledger.create(tmp_path / "budget", epsilon=3)
    y = np.array([0, 1, 2])[X[:, 0] + X[:, 1]]
    model = HalfspaceClassifier(epsilon=2, classes=[0, 1, 2], ledger=ledger)
    model.fit(X, y)
    assert [charge.epsilon for charge in ledger.charges] == [2]
    with pytest.raises(BudgetExceeded):
        model.fit(X, y)


def test_pipelines_and_cross_validation_work_and_warn():
    y = TARGETS[ConjunctionClassifier]
    model = make_pipeline(
        FunctionTransformer(lambda rows: 1 - rows), ConjunctionClassifier(epsilon=5, classes=[0, 1], random_state=1)
    )
    assert np.mean(model.fit(X, y).predict(X) == y) > 0.95
    with pytest.warns(NotPrivateWarning), pytest.warns(RepeatedFitWarning):
        scores = cross_val_score(ConjunctionClassifier(epsilon=5, classes=[0, 1], random_state=1), X, y, cv=2)
    assert scores.min() > 0.9


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("mechanism", ["exponential", "permute-and-flip", "rspm"])
def test_mechanisms_of_a_single_selection(neighbours, mechanism):
    y = TARGETS[ConjunctionClassifier]
    model = ConjunctionClassifier(
        epsilon=5, classes=[0, 1], neighbours=neighbours, mechanism=mechanism, size=2, random_state=1
    ).fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.95
    assert model.guarantee_.neighbours.value == neighbours


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"mechanism": "magic"}, "mechanism for conjunction"),
        ({"size": 0}, "size must be"),
        ({"epsilon": 0}, "epsilon must be greater"),
        ({"neighbours": "twins"}, "neighbours must be"),
        ({"bounds": (1, 0)}, "bounds of column"),
        ({"cuts": 3}, "cuts need bounds"),
        ({"cuts": 0}, "cuts must be"),
        ({"random_state": "x"}, "random_state must be"),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    with pytest.raises(ParameterError, match=words):
        ConjunctionClassifier(**{"epsilon": 1, "classes": [0, 1], **parameters}).fit(X, TARGETS[ConjunctionClassifier])


@pytest.mark.parametrize("strange", ["secret", 0.5, None])
def test_a_row_whose_label_is_not_declared_weighs_nothing(strange):
    # Refusing it would tell that such a row is there.
    y = TARGETS[ConjunctionClassifier].astype(object)
    mixed = np.where(np.arange(len(y)) % 2, y, strange)
    model = ConjunctionClassifier(epsilon=9, classes=[0, 1], random_state=1).fit(X, mixed)
    other = ConjunctionClassifier(epsilon=9, classes=[0, 1], random_state=1).fit(X[1::2], y[1::2])
    assert str(model.rule_) == str(other.rule_)


def test_size_keeps_the_heaviest_points_of_a_card():
    y = TARGETS[HalfspaceClassifier]
    model = HalfspaceClassifier(epsilon=5, classes=[0, 1], size=2, random_state=1).fit(X, y)
    frame = model.get_rules()
    assert len(frame[frame["condition"] != "threshold"]) == 2


def test_the_recipe_reads_public_numbers_only():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wide = RNG.integers(0, 2, (300, 40))
        model = PrivateRuleClassifier(epsilon="0.5", classes=[0, 1]).fit(wide, wide[:, 7])
    assert type(model.rule_.owner).__name__ == "Halfspaces"


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_subsample_costs_no_more_than_epsilon(neighbours):
    y = TARGETS[ConjunctionClassifier]
    model = ConjunctionClassifier(
        epsilon=2, classes=[0, 1], subsample="0.25", neighbours=neighbours, mechanism="rspm", random_state=1
    ).fit(X, y)
    assert model.guarantee_.epsilon == 2
    assert np.mean(model.predict(X) == y) > 0.9
    with pytest.raises(ParameterError, match="subsample"):
        ConjunctionClassifier(epsilon=2, classes=[0, 1], subsample=2).fit(X, y)


def test_the_distance_from_the_threshold_ranks_rows():
    y = TARGETS[HalfspaceClassifier]
    model = HalfspaceClassifier(epsilon=5, classes=[0, 1], random_state=1).fit(X, y)
    margins = model.decision_function(X)
    assert np.array_equal(margins > 0, model.predict(X) == 1)
    assert len(np.unique(margins)) > 4


def test_a_class_too_large_to_list_is_still_sampled_exactly():
    wide = RNG.integers(0, 2, (2000, 40))
    y = wide[:, 3] & wide[:, 17] & (1 - wide[:, 30]) & wide[:, 8]
    model = ConjunctionClassifier(epsilon=6, classes=[0, 1], size=5, random_state=2).fit(wide, y)
    assert model.rule_.owner.size > 2_000_000
    assert np.mean(model.predict(wide) == y) > 0.98


THIRDS = {0: 1 / 3, 1: 2 / 3}  # as integers on one scale they were near 6.7e15, and their sums wrapped


def separable(rows, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, 3)).astype(float)
    return X, (X[:, 0] == 1).astype(int)


@pytest.mark.parametrize("kind", [PrivateRuleClassifier, DecisionListClassifier, ConjunctionClassifier])
def test_neighbours_behave_alike_under_weights_that_once_wrapped(kind):
    """1,384 rows of one label and its neighbours: one was refused, the other released."""
    X = np.ones((1384, 3))
    for changed in (0, 1, 2):
        y = np.ones(1384, dtype=int)
        y[:changed] = 0
        kind(epsilon="0.1", classes=[0, 1], class_weight=THIRDS, random_state=1).fit(X, y)


@pytest.mark.parametrize("kind", [PrivateRuleClassifier, DecisionListClassifier, ConjunctionClassifier])
def test_weights_of_thirds_learn_a_sensible_rule(kind):
    X, y = separable(3000)
    found = kind(epsilon=5, classes=[0, 1], class_weight=THIRDS, random_state=2).fit(X, y)
    assert np.mean(found.predict(X) == y) > 0.95


def test_odd_weights_on_few_rows_return():
    """The surrogate's exact gradient was wrong for such totals, and no certificate was ever found."""
    X, y = separable(279)
    weights = {0: 0.123456789, 1: 0.987654321}
    found = HalfspaceClassifier(epsilon=5, classes=[0, 1], class_weight=weights, random_state=2).fit(X, y)
    assert found.guarantee_.epsilon == 5
