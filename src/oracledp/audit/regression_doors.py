"""Regressors through the front door: the whole law of a tree of levels, and fits by coupling what they release."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from oracledp.audit.doors import Door, Entry, Seen
from oracledp.audit.exact_law import DataSet
from oracledp.audit.learner_doors import shown_model
from oracledp.classes.decision_trees import DecisionTrees
from oracledp.data.literals import Literals
from oracledp.mechanisms.private_trees import PrivateTrees
from oracledp.mechanisms.value_trees import GRID, LEVELS, ValueTrees
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import DrawSource

VALUED = ((0, 0), (1, 1), (0, 1), (1, 0))  # (feature, target between 0 and 1)


def level_tree(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """A tree of levels before its leaves are measured."""
    trees = DecisionTrees(Literals.named("x"), depth=1, labels=LEVELS)
    mechanism = ValueTrees(PrivateTrees(trees, Fraction(1), relation))
    rows = np.repeat(np.array(VALUED, dtype=np.int64), np.array(data), axis=0)
    parts = mechanism.run(rows[:, :1].astype(np.uint8), GRID * rows[:, 1], source)
    return Seen(str(trees.query(*parts)), mechanism.guarantee)


def valued(kind: str, **options: Any) -> Entry:
    """The fit of a regressor: its saved form and its text."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        from oracledp import learners

        rows = np.repeat(np.array(VALUED, dtype=np.int64), np.array(data), axis=0)
        model = getattr(learners, kind)(
            target_bounds=(0, 1), bounds=(0, 1), neighbours=relation, random_state=source, **options
        )
        model.fit(rows[:, :1], rows[:, 1])
        return Seen(shown_model(model), model.guarantee_)

    return enter


def regression_law_doors() -> list[Door]:
    """Every tree of levels over one literal."""
    return [Door("tree of levels", level_tree, rows=1, base=(4, 4, 0, 0))]


def regression_doors() -> list[Door]:
    """Whole fits: what the leaves and the steps released costs, and that nothing else differs."""
    card: dict[str, Any] = {"epsilon": Fraction(1), "delta": Fraction(1, 1000)}
    return [
        Door("fit regression tree", valued("TreeRegressor", epsilon=Fraction(1), depth=1), rows=1, base=(2, 2, 0, 0)),
        Door("fit regression card", valued("CardRegressor", **card), rows=1, base=(2, 2, 0, 0)),
    ]
