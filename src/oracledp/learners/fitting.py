"""One fit of an estimator as a mechanism: all classes, all rows or a secret sample of them, one charge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Query
from oracledp.data.literals import Literals
from oracledp.learners.chances import BandCounts, shares
from oracledp.learners.encoding import Encoder
from oracledp.learners.rule_sets import RuleSet
from oracledp.learning import ClassSample, Learner, Sample
from oracledp.mechanisms.subsampling import random_rows
from oracledp.oracles.base import Certificate
from oracledp.privacy.door import Facts, Mechanism
from oracledp.privacy.guarantee import Guarantee
from oracledp.randomness.source import Randomness

UNKNOWN = -1  # the number of a label that is none of the classes: its row weighs nothing


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """A record over literals, the number of a class and perhaps a weight each: **private**, but for ``heaviest``.

    No row weighs more than ``heaviest``, a whole number; without weights each row weighs one.
    """

    records: NDArray[np.uint8] = field(repr=False)
    labels: NDArray[np.intp] = field(repr=False)
    weights: NDArray[np.int64] | None = field(default=None, repr=False)
    heaviest: int = 1

    def __len__(self) -> int:
        return len(self.records)

    def only(self, kept: NDArray[Any]) -> LabelledRows:
        """Some of the rows."""
        held = None if self.weights is None else self.weights[kept]
        return LabelledRows(self.records[kept], self.labels[kept], held, self.heaviest)

    def known(self) -> LabelledRows:
        """The rows whose label is one of the classes."""
        return self.only(self.labels != UNKNOWN)


@dataclass(frozen=True)
class Fitted:
    """One query for two classes, one per class for more, why they should be believed, and the log odds of a point."""

    queries: tuple[Query, ...]
    certificate: Certificate | None
    logit: float | None = None
    band_shares: tuple[tuple[float, ...], ...] | None = None
    clip: float = 1.0


@dataclass(frozen=True)
class Counting:
    """The classes counted in the bands of released rules: what probabilities are made of."""

    mechanism: BandCounts
    encoder: Encoder
    classes: tuple[Any, ...]

    def run(self, queries: tuple[Query, ...], data: LabelledRows, source: Randomness) -> tuple[tuple[float, ...], ...]:
        """The share of each class in each band."""
        bands = RuleSet(self.classes, queries, self.encoder).bands
        shape = len(bands.predicted), len(self.classes)
        counts = self.mechanism.run(bands.of(data.records), data.labels, shape, source)
        found = shares(counts, np.array(bands.predicted), ordered=bands.ordered)
        return tuple(tuple(row) for row in found.tolist())


@dataclass(frozen=True)
class Fitting:
    """A learner settled by the rows, then run once per problem on them: ``epsilon`` covers all of it.

    ``weights`` are the classes' public weights as integers, and no row weighs more than ``heaviest``. With
    ``share`` below one the rows are a secret sample, and the learner's own ε is larger than the whole
    (proofs/subsampling.md).
    """

    learner: Learner
    literals: Literals
    epsilon: Fraction
    weights: tuple[int, ...]
    share: Fraction = Fraction(1)
    counting: Counting | None = None
    heaviest: int = 1

    @property
    def name(self) -> str:
        """The learner's."""
        return self.learner.name

    @property
    def guarantee(self) -> Guarantee:
        """All problems together; each has the learner's δ."""
        promise = self.learner.guarantee
        times = 1 if self.learner.at_once else problems(len(self.weights))
        whole = replace(promise, epsilon=self.epsilon, delta=times * promise.delta)
        return whole if self.counting is None else replace(whole, proof="band-counts")

    def check(self, facts: Facts) -> None:
        """A size and weights that the learner bears."""
        self.learner.check(facts.rows_bound, max(self.weights) * self.heaviest)

    def run(self, data: LabelledRows, source: Randomness) -> Fitted:
        """One problem for two classes, one per class for more."""
        if self.share < 1:
            data = data.only(random_rows(len(data), self.share, self.guarantee.neighbours, source))
        data = data.known()
        queries, certificate = [], None
        learner = self.learner.settled(len(data), source)
        if learner.run_classes is not None and len(self.weights) > 1:
            cards = learner.run_classes(self._by_class(data), source)
            return Fitted(cards.queries, cards.certificate, cards.logit, clip=cards.clip)
        for place in positive_classes(len(self.weights)):
            learned = learner.run(self._against_others(data, place), source)
            queries.append(learned.query)
            certificate = learned.certificate
        fitted = Fitted(tuple(queries), certificate)
        if self.counting is None or not queries:
            return fitted
        return replace(fitted, band_shares=self.counting.run(fitted.queries, data, source))

    def _by_class(self, data: LabelledRows) -> ClassSample:
        return ClassSample.of(
            data.records, data.labels, weights=self.weights, row_weights=data.weights, heaviest=self.heaviest
        )

    def _against_others(self, data: LabelledRows, place: int) -> Sample:
        others = max(weight for number, weight in enumerate(self.weights) if number != place)
        weights = others, self.weights[place]
        label = data.labels == place
        return Sample.of(
            self.literals, data.records, label, weights=weights, row_weights=data.weights, heaviest=self.heaviest
        )


@dataclass(frozen=True, eq=False)
class Prepared:
    """A fit that is ready to be charged: the mechanism, public facts, and **private** rows."""

    fitting: Mechanism[LabelledRows, Fitted]
    encoder: Encoder
    classes: NDArray[Any]
    facts: Facts
    data: LabelledRows = field(repr=False)


def number_of_class(label: Any, place: Mapping[Any, int]) -> int:
    """The number of a label; what no dictionary can look up (a list, a signalling NaN) is none of the classes."""
    try:
        return place.get(label, UNKNOWN)
    except Exception:  # of the label's own
        return UNKNOWN


def problems(classes: int) -> int:
    """How many binary problems share ε."""
    return classes if classes > 2 else 1


def positive_classes(classes: int) -> range:
    """Two classes need one problem, more need one each, one needs none."""
    return range(classes) if classes > 2 else range(1, classes)
