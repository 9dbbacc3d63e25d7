"""One fit of an estimator as a mechanism: all classes, all rows or a secret sample of them, one charge."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Query
from oracledp.data.literals import Literals
from oracledp.learners.encoding import Encoder
from oracledp.learning import Learner, Sample
from oracledp.mechanisms.subsampling import random_rows
from oracledp.oracles.base import Certificate
from oracledp.privacy.door import Facts
from oracledp.privacy.guarantee import Guarantee
from oracledp.randomness.source import Randomness

UNKNOWN = -1  # the number of a label that is none of the classes: its row weighs nothing

LabelledRows = tuple[NDArray[np.uint8], NDArray[np.intp]]  # a record over literals and the number of a class each


@dataclass(frozen=True)
class Fitted:
    """One query for two classes, one per class for more, and why they should be believed."""

    queries: tuple[Query, ...]
    certificate: Certificate | None


@dataclass(frozen=True)
class Fitting:
    """A learner settled by the rows, then run once per problem on them: ``epsilon`` covers all of it.

    ``weights`` are the classes' public weights as integers. With ``share`` below one the rows are a secret sample,
    and the learner's own ε is larger than the whole (proofs/subsampling.md).
    """

    learner: Learner
    literals: Literals
    epsilon: Fraction
    weights: tuple[int, ...]
    share: Fraction = Fraction(1)

    @property
    def name(self) -> str:
        """The learner's."""
        return self.learner.name

    @property
    def guarantee(self) -> Guarantee:
        """All problems together; each has the learner's δ."""
        promise = self.learner.guarantee
        return replace(promise, epsilon=self.epsilon, delta=problems(len(self.weights)) * promise.delta)

    def check(self, facts: Facts) -> None:
        """A size and weights that the learner bears."""
        self.learner.check(facts.rows_bound, max(self.weights))

    def run(self, data: LabelledRows, source: Randomness) -> Fitted:
        """One problem for two classes, one per class for more."""
        records, labels = data
        if self.share < 1:
            kept = random_rows(len(records), self.share, self.guarantee.neighbours, source)
            records, labels = records[kept], labels[kept]
        known = labels != UNKNOWN
        records, labels = records[known], labels[known]
        queries, certificate = [], None
        learner = self.learner.settled(len(records), source)
        for place in positive_classes(len(self.weights)):
            others = max(weight for number, weight in enumerate(self.weights) if number != place)
            sample = Sample.of(self.literals, records, labels == place, weights=(others, self.weights[place]))
            learned = learner.run(sample, source)
            queries.append(learned.query)
            certificate = learned.certificate
        return Fitted(tuple(queries), certificate)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A fit that is ready to be charged: the mechanism, public facts, and **private** rows."""

    fitting: Fitting
    encoder: Encoder
    classes: NDArray[Any]
    facts: Facts
    data: LabelledRows = field(repr=False)


def problems(classes: int) -> int:
    """How many binary problems share ε."""
    return classes if classes > 2 else 1


def positive_classes(classes: int) -> range:
    """Two classes need one problem, more need one each, one needs none."""
    return range(classes) if classes > 2 else range(1, classes)
