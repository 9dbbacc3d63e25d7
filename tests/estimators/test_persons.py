"""Estimators, synthesizers, games and bought schemas on rows of persons: bounded, said, and never learned from."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import oracledp as odp
from oracledp.classes import Conjunctions
from oracledp.data.table.texts import read_texts
from oracledp.data.table.unit import Unit
from oracledp.errors import BudgetExceeded, DataError, OracleDPError, ParameterError
from oracledp.learners import (
    CardRegressor,
    ConjunctionClassifier,
    DecisionListClassifier,
    DisjunctionClassifier,
    HalfspaceClassifier,
    ParityClassifier,
    PrivateGridSearch,
    PrivateRuleClassifier,
    PrivateSelector,
    TreeClassifier,
    TreeRegressor,
    load_model,
)
from oracledp.learners.persons import Persons, bounded
from oracledp.mechanisms.private_schema import infer_schema
from oracledp.privacy.guarantee import Guarantee
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import SeededRandomness

DRAW = np.random.default_rng(3)
FRAME = pandas.DataFrame(
    {
        "patient_id": [f"p{number}" for number in DRAW.integers(0, 300, 900)],
        "a": DRAW.integers(0, 2, 900),
        "b": DRAW.integers(0, 2, 900),
    }
)
FRAME["y"] = FRAME.a & FRAME.b
SCHEMA = odp.Schema({"a": "boolean", "b": "boolean", "y": "boolean"})
X, Y = FRAME[["patient_id", "a", "b"]], FRAME.y
ONE: dict[str, Any] = {"epsilon": 1, "bounds": (0, 1)}
CLASSES = [0, 1]
KINDS = {
    "conjunction": ConjunctionClassifier(classes=CLASSES, **ONE),
    "disjunction": DisjunctionClassifier(classes=CLASSES, **ONE),
    "parity": ParityClassifier(classes=CLASSES, **ONE),
    "list": DecisionListClassifier(classes=CLASSES, **ONE),
    "card": HalfspaceClassifier(classes=CLASSES, delta="1e-6", **ONE),
    "auto": PrivateRuleClassifier(classes=CLASSES, **ONE),
    "tree": TreeClassifier(classes=CLASSES, depth=1, **ONE),
    "schema": ConjunctionClassifier(epsilon=1, schema=SCHEMA, classes=CLASSES),
    "selector": PrivateSelector(
        [ConjunctionClassifier(**ONE), TreeClassifier(depth=1, **ONE)], epsilon=1, classes=CLASSES
    ),
    "grid": PrivateGridSearch(ConjunctionClassifier(**ONE), {"size": [1, 2]}, epsilon=1, classes=CLASSES),
}  # fmt: skip


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_every_classifier_says_person_and_spends_what_was_asked(kind: str, rows: int, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "b", epsilon=1, delta="1e-5", unit="person")
    model = KINDS[kind].set_params(ledger=ledger).fit(X, Y, person="patient_id", rows_per_person=rows)
    assert model.guarantee_.unit == Unit("patient_id", rows)
    assert model.guarantee_.epsilon == 1
    assert model.guarantee_.delta <= Fraction(1, 10**6)
    assert "any one person (all rows with one patient_id)" in str(model.guarantee_)
    (charge,) = ledger.charges
    assert (charge.person, charge.rows_per_person, charge.epsilon) == ("patient_id", rows, 1)
    assert "patient" not in str(model).replace(str(model.guarantee_), "")
    assert len(model.predict(FRAME[["a", "b"]])) == len(FRAME)


@pytest.mark.parametrize(
    "model",
    [
        TreeRegressor(epsilon=1, bounds=(0, 1), target_bounds=(0, 1), depth=1),
        CardRegressor(epsilon=1, delta="1e-6", bounds=(0, 1), target_bounds=(0, 1)),
    ],
)
def test_regressors(model: Any) -> None:
    model.fit(X, Y, person="patient_id", rows_per_person=2)
    assert model.guarantee_.unit == Unit("patient_id", 2)
    assert (model.guarantee_.epsilon, model.epsilon) == (1, 1)


def test_ids_may_be_given_beside_the_features_and_are_never_among_them() -> None:
    model = TreeClassifier(depth=1, classes=CLASSES, **ONE).fit(FRAME[["a", "b"]], Y, person=FRAME.patient_id)
    assert model.guarantee_.unit.person == "patient_id"
    assert list(model.feature_names_in_) == ["a", "b"]
    model = TreeClassifier(depth=1, classes=CLASSES, **ONE).fit(
        FRAME[["a", "b"]].to_numpy(), Y, person=list(FRAME.patient_id)
    )
    assert model.guarantee_.unit.person == "person"
    model = TreeClassifier(depth=1, target="y", classes=CLASSES, **ONE).fit(FRAME, person="patient_id")
    assert list(model.feature_names_in_) == ["a", "b"]
    assert len(model.predict(FRAME)) == len(FRAME)  # the columns of ids and of the target are passed over


@pytest.mark.parametrize("rows", [1, 2])
def test_every_library_keeps_the_same_rows(rows: int) -> None:
    model, persons = TreeClassifier(depth=1, classes=CLASSES, **ONE), Persons("patient_id", rows)
    kept = bounded(model, X, Y, None, persons)
    assert max(X.loc[kept.X.index].patient_id.value_counts()) == rows
    assert set(kept.X.columns) == {"a", "b"}
    for frame, labels in (
        (polars.from_pandas(X), polars.Series(Y.tolist())),
        (pyarrow.Table.from_pandas(X, preserve_index=False), pyarrow.array(Y.tolist())),
        (X, Y.astype(float)),
        (X, [str(label) for label in Y]),
    ):
        found = bounded(model, frame, labels, None, persons)
        assert np.asarray(found.X["a"]).tolist() == kept.X["a"].tolist()
        assert [float(label) for label in found.y] == kept.y.tolist()
    mixed = FRAME.sample(frac=1, random_state=1)
    other = bounded(model, mixed[["patient_id", "a", "b"]], mixed.y, None, persons)
    assert sorted(zip(other.X.a, other.X.b, other.y, strict=True)) == sorted(
        zip(kept.X.a, kept.X.b, kept.y, strict=True)
    )


def test_what_is_kept_of_one_knows_nobody_else() -> None:
    """Not even where a row without a label turns a column of integers into one of floats."""
    model, persons = TreeClassifier(depth=1, classes=CLASSES, **ONE), Persons("patient_id", 2)
    weights = DRAW.random(len(FRAME))
    whole = bounded(model, X, Y, weights, persons)
    others = (FRAME.patient_id != "p7").to_numpy()
    odd = Y.astype(float).where(others, np.nan)
    without = bounded(model, X[others], Y[others], weights[others], persons)
    for found in (whole, bounded(model, X, odd, weights, persons)):
        left = found.X[others[found.X.index]]
        assert left.index.tolist() == without.X.index.tolist()
    assert len(whole.X) - len(without.X) <= 2


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"person": "nobody"}, DataError, "'nobody', which tells persons apart, is missing"),
        ({"person": ["x"]}, ParameterError, "one id for each row"),
        ({"rows_per_person": 2}, ParameterError, "needs person"),
        ({"person": "patient_id", "rows_per_person": 0}, ParameterError, "rows_per_person must be"),
        ({"person": ""}, ParameterError, "name of a column"),
    ],
)
def test_mistakes_cost_nothing(tmp_path: Path, options: dict[str, Any], error: type[Exception], words: str) -> None:
    ledger = Ledger.create(tmp_path / "b", epsilon=1, unit="person")
    with pytest.raises(error, match=words):
        TreeClassifier(depth=1, classes=CLASSES, ledger=ledger, **ONE).fit(X, Y, **options)
    assert ledger.spent == (0, 0)


def test_what_does_not_add_up_is_refused(tmp_path: Path) -> None:
    rows = Ledger.create(tmp_path / "b", epsilon=1)
    with pytest.raises(BudgetExceeded, match="per row"):
        TreeClassifier(depth=1, classes=CLASSES, ledger=rows, **ONE).fit(X, Y, person="patient_id")
    model = TreeClassifier(depth=1, classes=CLASSES, neighbours="replace-one", **ONE)
    with pytest.raises(ParameterError, match="one row per person"):
        model.fit(X, Y, person="patient_id", rows_per_person=2)
    with pytest.raises(ParameterError, match="take it out of the schema"):
        ConjunctionClassifier(epsilon=1, schema=SCHEMA, classes=CLASSES).fit(FRAME, Y, person="a")
    assert model.fit(X, Y, person="patient_id").guarantee_.unit.rows == 1


def test_synthesizer_and_game() -> None:
    made = odp.Synthesizer(SCHEMA, epsilon=1, delta="1e-6").fit(FRAME, person="patient_id", rows_per_person=2)
    assert made.guarantee_.unit == Unit("patient_id", 2)
    assert list(made.sample(3, seed=1).columns) == ["a", "b", "y"]
    with pytest.raises(ParameterError, match="where it is read"):
        odp.Synthesizer(SCHEMA, epsilon=1, delta="1e-6").fit(odp.Table.from_frame(FRAME, SCHEMA), person="patient_id")
    queries = Conjunctions(SCHEMA.literals, max_width=1)
    game = odp.OracleQuery(SCHEMA, epsilon=1, delta="1e-6", queries=queries, rounds=2).fit(FRAME, person="patient_id")
    assert game.guarantee_.unit == Unit("patient_id")


@pytest.mark.parametrize("kind", ["frame", "csv", "parquet"])
def test_a_bought_schema(kind: str, tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "d.csv", index=False)
    FRAME.to_parquet(tmp_path / "d.parquet")
    data = FRAME if kind == "frame" else tmp_path / f"d.{kind}"
    for rows in (1, 2):
        texts = read_texts(data, unit=Unit("patient_id", rows))
        expected = FRAME.patient_id.value_counts().clip(upper=rows).sum()
        assert (texts.names, texts.rows) == (("a", "b", "y"), expected)
    found = infer_schema(
        data, epsilon=20, delta="1e-3", person="patient_id", rows_per_person=2, source=SeededRandomness(1)
    )
    assert found.guarantee.unit == Unit("patient_id", 2)
    assert found.guarantee.epsilon == 20
    assert "patient_id" not in found.schema.names
    with pytest.raises(DataError, match="which tells persons apart, is missing"):
        infer_schema(data, epsilon=20, delta="1e-3", person="nobody")
    with pytest.raises(ParameterError, match="one row per person"):
        infer_schema(data, epsilon=20, delta="1e-3", person="patient_id", rows_per_person=2, neighbours="replace-one")


@pytest.mark.parametrize("kind", ["card", "tree", "selector", "schema"])
def test_a_loaded_estimator_still_speaks_of_persons(kind: str, tmp_path: Path) -> None:
    """It knew its guarantee, and then took the column of ids for one to predict from."""
    known = KINDS[kind]
    fitted = type(known)(**{**known.get_params(deep=False), "ledger": None}).fit(X, Y, person="patient_id")
    fitted.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert loaded.guarantee_ == fitted.guarantee_
    assert loaded.guarantee_.unit == Unit("patient_id")
    assert loaded.person_ == "patient_id"
    assert "any one person (all rows with one patient_id)" in str(loaded.guarantee_)
    assert (loaded.predict(X) == fitted.predict(X)).all()
    assert (loaded.predict(X[["a", "b"]]) == fitted.predict(X)).all()


def test_a_fit_on_rows_forgets_the_persons_of_the_last_one() -> None:
    model = ConjunctionClassifier(classes=CLASSES, **ONE).fit(X, Y, person="patient_id")
    assert model.fit(X[["a", "b"]], Y).person_ is None


@pytest.mark.parametrize("rows", [0, -3, 10**9, "many", 1.5])
def test_a_saved_guarantee_with_impossible_persons_is_refused(rows: Any) -> None:
    made = {**ConjunctionClassifier(classes=CLASSES, **ONE).fit(X, Y, person="patient_id").guarantee_.to_json()}
    with pytest.raises(OracleDPError):
        Guarantee.from_json({**made, "rows_per_person": rows})
