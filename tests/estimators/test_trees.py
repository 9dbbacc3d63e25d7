"""Trees as an estimator: several classes at one price, counts in the leaves, files, refusals before the charge."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas
import pytest
from sklearn.exceptions import NotFittedError

import oracledp as odp
from oracledp.errors import CapacityError, ModelError, ParameterError
from oracledp.learners import ConjunctionClassifier, PrivateSelector, TreeClassifier, load_model
from oracledp.learners import trees as trees_module
from oracledp.privacy.ledger import Ledger

X = np.random.default_rng(5).integers(0, 2, (4000, 4))
FIVE = np.where(X[:, 0] == 1, 2 * X[:, 1], 1 + 2 * X[:, 2]) + X[:, 0] * X[:, 3] * X[:, 1] * 2
COLUMNS = ["smoker", "adult", "coffee", "tea"]


def test_one_tree_tells_five_classes_apart_and_epsilon_is_not_divided() -> None:
    model = TreeClassifier(epsilon=1, classes=[0, 1, 2, 3, 4], random_state=2).fit(X, FIVE)
    assert (model.predict(X) == FIVE).mean() > 0.99
    ready = TreeClassifier(epsilon=1, classes=[0, 1, 2, 3, 4]).prepare(X, FIVE)
    assert ready.fitting.tree.rate(1) == 1  # type: ignore[attr-defined]
    assert len(model.rules_.queries) == 1
    assert model.decision_function(X[:7]).shape == (7, 5)


def test_leaf_counts_come_out_of_epsilon_and_give_shares(tmp_path: Path) -> None:
    model = TreeClassifier(epsilon=2, depth=3, leaf_share="0.25", classes=[0, 1, 2, 3, 4], random_state=2)
    with pytest.raises(Exception, match="not fitted"):
        model.predict_proba(X)
    model.fit(X, FIVE)
    fitting = model.prepare(X, FIVE).fitting
    assert fitting.tree.epsilon + fitting.leaves.epsilon == fitting.guarantee.epsilon == 2  # type: ignore[attr-defined]
    shares = model.predict_proba(X)
    assert shares.shape == (4000, 5)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares.argmax(axis=1) == FIVE).mean() > 0.98
    assert "noisy rows by class" in str(model)
    model.save(tmp_path / "tree.json")
    again = load_model(tmp_path / "tree.json")
    assert str(again) == str(model)
    assert (again.predict_proba(X[:9]) == shares[:9]).all()
    assert not hasattr(TreeClassifier(epsilon=1), "predict_proba")


def test_with_a_sample_of_the_rows_the_shares_of_the_inner_epsilon_add_up() -> None:
    fitting = TreeClassifier(epsilon=1, leaf_share="0.5", subsample="0.5", classes=[0, 1]).prepare(X, X[:, 0]).fitting
    inner = fitting.tree.epsilon + fitting.leaves.epsilon  # type: ignore[attr-defined]
    assert inner == trees_module.inner_epsilon(Fraction(1), Fraction(1, 2)) > 1
    assert fitting.guarantee.epsilon == 1


def test_a_file_whose_counts_do_not_fit_is_refused(tmp_path: Path) -> None:
    model = TreeClassifier(epsilon=2, depth=2, leaf_share="0.25", classes=[0, 1], random_state=1).fit(X, X[:, 0])
    model.save(tmp_path / "tree.json")
    text = (tmp_path / "tree.json").read_text(encoding="utf-8")
    (tmp_path / "tree.json").write_text(text.replace('"leaf_counts": [', '"leaf_counts": [[1, 1],'), encoding="utf-8")
    with pytest.raises(ModelError, match="leaves"):
        load_model(tmp_path / "tree.json")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"depth": 9}, "depth"),
        ({"leaf_share": 1}, "leaf_share"),
        ({"leaf_share": "lots"}, "leaf_share"),
        ({"class_weight": "balanced"}, "class_weight"),
        ({"bounds": (0, 1), "cuts": 60, "depth": 5}, "depth"),
    ],
)
def test_bad_options_cost_nothing(tmp_path: Path, options: dict[str, object], word: str) -> None:
    ledger = Ledger.create(tmp_path / "ledger.json", epsilon=3)
    with pytest.raises((ParameterError, CapacityError), match=word):
        TreeClassifier(epsilon=1, ledger=ledger, classes=[0, 1], **options).fit(X, X[:, 0])  # type: ignore[arg-type]
    assert ledger.spent[0] == 0


def test_class_weights_move_the_labels_and_the_rate() -> None:
    y = (np.arange(4000) % 5 == 0).astype(int)
    plain = TreeClassifier(epsilon=4, depth=1, classes=[0, 1], random_state=1).fit(X, y)
    weighted = TreeClassifier(epsilon=4, depth=1, classes=[0, 1], class_weight={0: 1, 1: 9}, random_state=1).fit(X, y)
    assert plain.predict(X).mean() < 0.5 < weighted.predict(X).mean()


def test_one_class_no_rows_and_a_selector() -> None:
    only = TreeClassifier(epsilon=1, classes=["a"], leaf_share="0.5").fit(X, np.full(4000, "a"))
    assert only.predict(X[:3]).tolist() == ["a"] * 3
    empty = TreeClassifier(epsilon=1, classes=[0, 1], depth=2).fit(X[:0], X[:0, 0])
    assert len(empty.predict(X)) == 4000
    options = [TreeClassifier(epsilon=1, depth=2), ConjunctionClassifier(epsilon=1)]
    chosen = PrivateSelector(options, epsilon=8, classes=[0, 1], random_state=3).fit(X, X[:, 0] ^ X[:, 1])
    assert chosen.best_index_ == 0


def test_tests_of_a_column_are_not_repeated_on_a_path() -> None:
    schema = odp.Schema({"columns": {"age": {"kind": "integer", "lo": 0, "hi": 90, "thresholds": [30, 40, 50]}}})
    frame = pandas.DataFrame({"age": np.arange(4000) % 90})
    middle = frame.age.between(30, 39).to_numpy()
    model = TreeClassifier(epsilon=50, depth=3, schema=schema, classes=[0, 1]).fit(frame, middle)
    assert (model.predict(frame) == frame.age.between(30, 39)).all()
    trees = model.rule_.owner
    assert trees.open_tests(((1, True),)) == [2]  # above 40 only 50 is open


@pytest.mark.parametrize("classes", [["ill", "<well>"], list("abcde")])
def test_trees_are_learned_printed_drawn_and_saved(tmp_path: Path, classes: list[str]) -> None:
    rows = np.tile(np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]), (500, 1))
    labels = np.array(classes)[(4 * rows[:, 0] + 2 * rows[:, 1] + rows[:, 2]) % len(classes)]
    model = TreeClassifier(epsilon=2, depth=3, classes=classes).fit(rows, labels)
    assert (model.predict(rows) == labels).all()
    assert all(f": {label}" in str(model) for label in classes)
    model.plot().save(tmp_path / "tree.svg")
    drawing = ElementTree.parse(tmp_path / "tree.svg").getroot()
    words = [mark.text for mark in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert set(classes) <= set(words)
    tests = [word for word in words if word not in {*classes, "yes", "no"}]
    assert words.count("yes") == words.count("no") == len(tests) == str(model.rules_).count("if ")
    model.save(tmp_path / "tree.json")
    assert (load_model(tmp_path / "tree.json").predict(rows) == labels).all()
    with pytest.raises(NotFittedError):
        TreeClassifier(epsilon=1).plot()
