"""What a regressor has learned: a card whose score is a share of the range, or a tree with a number in each leaf."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.decision_trees import DecisionTrees
from oracledp.classes.pictures import Branching, Card, branches_in_words
from oracledp.errors import ModelError
from oracledp.learners.encoding import Encoder
from oracledp.learners.rule_sets import RuleSet
from oracledp.learning import values_of

STEPS = 1000  # of the range, to which a saved card is applied to a file


@dataclass(frozen=True)
class ValueRules(RuleSet):
    """A released card or tree, and the range of what it predicts; ``leaf_values`` from left to right."""

    low: float = 0.0
    high: float = 1.0
    leaf_values: tuple[float, ...] | None = None

    def values(self, rows: Any) -> NDArray[np.float64]:
        """The number predicted for each row."""
        return self.values_of_records(self.encoder.encode(rows))

    def values_of_records(self, records: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The same for rows that are encoded already."""
        (query,) = self.queries
        if self.leaf_values is None:
            share = 1 / (1 + np.exp(-np.clip(self._margins(records), -60, 60)))
            return np.asarray(self.low + (self.high - self.low) * share)
        seen = values_of(records, self.encoder.literals, query.owner.literals)
        return np.array(self.leaf_values)[cast(DecisionTrees, query.owner).leaf(query.parts, seen)]

    @property
    def finished(self) -> tuple[tuple[Any, ...], Callable[[NDArray[np.uint8]], NDArray[np.intp]]]:
        """The values of the leaves, or those of a card to a thousandth of its range."""
        (query,) = self.queries
        if self.leaf_values is None:
            wide = self.high - self.low
            steps = tuple(self.low + wide * step / STEPS for step in range(STEPS + 1))
            return steps, lambda records: np.rint((self.values_of_records(records) - self.low) * STEPS / wide).astype(
                np.intp
            )
        trees = cast(DecisionTrees, query.owner)
        return self.leaf_values, lambda records: trees.leaf(
            query.parts, values_of(records, self.encoder.literals, trees.literals)
        )

    def __str__(self) -> str:
        (query,) = self.queries
        drawn = query.owner.picture(query.parts)
        if isinstance(drawn, Branching):
            return branches_in_words(drawn, [""] * query.owner.labels, [f"{value:g}" for value in self._rounded()])
        assert isinstance(drawn, Card)
        assert self.logit is not None
        lines = [f"{points:>+5}  {condition}" for condition, points in ((c, int(p)) for c, p in drawn.points)]
        worth = f"predict {self.low:g} + {self.high - self.low:g} / (1 + exp({float(drawn.threshold):g} points - sum))"
        return "\n".join([f"{worth}, where a point is worth {self.logit:.3g}, and the sum is of these points:", *lines])

    def _rounded(self) -> list[float]:
        """Leaf values to a thousandth of the range."""
        step = (self.high - self.low) / 1000
        return [round(value / step) * step for value in self.leaf_values or ()]

    def rules(self) -> list[dict[str, Any]]:
        """One row per leaf or per line of the card."""
        (query,) = self.queries
        drawn = query.owner.picture(query.parts)
        if isinstance(drawn, Branching):
            pairs = zip(drawn.leaves(), self.leaf_values or (), strict=True)
            found = [(" and ".join(tests) or "always", value) for (tests, _), value in pairs]
        else:
            assert isinstance(drawn, Card)
            found = [(condition, float(points)) for condition, points in drawn.points]
        return [
            {"class": "value", "order": order, "condition": condition, "value": value}
            for order, (condition, value) in enumerate(found)
        ]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {**super().to_json(), "range": [self.low, self.high], "leaf_values": self.leaf_values}

    @classmethod
    def from_json(cls, data: dict[str, Any], encoder: Encoder) -> ValueRules:
        """Read what :meth:`to_json` wrote."""
        plain = RuleSet.from_json(data, encoder)
        low, high = map(float, data["range"])
        held = data.get("leaf_values")
        leaves = None if held is None else tuple(map(float, held))
        (query,) = plain.queries
        if leaves is not None and len(leaves) != len(cast(DecisionTrees, query.owner).leaves(query.parts)):
            raise ModelError("the model's values do not fit its leaves")
        return cls((), plain.queries, encoder, plain.logit, low=low, high=high, leaf_values=leaves)
