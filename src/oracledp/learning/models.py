"""From a model's name to the loss of its rules; and how good a rule is, on rows that one may look at."""

from __future__ import annotations

import numpy as np

from oracledp.classes import ZeroOneLoss
from oracledp.classes.registry import FAMILIES
from oracledp.data.literals import Literal, Literals
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.exact.numbers import MOST_PARTS, whole_or_none
from oracledp.mechanisms.release import Release


def rule_class(model: str, features: Literals, target: Literal, *, size: int | None = None) -> ZeroOneLoss:
    """The 0/1 loss of all rules of a model that predict ``target`` from ``features``.

    >>> rule_class("conjunction", Literals.named("a", "b"), Literal.boolean("sick"), size=2).size
    11
    """
    family = FAMILIES[model]
    size = whole_or_none(size, "size", most=MOST_PARTS)
    if len(features) == 0:
        raise ParameterError("there is no column to learn from besides the target")
    return ZeroOneLoss.of(family.over(features, size), target)


def accuracy(release: Release, table: Table) -> float:
    """The share of rows a released rule predicts rightly. Reads the rows as they are: not private."""
    wrong = release.query(table.matrix(release.query.owner.literals))
    return 1 - float(table.counts[np.flatnonzero(wrong)].sum()) / table.rows


def majority_accuracy(table: Table, target: Literal) -> float:
    """The accuracy of always predicting the more frequent label. Reads the rows as they are: not private."""
    share = float(table.counts[table.matrix(Literals((target,)))[:, 0] == 1].sum()) / table.rows
    return max(share, 1 - share)
