"""The estimators through the front door: ``fit`` on all small samples, and everything that a fitted model shows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.doors import SLOW, Door, Entry, Seen
from oracledp.audit.exact_law import DataSet
from oracledp.audit.function_doors import game, rule
from oracledp.classes import Halfspaces
from oracledp.learning import learn_table
from oracledp.mechanisms.leaf_counts import LeafCounts
from oracledp.mechanisms.surrogate import ConvexSurrogate
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.lattice import Lattice
from oracledp.randomness.source import DrawSource

ONE_WEIGHT = Lattice(noise_bits=7, grid_bits=10, distance_bits=10, output_share=Fraction(1, 16))
TWO = tuple(product((0, 1), (0, 1)))  # (feature, label)
THREE = tuple(product((0, 1), (0, 1, 2)))
BOTH = tuple(product((0, 1), (0, 1), (0, 1)))  # (feature, feature, label)
WIDER = tuple((*row, label) for row in ((0, 0), (0, 1), (1, 1)) for label in (0, 1))
WEIGHED = ((0, 0, 1), (1, 1, 1), (1, 0, 3), (0, 1, 3))  # (feature, label, weight)
Samples = tuple[NDArray[np.int64], NDArray[np.int64]]


def sample_of(data: DataSet, kinds: Sequence[tuple[int, ...]]) -> Samples:
    """Rows and labels from the counts of each kind of row; the order is that of the kinds."""
    rows = np.repeat(np.array(kinds, dtype=np.int64), np.array(data), axis=0)
    return rows[:, :-1], rows[:, -1]


def fitted(kind: str, kinds: Sequence[tuple[int, ...]] = TWO, **options: Any) -> Entry:
    """The fit of an estimator with declared labels: its saved form and its text."""
    labels = sorted({row[-1] for row in kinds})

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        from oracledp import learners

        model = getattr(learners, kind)(
            bounds=(0, 1), classes=labels, neighbours=relation, random_state=source, **options
        )
        model.fit(*sample_of(data, kinds))
        return Seen(shown_model(model), model.guarantee_)

    return enter


def weighed(kind: str, **options: Any) -> Entry:
    """The fit of an estimator on rows with weights from 1 to 3."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        from oracledp import learners

        rows = np.repeat(np.array(WEIGHED, dtype=np.int64), np.array(data), axis=0)
        model = getattr(learners, kind)(
            bounds=(0, 1), classes=[0, 1], max_sample_weight=3, neighbours=relation, random_state=source, **options
        )
        model.fit(rows[:, :1], rows[:, 1], sample_weight=rows[:, 2])
        return Seen(shown_model(model), model.guarantee_)

    return enter


