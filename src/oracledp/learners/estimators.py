"""The estimators: one per kind of rule, and one that chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oracledp.classes.registry import FAMILIES
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.exact.numbers import Exact
from oracledp.learners.base import PrivateClassifier
from oracledp.learners.cuts import Bounds
from oracledp.oracles.base import Oracle
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger


class ConjunctionClassifier(PrivateClassifier):
    """``a and b and not c``: the exponential mechanism over conjunctions of at most ``size`` literals (3)."""

    model_kind = "conjunction"


class DisjunctionClassifier(PrivateClassifier):
    """``a or b or not c``: the exponential mechanism over disjunctions of at most ``size`` literals (3)."""

    model_kind = "disjunction"


class ParityClassifier(PrivateClassifier):
    """``a xor b``, or its negation: the exponential mechanism over parities of at most ``size`` literals (2)."""

    model_kind = "parity"


class DecisionListClassifier(PrivateClassifier):
    """``if a and b then 1; else if c then 0; else 1``: up to ``size`` rules, one private selection each.

    The number of rules follows from the rows, ε and the number of literals where ``size`` is not given
    (proofs/override-lists.md, proofs/row-count.md).
    """

    model_kind = "decision-list"


class HalfspaceClassifier(PrivateClassifier):
    """A scoring card ``+5·a -3·b >= 2`` by the private convex surrogate (proofs/surrogate.md).

    ``size`` keeps only that many features. ``mechanism="exponential"`` chooses instead among all cards with
    ``size`` (3) weights of ±1, without any surrogate.
    """

    model_kind = "halfspace"


class PrivateRuleClassifier(PrivateClassifier):
    """The estimator to start with: ``model="auto"`` gives a scoring card or a single rule, whichever ε can pay for.

    The choice reads only the number of rows, ε and the number of literals. By default that number is private
    (add/remove-one), and a fiftieth of ε counts it (proofs/row-count.md); it is public with ``rows`` or under
    replace-one. Any other ``model`` is that of the estimator of its name.
    """

    def __init__(
        self,
        *,
        epsilon: Exact,
        delta: Exact | None = None,
        model: str = "auto",
        schema: Schema | None = None,
        neighbours: Neighbours | str = Neighbours.DEFAULT.value,
        oracle: str | Oracle = "auto",
        size: int | None = None,
        mechanism: str | None = None,
        ledger: Ledger | None = None,
        classes: Any = None,
        class_weight: Mapping[Any, Any] | None = None,
        bounds: Bounds | None = None,
        cuts: int | Mapping[str, int] = 1,
        rows: int | None = None,
        subsample: Exact | None = None,
        random_state: Any = None,
        strict: bool = False,
        probabilities: bool = False,
        target: str | None = None,
        max_sample_weight: Exact | None = None,
    ) -> None:
        super().__init__(
            epsilon=epsilon,
            delta=delta,
            schema=schema,
            neighbours=neighbours,
            oracle=oracle,
            size=size,
            mechanism=mechanism,
            ledger=ledger,
            classes=classes,
            class_weight=class_weight,
            bounds=bounds,
            cuts=cuts,
            rows=rows,
            subsample=subsample,
            random_state=random_state,
            strict=strict,
            probabilities=probabilities,
            target=target,
            max_sample_weight=max_sample_weight,
        )
        self.model = model

    def _model(self) -> str:
        if self.model != "auto" and self.model not in FAMILIES:
            raise ParameterError(f"model must be auto or one of {', '.join(FAMILIES)}, got {self.model!r}")
        return self.model
