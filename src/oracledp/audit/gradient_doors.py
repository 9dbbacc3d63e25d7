"""Logistic cards through the front door: the whole law of a step on a coarse lattice, whole descents by coupling."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from oracledp.audit.doors import Door, Entry, Seen, patched
from oracledp.audit.exact_law import DataSet
from oracledp.audit.function_doors import rule
from oracledp.audit.learner_doors import THREE, TWO, WIDER, fitted, weighed
from oracledp.learning import learn_table, learner
from oracledp.mechanisms.gradients import Descent
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.lattice import Lattice
from oracledp.randomness.source import DrawSource

WIDEST = tuple((*row, label) for row in ((0, 0), (0, 1), (1, 1)) for label in (0, 1, 2))
FEW_NUMBERS = Lattice(feature_length=2, residual_bits=2)


def shortened(entry: Entry, steps: int) -> Entry:
    """The same with fewer steps than any recipe has: a whole law is walked through only if it is short."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        recipe = vars(learner)["descent"]

        def short(*public: Any) -> Descent:
            found: Descent = recipe(*public)
            return replace(found, steps=steps)

        with patched(learner, "descent", short):
            return entry(data, relation, source)

    return enter


def gradient_law_doors() -> list[Door]:
    """One step, every outcome of its noise; the number of rows is given, so that nothing is counted."""
    card = fitted("HalfspaceClassifier", TWO, rows=4, epsilon=Fraction(4), delta=Fraction(1, 1000))
    coarse: dict[str, Any] = {"rows": 1, "base": (1, 0, 0, 1), "lattice": FEW_NUMBERS, "kinds": (1, 3)}
    return [Door("logistic card / one step", shortened(card, 1), least=1e-6, tails=1e-3, **coarse)]


def gradient_doors() -> list[Door]:
    """Whole descents, and sums by class, on the lattice that ships: what each release costs; nothing else differs."""
    budget: dict[str, Any] = {"epsilon": Fraction(1), "delta": Fraction(1, 1000)}
    around: dict[str, Any] = {"rows": 1, "base": (2, 0, 0, 2)}
    three: dict[str, Any] = {"universe": 6, "rows": 1, "base": (2, 0, 0, 2, 1, 0)}
    weights = {0: 1, 1: 3}
    return [
        Door("fit logistic card", fitted("HalfspaceClassifier", TWO, **budget), **around),
        Door("fit logistic card, class weights",
             fitted("HalfspaceClassifier", TWO, class_weight=weights, **budget), **around),
        Door("fit logistic card, sample weights",
             weighed("HalfspaceClassifier", class_weight=weights, **budget), rows=1, base=(2, 2, 0, 0)),
        Door("fit logistic card, three classes",
             fitted("PrivateRuleClassifier", THREE, **budget), **three),
        Door("fit logistic card of one line",
             fitted("HalfspaceClassifier", WIDER, size=1, **budget), universe=6, rows=1, base=(2, 0, 0, 0, 0, 2)),
        Door("fit logistic card of one line, three classes",
             fitted("PrivateRuleClassifier", WIDEST, size=1, **budget), universe=9, rows=1,
             base=(2, 0, 0, 0, 1, 0, 0, 0, 2)),
        Door("fit sums by class of one line",
             fitted("PrivateRuleClassifier", WIDEST, size=1, epsilon=Fraction(1)), universe=9, rows=1,
             base=(2, 0, 0, 0, 1, 0, 0, 0, 2)),
        Door("fit sums by class", fitted("PrivateRuleClassifier", THREE, epsilon=Fraction(1)), **three),
        Door("fit sums by class, class weights",
             fitted("HalfspaceClassifier", THREE, epsilon=Fraction(1), class_weight={0: 1, 1: 2, 2: 3}), **three),
        Door("fit sums by class, sample weights",
             weighed("HalfspaceClassifier", epsilon=Fraction(1), mechanism="class-sums"), rows=1, base=(2, 2, 0, 0)),
        Door("fit list with probabilities",
             fitted("DecisionListClassifier", TWO, epsilon=Fraction(1), size=2, probabilities=True), **around),
        Door("learn_table / logistic card", rule(learn_table, model="halfspace", **budget), **around),
    ]  # fmt: skip