def selected(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """The private choice between two estimators: which one, and its model."""
    from oracledp.learners import ConjunctionClassifier, DisjunctionClassifier, PrivateSelector

    candidates = [kind(epsilon=1, size=1, bounds=(0, 1)) for kind in (ConjunctionClassifier, DisjunctionClassifier)]
    selector = PrivateSelector(
        candidates, epsilon=Fraction(1), neighbours=relation, classes=[0, 1], random_state=source
    ).fit(*sample_of(data, TWO))
    return Seen(f"{selector.best_index_} {selector} {shown_model(selector.best_estimator_)}", selector.guarantee_)


def shown_model(model: Any) -> str:
    """What a fitted estimator shows: its saved form, its text, its labels and its attributes."""
    from oracledp.learners.saving import to_json

    fitted = {name: str(value) for name, value in sorted(vars(model).items()) if name.endswith("_")}
    return json.dumps([to_json(model), str(model), fitted], sort_keys=True)


def one_weight(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """The surrogate with a single weight, whose whole law can be walked through: one feature, two labels."""
    mechanism = ConvexSurrogate((1,), Fraction(4), relation)
    counts = np.array(data, dtype=np.int64)[:, None]
    found = mechanism.run(np.ones((1, 1), dtype=np.int8), counts[1], counts[0], source)
    return Seen(str(found.tolist()), mechanism.guarantee)


def counted_leaf(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """The counts of two classes in a tree that is a single leaf."""
    mechanism, labels = LeafCounts(Fraction(1, 2), relation), np.repeat(np.arange(2), np.array(data))
    found = mechanism.run(np.zeros_like(labels), labels, 1, 2, source)
    return Seen(str(found.tolist()), mechanism.guarantee)


def card_doors() -> list[Door]:
    """Scoring cards on the lattice that ships: their loss is found by moving the noise (audit/surrogate_loss.py)."""
    around: dict[str, Any] = {"rows": 1, "base": (2, 0, 0, 2)}
    wider: dict[str, Any] = {"universe": 6, "rows": 1, "base": (3, 0, 0, 0, 0, 1), "kinds": (1, 3, 4)}
    # So many rows that how often columns hold is believed: alike with a row of (1, 1), not with one of (0, 1).
    more: dict[str, Any] = {"base": (300, 0, 0, 0, 0, 100), "relations": (Neighbours.REPLACE_ONE,)}
    line = fitted("HalfspaceClassifier", WIDER, epsilon=Fraction(1), size=1)
    return [
        Door("fit card", fitted("HalfspaceClassifier", epsilon=Fraction(1)), **around),
        Door("fit auto", fitted("PrivateRuleClassifier", epsilon=Fraction(2)), **around),
        Door(
            "fit card, class weights",
            fitted("HalfspaceClassifier", epsilon=Fraction(1, 2), class_weight={0: 1, 1: 3}), **around,
        ),
        Door("fit card of one line", line, **wider),
        Door("fit card of one line, more rows", line, **{**wider, **more}),
        Door(
            "fit card of one line, class weights",
            fitted("HalfspaceClassifier", WIDER, epsilon=Fraction(1), size=1, class_weight={0: 1, 1: 3}), **wider,
        ),
        Door("learn_table / auto", rule(learn_table, epsilon=Fraction(1)), **around),
        Door(
            "oracle-query:surrogate",
            game(1, Halfspaces, epsilon=Fraction(1), delta=Fraction(1, 100), query_player="surrogate"),
            relations=(Neighbours.REPLACE_ONE,), **around,
        ),
    ]  # fmt: skip


def counting_doors() -> list[Door]:
    """Learners that count the rows first, as is the default: with few rows, and where one more is another recipe.

    Of 144 rows at ε = 4 a list has three rules, of 143 two: what the count hides, the length of a list must not tell.
    """
    counted: dict[str, Any] = {"rows": 1, "relations": (Neighbours.ADD_REMOVE,)}
    return [
        Door("fit counted list", fitted("DecisionListClassifier", epsilon=Fraction(1)),
             base=(4, 0, 0, 4), kinds=(1,), least=1e-6, tails=1e-3, **counted),
        Door("fit counted list, other recipe", fitted("DecisionListClassifier", epsilon=Fraction(4)),
             base=(36, 35, 33, 39), kinds=(0,), least=1e-5, tails=1e-2, **counted),
    ]  # fmt: skip


def tree_doors() -> list[Door]:
    """Trees: two classes and three, class weights, counts in the leaves, a sample of the rows."""
    one, lopsided, three = Fraction(1), (4, 0, 0, 4), (3, 0, 0, 0, 3, 0)
    tree: dict[str, Any] = {"epsilon": one, "depth": 1}
    return [
        Door("fit tree", fitted("TreeClassifier", **tree), base=lopsided),
        Door("fit tree, class weights", fitted("TreeClassifier", class_weight={0: 1, 1: 3}, **tree), base=lopsided),
        Door("fit tree, sample weights", weighed("TreeClassifier", **tree), rows=1, base=(4, 4, 0, 0)),
        Door("fit tree, three classes", fitted("TreeClassifier", THREE, **tree), universe=6, rows=1, base=three),
        Door("fit tree, deep", fitted("TreeClassifier", BOTH, epsilon=one, depth=2),
             universe=8, rows=1, base=(1, 0, 0, 1, 0, 1, 1, 0)),
        Door("leaf counts", counted_leaf, universe=2, rows=1, base=(1, 1), least=1e-7, tails=1e-3),
        Door("fit tree, subsample", fitted("TreeClassifier", subsample=Fraction(1, 2), **tree), rows=2),
        Door("learn_table / tree", rule(learn_table, epsilon=one, model="tree", size=1), base=lopsided),
    ]  # fmt: skip


def learner_doors() -> list[Door]:
    """Every kind of estimator, and every option that changes what a record may do."""
    one, weights = Fraction(1), {0: 1, 1: 3}
    lopsided, three = (4, 0, 0, 4), (3, 0, 0, 0, 3, 0)
    return [
        *counting_doors(),
        Door("fit conjunction", fitted("ConjunctionClassifier", epsilon=one), base=lopsided),
        Door("fit disjunction", fitted("DisjunctionClassifier", epsilon=one), base=lopsided),
        Door(
            "fit parity", fitted("ParityClassifier", epsilon=one, size=1, mechanism="permute-and-flip"), base=lopsided
        ),
        Door("fit decision-list", fitted("DecisionListClassifier", epsilon=one, size=2), base=lopsided),
        Door("fit cards of ±1", fitted("HalfspaceClassifier", epsilon=one, mechanism="exponential", size=1)),
        Door("fit rspm", fitted("ParityClassifier", epsilon=4 * one, size=1, mechanism="rspm"),
             **SLOW),
        Door("fit chosen model", fitted("PrivateRuleClassifier", epsilon=one, model="conjunction"), base=lopsided),
        Door("fit class weights", fitted("ConjunctionClassifier", epsilon=one, class_weight=weights), base=lopsided),
        Door("fit sample weights", weighed("ConjunctionClassifier", epsilon=one), rows=1, base=(4, 4, 0, 0)),
        Door("fit list, class weights",
             fitted("DecisionListClassifier", epsilon=one, size=2, class_weight=weights), rows=1, base=lopsided),
        Door("fit parity, class weights",
             fitted("ParityClassifier", epsilon=one, size=1, class_weight=weights), base=lopsided),
        Door(
            "surrogate / one weight", one_weight, universe=2, rows=1, base=(1, 1),
            lattice=ONE_WEIGHT, least=1e-10, tails=1e-3, stop_at_release=True,
        ),
        Door("fit subsample", fitted("ConjunctionClassifier", epsilon=one, subsample=Fraction(1, 2)), rows=4),
        Door("fit private selector", selected, rows=1, base=(1, 0, 0, 1)),
        *tree_doors(),
        Door("fit three classes", fitted("ConjunctionClassifier", THREE, epsilon=3 * one, size=1),
             universe=6, rows=1, base=three),
        Door("fit three classes, weights",
             fitted("ConjunctionClassifier", THREE, epsilon=3 * one, size=1, class_weight={0: 1, 1: 2, 2: 3}),
             universe=6, rows=1, base=three),
    ]  # fmt: skip
