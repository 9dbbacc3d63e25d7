"""What an estimator has learned: one query for two classes, one per class for more."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes import Query, query_from_json
from oracledp.classes.pictures import Card, Lines, in_words
from oracledp.learners.encoding import Encoder
from oracledp.learning import values_of


@dataclass(frozen=True)
class RuleSet:
    """Released queries over an encoder's literals; no training data. Two classes need one query, K need K."""

    classes: tuple[Any, ...]
    queries: tuple[Query, ...]
    encoder: Encoder

    def predict(self, rows: Any) -> NDArray[np.intp]:
        """The number of the predicted class for each row."""
        return self.predict_records(self.encoder.encode(rows))

    def predict_records(self, records: NDArray[np.uint8]) -> NDArray[np.intp]:
        """The same for rows that are encoded already."""
        margins = self._margins(records)
        if margins.ndim == 1:
            return np.asarray(margins > 0, dtype=np.intp)
        return np.asarray(np.argmax(margins, axis=1), dtype=np.intp)

    def margins(self, rows: Any) -> NDArray[np.float64]:
        """How far each row is on the positive side: one number for two classes, one per class for more."""
        return self._margins(self.encoder.encode(rows))

    def _margins(self, records: NDArray[np.uint8]) -> NDArray[np.float64]:
        if not self.queries:
            return np.full(len(records), -1.0)
        columns = [self._margin(query, records) for query in self.queries]
        return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)

    def _margin(self, query: Query, records: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Above 0 where the query holds; for a card, how far from its threshold, in units of its own length."""
        values = values_of(records, self.encoder.literals, query.owner.literals)
        form = query.owner.points(query.parts)
        if form is None or query.owner.as_halfspaces() is None:
            return np.where(query(values), 1.0, -1.0)
        points = np.zeros(len(query.owner.literals), dtype=np.int64)
        for literal, value in form.terms:
            points[literal] = value
        length = sqrt(sum(int(p) ** 2 for p in points)) or 1.0
        # Points are whole, so half a point turns "at least the threshold" into "more than zero".
        return np.asarray((values.astype(np.int64) @ points - form.threshold + 0.5) / length)

    def __str__(self) -> str:
        if not self.queries:
            return f"predict {self.classes[0]}"
        if len(self.queries) == 1:
            return in_words(self.queries[0].owner.picture(self.queries[0].parts), self.classes[1], self.classes[0])
        texts = [
            in_words(query.owner.picture(query.parts), label, f"not {label}")
            for query, label in zip(self.queries, self.classes, strict=True)
        ]
        return "\n".join(
            [*texts, "of several classes the one furthest above its threshold, or else the first, is predicted"]
        )

    def rules(self) -> list[dict[str, Any]]:
        """One row per literal, rule or weight: class, order, condition, value."""
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
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], encoder: Encoder) -> RuleSet:
        """Read what :meth:`to_json` wrote."""
        return cls(tuple(data["classes"]), tuple(query_from_json(query) for query in data["queries"]), encoder)


def _rows(query: Query) -> list[tuple[str, int]]:
    """The pieces of one query: (condition, points or label)."""
    drawn = query.owner.picture(query.parts)
    if isinstance(drawn, Card):
        return [*((condition, int(points)) for condition, points in drawn.points), ("threshold", int(drawn.threshold))]
    if isinstance(drawn, Lines):
        return [*((condition, int(label)) for condition, label in drawn.lines), ("otherwise", int(drawn.otherwise))]
    if drawn.heading == "any of":
        return [(item, 1) for item in drawn.items] or [("never", 1)]
    return [(str(query), 1)]
