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
# By estimator: check and reason. Cards of several classes round their points after noise that follows the heaviest row.
WEIGHED = {"check_sample_weight_equivalence_on_dense_data": "a row of weight 4 hears four times the noise of four rows"}
EXPECTED_FAILURES: dict[type, dict[str, str]] = {HalfspaceClassifier: WEIGHED, PrivateRuleClassifier: WEIGHED}


@pytest.mark.parametrize("estimator", ALL)
def test_check_estimator(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks score on their own data and set seeds
        results = check_estimator(
            estimator(epsilon=1000, bounds=(-5, 5), cuts=3),
            expected_failed_checks=EXPECTED_FAILURES.get(estimator, {}),
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
