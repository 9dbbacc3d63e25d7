"""What a tree estimator has learned: one tree for all classes, and counts in its leaves where they were paid for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.decision_trees import DecisionTrees
from oracledp.classes.pictures import Branching, branches_in_words
from oracledp.classes.tree_picture import TreePicture, draw_tree
from oracledp.errors import ModelError
from oracledp.learners.encoding import Encoder
from oracledp.learners.rule_sets import RuleSet
from oracledp.learning import values_of


@dataclass(frozen=True)
class TreeRules(RuleSet):
    """A released tree over an encoder's literals; ``leaf_counts`` are noisy, one row per leaf from left to right."""

    leaf_counts: tuple[tuple[int, ...], ...] | None = None

    def shares(self, rows: Any) -> NDArray[np.float64]:
        """Each class's share among the rows of the leaf: noisy counts, none below zero, and one for each class."""
        if not self.queries:
            return np.ones((len(self.encoder.encode(rows)), 1))
        (query,) = self.queries
        records = values_of(self.encoder.encode(rows), self.encoder.literals, query.owner.literals)
        counts = np.maximum(np.array(self.leaf_counts, dtype=np.float64), 0) + 1
        leaf = cast(DecisionTrees, query.owner).leaf(query.parts, records)
        return np.asarray((counts / counts.sum(axis=1, keepdims=True))[leaf])

    def __str__(self) -> str:
        drawn = self.queries[0].owner.picture(self.queries[0].parts) if self.queries else None
        if self.leaf_counts is None or not isinstance(drawn, Branching):
            return super().__str__()
        notes = [f" (noisy rows by class: {', '.join(map(str, row))})" for row in self.leaf_counts]
        return branches_in_words(drawn, self.classes, notes)

    def drawing(self) -> TreePicture:
        """The tree as a picture."""
        drawn = self.queries[0].owner.picture(self.queries[0].parts) if self.queries else Branching()
        assert isinstance(drawn, Branching)
        return draw_tree(drawn, self.classes)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {**super().to_json(), "leaf_counts": self.leaf_counts}

    @classmethod
    def from_json(cls, data: dict[str, Any], encoder: Encoder) -> TreeRules:
        """Read what :meth:`to_json` wrote."""
        plain, counts = RuleSet.from_json(data, encoder), data.get("leaf_counts")
        held = None if counts is None else tuple(tuple(int(count) for count in row) for row in counts)
        for query in plain.queries if held is not None else ():
            if len(held or ()) != len(cast(DecisionTrees, query.owner).leaves(query.parts)):
                raise ModelError("the model's counts do not fit its leaves")
        return cls(plain.classes, plain.queries, encoder, leaf_counts=held)
