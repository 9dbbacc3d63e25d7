"""``size=`` on cards: few lines that were learned as such."""

import numpy as np
import pytest

from oracledp.learners import HalfspaceClassifier, PrivateRuleClassifier

DRAWS = np.random.default_rng(8)
X = DRAWS.integers(0, 2, (20000, 12))
Y = (X[:, 3] + X[:, 7] + X[:, 9] >= 2).astype(int)


@pytest.mark.parametrize("delta", [None, "1e-5"])
def test_a_card_of_three_lines_finds_the_three_that_matter(delta: str | None) -> None:
    model = HalfspaceClassifier(epsilon=2, delta=delta, size=3, classes=[0, 1]).fit(X, Y)
    assert {str(literal) for literal in model.rule_.owner.literals} == {"x3", "x7", "x9"}
    assert (model.predict(X) == Y).mean() > 0.99
    assert model.guarantee_.epsilon == 2


@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2]])
def test_class_weights_are_no_reason_to_refuse_a_small_card(classes: list[int]) -> None:
    weights = {label: 1 + 2 * label for label in classes}
    model = HalfspaceClassifier(epsilon=2, size=3, classes=classes, class_weight=weights).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.9


def test_thresholds_of_one_column_share_their_lines() -> None:
    numbers = DRAWS.random((20000, 4))
    labels = (numbers[:, 2] + 0.2 * DRAWS.random(20000) > 0.6).astype(int)
    model = HalfspaceClassifier(epsilon=2, delta="1e-5", size=1, bounds=(0, 1), cuts=4, classes=[0, 1]).fit(
        numbers, labels
    )
    assert str(model.rule_.owner.literals[0]).startswith("x2 >= ")
    assert (model.predict(numbers) == labels).mean() > 0.8


def test_several_classes_keep_the_same_lines() -> None:
    model = PrivateRuleClassifier(epsilon=3, delta="1e-5", size=2, classes=[0, 1, 2]).fit(X, X[:, 0] + X[:, 1])
    assert all({str(name) for name in rule.owner.literals} == {"x0", "x1"} for rule in model.rule_)
    assert (model.predict(X) == X[:, 0] + X[:, 1]).mean() > 0.9
