"""What an estimator has learned: one query for two classes, one per class for more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Query, query_from_json
from oracledp.classes.pictures import Branching, Card, Lines, branches_in_words, in_words
from oracledp.learners.bands import Bands, bands_of
from oracledp.learners.encoding import Encoder
from oracledp.learners.risk_tables import risk_lines, risk_table, straightened
from oracledp.learning import values_of


@dataclass(frozen=True)
class RuleSet:
    """Released queries over an encoder's literals; no training data. Two classes need one query, K need K."""

    classes: tuple[Any, ...]
    queries: tuple[Query, ...]
    encoder: Encoder
    logit: float | None = None  # the log odds of a point, where cards were learned by likelihood
    band_shares: tuple[tuple[float, ...], ...] | None = None  # of the classes in each band, where they were counted
    clip: float = 1.0  # of a logistic card of two classes: the largest residual that a record could pull with

    def predict(self, rows: Any) -> NDArray[np.intp]:
        """The number of the predicted class for each row."""
        return self.predict_records(self.encoder.encode(rows))

    def predict_records(self, records: NDArray[np.uint8]) -> NDArray[np.intp]:
        """The same for rows that are encoded already."""
        if self._many_labels:
            return self._labels(records)
        margins = self._margins(records)
        if margins.ndim == 1:
            return np.asarray(margins > 0, dtype=np.intp)
        return np.asarray(np.argmax(margins, axis=1), dtype=np.intp)

    @property
    def finished(self) -> tuple[tuple[Any, ...], Callable[[NDArray[np.uint8]], NDArray[np.intp]]]:
        """Everything that can be predicted, and the place there of each record's prediction."""
        return self.classes, self.predict_records

    def margins(self, rows: Any) -> NDArray[np.float64]:
        """How far each row is on the positive side: one number for two classes, one per class for more."""
        records = self.encoder.encode(rows)
        if self.band_shares is None or self.bands.ordered:
            return self._margins(records)
        chances = np.log(np.array(self.band_shares))[self.bands.of(records)]
        return np.asarray(chances[:, 1] - chances[:, 0] if chances.shape[1] == 2 else chances)

    @property
    def bands(self) -> Bands:
        """What a row's probabilities go by: its margin on a card, the line of a list, or the prediction."""
        return bands_of(self.classes, self.queries, self.encoder.literals, self._margins)

    def chances(self, rows: Any) -> NDArray[np.float64]:
        """The probability of each class for each row, from a logistic card or from what was counted in its band."""
        if self.band_shares is not None:
            return np.asarray(np.array(self.band_shares)[self.bands.of(self.encoder.encode(rows))])
        margins = self.margins(rows)
        scores = np.stack([np.zeros_like(margins), margins], axis=1) if margins.ndim == 1 else margins
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        found = raised / raised.sum(axis=1, keepdims=True)
        return np.asarray(straightened(found, self.clip) if margins.ndim == 1 else found)

    @property
    def _many_labels(self) -> bool:
        """Whether one query tells more than two classes apart by itself."""
        return len(self.queries) == 1 and self.queries[0].owner.labels > 2

    def _labels(self, records: NDArray[np.uint8]) -> NDArray[np.intp]:
        (query,) = self.queries
        return query.owner.label(query.parts, values_of(records, self.encoder.literals, query.owner.literals))

    def _margins(self, records: NDArray[np.uint8]) -> NDArray[np.float64]:
        if not self.queries:
            return np.full(len(records), -1.0)
        if self._many_labels:
            return np.where(self._labels(records)[:, None] == np.arange(len(self.classes)), 1.0, -1.0)
        columns = [self._margin(query, records) for query in self.queries]
        return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)

    def _margin(self, query: Query, records: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Above 0 where the query holds; for a card, how far from its threshold: in log odds, or in its own length."""
        values = values_of(records, self.encoder.literals, query.owner.literals)
        form = query.owner.points(query.parts)
        if form is None or query.owner.as_halfspaces() is None:
            return np.where(query(values), 1.0, -1.0)
        points = np.zeros(len(query.owner.literals), dtype=np.int64)
        for literal, value in form.terms:
            points[literal] = value
        length = (sqrt(sum(int(p) ** 2 for p in points)) or 1.0) if self.logit is None else 1 / self.logit
        # Points are whole, so half a point turns "at least the threshold" into "more than zero".
        return np.asarray((values.astype(np.int64) @ points - form.threshold + 0.5) / length)

    def __str__(self) -> str:
        if not self.queries:
            return f"predict {self.classes[0]}"
        drawn = self.queries[0].owner.picture(self.queries[0].parts)
        if isinstance(drawn, Branching):
            return branches_in_words(drawn, self.classes)
        if len(self.queries) == 1:
            text = in_words(drawn, self.classes[1], self.classes[0])
            return "\n".join([text, *(risk_lines(self.risks(), self.classes[1]) if self.risks() else [])])
        texts = [
            in_words(query.owner.picture(query.parts), label, f"not {label}")
            for query, label in zip(self.queries, self.classes, strict=True)
        ]
        return "\n".join(
            [*texts, "of several classes the one furthest above its threshold, or else the first, is predicted"]
        )

    def risks(self) -> list[tuple[int, float]]:
        """Scores and the chances of the second class that go with them, for a logistic card of two classes."""
        drawn = self.queries[0].owner.picture(self.queries[0].parts) if len(self.queries) == 1 else None
        return risk_table(drawn, self.logit, self.clip) if isinstance(drawn, Card) and self.logit is not None else []

    def rules(self) -> list[dict[str, Any]]:
        """One row per literal, rule or weight: class, order, condition, value."""
        drawn = [query.owner.picture(query.parts) for query in self.queries]
        if len(drawn) == 1 and isinstance(drawn[0], Branching):
            return [
                {"class": self.classes[label], "order": order, "condition": " and ".join(tests) or "always", "value": 1}
                for order, (tests, label) in enumerate(drawn[0].leaves())
            ]
        labels = self.classes[1:] if len(self.queries) == 1 else self.classes
        return [
            {"class": label, "order": order, "condition": condition, "value": value}
            for query, label in zip(self.queries, labels, strict=False)
            for order, (condition, value) in enumerate(_rows(query))
        ]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "classes": [getattr(label, "item", lambda label=label: label)() for label in self.classes],
            "queries": [query.to_json() for query in self.queries],
            "encoder": self.encoder.to_json(),
            "logit": self.logit,
            "band_shares": self.band_shares,
            "clip": self.clip,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], encoder: Encoder) -> RuleSet:
        """Read what :meth:`to_json` wrote."""
        return cls(
            tuple(data["classes"]),
            tuple(query_from_json(query) for query in data["queries"]),
            encoder,
            data.get("logit"),
            _read_shares(data),
            float(data.get("clip", 1.0)),
        )


def _read_shares(data: dict[str, Any]) -> tuple[tuple[float, ...], ...] | None:
    held = data.get("band_shares")
    return None if held is None else tuple(tuple(map(float, row)) for row in held)


def _rows(query: Query) -> list[tuple[str, int]]:
    """The pieces of one query: (condition, points or label)."""
    drawn = query.owner.picture(query.parts)
    if isinstance(drawn, Card):
        return [*((condition, int(points)) for condition, points in drawn.points), ("threshold", int(drawn.threshold))]
    if isinstance(drawn, Lines):
        return [*((condition, int(label)) for condition, label in drawn.lines), ("otherwise", int(drawn.otherwise))]
    if isinstance(drawn, Branching):
        return [(" and ".join(conditions) or "always", label) for conditions, label in drawn.leaves()]
    if drawn.heading == "any of":
        return [(item, 1) for item in drawn.items] or [("never", 1)]
    return [(str(query), 1)]
