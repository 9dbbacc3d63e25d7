"""scikit-learn's own checks on every estimator."""

import warnings

import pytest
from sklearn.utils.estimator_checks import check_estimator

from oracledp.learners import (
    ConjunctionClassifier,
    DecisionListClassifier,
    DisjunctionClassifier,
    HalfspaceClassifier,
    ParityClassifier,
    PrivateRuleClassifier,
    TreeClassifier,
)

ALL = (
    ConjunctionClassifier,
    DisjunctionClassifier,
    ParityClassifier,
    DecisionListClassifier,
    HalfspaceClassifier,
    PrivateRuleClassifier,
    TreeClassifier,
)
EXPECTED_FAILURES: dict[str, str] = {}  # check: reason. None at present.


@pytest.mark.parametrize("estimator", ALL)
def test_check_estimator(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks score on their own data and set seeds
        results = check_estimator(
            estimator(epsilon=1000, bounds=(-5, 5), cuts=3),
            expected_failed_checks=EXPECTED_FAILURES,
            on_fail=None,
            on_skip=None,
        )
    failed = {row["check_name"]: repr(row["exception"]) for row in results if row["status"] == "failed"}
    assert failed == {}
    assert sum(row["status"] == "passed" for row in results) > 40


@pytest.mark.parametrize("estimator", ALL)
def test_epsilon_has_no_default_and_takes_no_position(estimator):
    with pytest.raises(TypeError, match="epsilon"):
        estimator()
    with pytest.raises(TypeError, match="positional"):
        estimator(1)
