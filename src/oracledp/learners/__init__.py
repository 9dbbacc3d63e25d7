"""scikit-learn estimators that learn one readable rule, list or scoring card under differential privacy.

Tables that differ by one record more or less cannot be told apart; ``neighbours="replace-one"`` is the other relation.

>>> import numpy as np
>>> from oracledp.learners import PrivateRuleClassifier
>>> X = np.tile([[0, 1], [1, 0], [1, 1], [0, 0]], (500, 1)); y = X[:, 0]
>>> model = PrivateRuleClassifier(epsilon=5, bounds=(0, 1), classes=[0, 1]).fit(X, y)
>>> model.guarantee_.robust, bool((model.predict(X) == y).mean() > 0.9)
(True, True)
"""

from oracledp.extras import optional

optional("sklearn", extra="sklearn")

from oracledp.learners.base import PrivateClassifier
from oracledp.learners.estimators import (
    ConjunctionClassifier,
    DecisionListClassifier,
    DisjunctionClassifier,
    HalfspaceClassifier,
    ParityClassifier,
    PrivateRuleClassifier,
)
from oracledp.learners.given import TargetAmongFeaturesWarning
from oracledp.learners.lineage import RepeatedFitWarning
from oracledp.learners.loading import load_model
from oracledp.learners.regressors import CardRegressor, PrivateRegressor, TreeRegressor
from oracledp.learners.selector import PrivateGridSearch, PrivateSelector
from oracledp.learners.showing import NotPrivateWarning
from oracledp.learners.trees import TreeClassifier

__all__ = [
    "CardRegressor",
    "ConjunctionClassifier",
    "DecisionListClassifier",
    "DisjunctionClassifier",
    "HalfspaceClassifier",
    "NotPrivateWarning",
    "ParityClassifier",
    "PrivateClassifier",
    "PrivateGridSearch",
    "PrivateRegressor",
    "PrivateRuleClassifier",
    "PrivateSelector",
    "RepeatedFitWarning",
    "TargetAmongFeaturesWarning",
    "TreeClassifier",
    "TreeRegressor",
    "load_model",
]
