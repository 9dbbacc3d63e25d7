"""Learners broken at the front door, each with the look that must notice."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from breaks.breaking import Breaks, as_property, value, wrapped
from oracledp.learners import base as learners_base
from oracledp.learners import chances, fitting, selector, trees
from oracledp.learning import by_size, learner, override_lists, sample, single_rules, whole_class
from oracledp.mechanisms import (
    class_sums,
    gradients,
    growing_gradients,
    leaf_counts,
    private_trees,
    row_count,
    surrogate,
    value_trees,
)


def _heavy_sums(run: Any, self: Any, features: Any, shown: Any, source: Any, shares: Any = None) -> Any:
    """A record of weight u shows u times what it may."""
    own = 1 if shares is None else shares[0][:, None]
    return run(self, features, shown * own, source)


def _keeps_rows(patch: pytest.MonkeyPatch) -> None:
    settle = learners_base.PrivateClassifier.settle

    def keeping(self: Any, ready: Any, *rest: Any) -> Any:
        self.rows_seen_ = len(ready.data)
        return settle(self, ready, *rest)

    patch.setattr(learners_base.PrivateClassifier, "settle", keeping)


def _first_rows(_: Any, rows: int, share: Fraction, *rest: Any) -> Any:
    return np.arange(int(np.ceil(share * rows)))


def _drawn_and_forgotten(run: Any, self: Any, rows: int, source: Any) -> int:
    """The count is drawn, as it should be, and another number is used."""
    run(self, rows, source)
    return row_count.rounded_size(rows)


def _all_of_epsilon(original: Any, self: Any, *rest: Any) -> Any:
    """The learner is built as if nothing were to be counted after it."""
    self._counted_share = lambda classes: 0
    try:
        return original(self, *rest)
    finally:
        del self._counted_share


def _refuses_a_record(original: Any, table: Any, *rest: Any, **options: Any) -> Any:
    from oracledp.errors import OracleFailure

    if [1, 1] in table.codes.tolist():
        raise OracleFailure("the search gave up")
    return original(table, *rest, **options)


def _claiming(lists: Any, epsilon: Fraction) -> Any:
    class Claiming(type(lists)):  # type: ignore[misc]
        @property
        def guarantee(self) -> Any:
            return replace(super().guarantee, epsilon=epsilon)

    return Claiming(**{name: getattr(lists, name) for name in lists.__dataclass_fields__})


LEARNERS: Breaks = {
    "the default learner with a tenth of its noise": (
        "fit card / replace-one",
        wrapped(surrogate.ConvexSurrogate, "_scale", lambda scale, self, bits: -(-scale(self, bits) // 10)),
    ),
    "no output noise in the surrogate": (
        "fit card / replace-one",
        value(surrogate, "noisy_blocks", lambda values, *rest: values),
    ),
    "every override round at full epsilon": (
        "fit decision-list / add-remove",
        wrapped(override_lists.OverrideLists, "rate", lambda rate, self, unit: self.rounds * rate(self, unit)),
    ),
    "subsampling takes the first rows": (
        "fit subsample / replace-one",
        wrapped(fitting, "random_rows", _first_rows),
    ),
    "each of three classes spends the whole epsilon": (
        "fit three classes / replace-one",
        value(learners_base, "problems", lambda classes: 1),
    ),
    "trees at twice the rate": (
        "fit tree / add-remove",
        wrapped(private_trees.PrivateTrees, "rate", lambda rate, self, unit: 2 * rate(self, unit)),
    ),
    "trees as if a replaced record only came or went": (
        "learn_table / tree / replace-one",
        wrapped(private_trees.PrivateTrees, "rate", lambda rate, self, unit: self.epsilon / unit),
    ),
    "trees whose class weights count as one": (
        "fit tree, class weights / add-remove",
        wrapped(private_trees.PrivateTrees, "rate", lambda rate, self, unit: rate(self, 1)),
    ),
    "a tree at half again its rate for three classes": (
        "fit tree, three classes / add-remove",
        wrapped(private_trees.PrivateTrees, "rate", lambda rate, self, unit: rate(self, unit) * 3 / 2),
    ),
    "leaves as if a replaced row moved one count": (
        "leaf counts / replace-one",
        as_property(leaf_counts.LeafCounts, "scale", lambda scale, self: scale // 2),
    ),
    "class weights that count as one": (
        "fit class weights / add-remove",
        wrapped(sample.Sample, "of", lambda of, *rest, **more: replace(of(*rest, **more), unit=1)),
    ),
    "a weighted whole class run at the full epsilon": (
        "fit parity, class weights / add-remove",
        wrapped(
            whole_class.Objective,
            "of",
            lambda of, queries, records, weights, **more: of(queries, records, 2 * weights, **more),
        ),
    ),
    "cards whose weights count as one": (
        "fit card, class weights / replace-one",
        wrapped(sample.Sample, "of", lambda of, *rest, **more: replace(of(*rest, **more), unit=1)),
    ),
    "amplification as if half the rows were a tenth": (
        "fit subsample / replace-one",
        wrapped(learners_base, "inner_epsilon", lambda inner, epsilon, share: inner(epsilon, share / 5)),
    ),
    "a model that keeps its number of rows": ("fit conjunction / add-remove", _keeps_rows),
    "a failure when one record is there": (
        "learn --mechanism / replace-one",
        wrapped(import_module("oracledp.cli.learn"), "learn_table", _refuses_a_record),
    ),
    "a selector that compares at twice its rate": (
        "private selector, same split / replace-one",
        wrapped(selector, "permute_and_flip_choice", lambda draw, scores, rate, source: draw(scores, 2 * rate, source)),
    ),
    "a selector whose candidates spend the whole epsilon each": (
        "private selector, same split / replace-one",
        wrapped(
            selector.PrivateSelector,
            "_prepared",
            lambda prepared, self, one, epsilon, *rest: prepared(self, one, 2 * epsilon, *rest),
        ),
    ),
    "single rules that forget the relation": (
        "fit disjunction / replace-one",
        wrapped(single_rules, "exponential_choice", lambda draw, scores, rate, source: draw(scores, 2 * rate, source)),
    ),
    "the rows counted without noise": (
        "fit counted list, other recipe / add-remove",
        value(row_count, "noisy_size", lambda rows, scale, source: row_count.rounded_size(rows)),
    ),
    "the count of the rows costs nothing": (
        "fit list, many literals / add-remove",
        wrapped(
            by_size.LearnerBySize,
            "measuring",
            lambda measuring, epsilon, learners: measuring(epsilon, lambda rest: learners(epsilon)),
        ),
    ),
    "the count of the rows costs nothing where a card is learned": (
        "fit auto / add-remove",
        wrapped(
            by_size.LearnerBySize,
            "measuring",
            lambda measuring, epsilon, learners: measuring(epsilon, lambda rest: learners(epsilon)),
        ),
    ),
    "the rows counted with half the noise": (
        "fit list, many literals / add-remove",
        as_property(row_count.RowCount, "scale", lambda scale, self: scale // 2),
    ),
    "the recipe from the exact number of rows": (
        "fit counted list, other recipe / add-remove",
        wrapped(row_count.RowCount, "run", _drawn_and_forgotten),
    ),
    "gradients without noise": (
        "fit logistic card / add-remove",
        value(gradients, "noisy_counts", lambda totals, variance, source: totals),
    ),
    "gradients with half the noise": (
        "fit logistic card / add-remove",
        wrapped(gradients, "gaussian_variance", lambda variance, **public: variance(**public) // 4),
    ),
    "gradients whose steps are not composed": (
        "fit logistic card, three classes / add-remove",
        wrapped(
            gradients,
            "gaussian_variance",
            lambda variance, squared_shift, **public: variance(squared_shift=squared_shift // 30, **public),
        ),
    ),
    "gradients that are not clipped": (
        "fit logistic card / add-remove",
        value(gradients, "clipped", lambda residuals, caps: residuals),
    ),
    "gradients of a replaced record as of one": (
        "learn_table / logistic card / replace-one",
        as_property(gradients.NoisyGradients, "variance", lambda variance, self: variance // 4),
    ),
    "the law of a step that is not clipped": (
        "logistic card / one step / add-remove",
        value(gradients, "clipped", lambda residuals, caps: residuals),
    ),
    "the law of a step with a quarter of its noise": (
        "logistic card / one step / add-remove",
        wrapped(gradients, "gaussian_variance", lambda variance, **public: max(1, variance(**public) // 16)),
    ),
    "a small card whose fit spends the epsilon of its choices too": (
        "fit logistic card of one line / add-remove",
        as_property(
            growing_gradients.GrowingGradients,
            "gradients",
            lambda gradients, self: replace(gradients, epsilon=self.epsilon),
        ),
    ),
    "lines of a small card chosen at half again their rate": (
        "fit logistic card of one line / add-remove",
        as_property(growing_gradients.GrowingGradients, "rate", lambda rate, self: rate * 3 / 2),
    ),
    "lines chosen as if a replaced record only came or went": (
        "fit logistic card of one line / replace-one",
        as_property(growing_gradients.GrowingGradients, "rate", lambda rate, self: rate * 2),
    ),
    "lines chosen by pulls of any size": (
        "fit logistic card of one line, three classes / add-remove",
        value(gradients, "shortened", lambda residuals, most: residuals),
    ),
    "lines chosen with the best one always taken": (
        "fit logistic card of one line / add-remove",
        value(growing_gradients, "permute_and_flip_choice", lambda scores, rate, source: int(scores.argmin())),
    ),
    "a small card of sums that spends its whole epsilon twice": (
        "fit sums by class of one line / add-remove",
        wrapped(learner, "class_learner", lambda build, task: build(replace(task, epsilon=2 * task.epsilon))),
    ),
    "literals counted for a small card at ten times their epsilon": (
        "fit sums by class of one line / add-remove",
        as_property(class_sums.ClassSums, "scale", lambda scale, self: scale // 10 if self.classes == 1 else scale),
    ),
    "sums by class with half the noise": (
        "fit sums by class / add-remove",
        as_property(class_sums.ClassSums, "scale", lambda scale, self: scale // 2),
    ),
    "sums of a replaced record as of one": (
        "fit sums by class, class weights / replace-one",
        as_property(class_sums.ClassSums, "scale", lambda scale, self: scale // 2),
    ),
    "sums by class without noise": (
        "fit sums by class / replace-one",
        value(class_sums, "noisy_blocks", lambda values, *public: values),
    ),
    "sums of rows as heavy as they say": (
        "fit sums by class, sample weights / add-remove",
        wrapped(class_sums.ClassSums, "run", _heavy_sums),
    ),
    "sums whose classes have noise of their own": (
        "fit sums by class / add-remove",
        wrapped(
            class_sums,
            "noisy_blocks",
            lambda noisy, values, scale, sizes, source: noisy(values, scale // 3, sizes, source),
        ),
    ),
    "a record that is counted in every class": (
        "fit sums by class / add-remove",
        wrapped(
            class_sums.ClassSums,
            "run",
            lambda run, self, features, shown, source, **more: run(
                self, features, np.repeat(shown.sum(axis=1, keepdims=True), self.classes, axis=1), source, **more
            ),
        ),
    ),
    "a heavy row counted as a light one": (
        "fit sample weights / add-remove",
        wrapped(sample.Sample, "of", lambda of, *rows, **more: replace(of(*rows, **more), unit=1)),
    ),
    "a heavy row of a tree counted as a light one": (
        "fit tree, sample weights / replace-one",
        as_property(trees.TreeFitting, "unit", lambda unit, self: max(self.weights)),
    ),
    "levels at a quarter of their error's reach": (
        "tree of levels / add-remove",
        wrapped(value_trees, "squared_errors", lambda errors, *values: np.minimum(4 * errors(*values), 4 * 125)),
    ),
    "a replaced target as one that is gone": (
        "tree of levels / replace-one",
        wrapped(private_trees.PrivateTrees, "rate", lambda rate, self, unit: 2 * rate(self, unit)),
    ),
    "means of leaves with half the noise": (
        "fit regression tree / add-remove",
        as_property(value_trees.LeafMeans, "sum_scale", lambda scale, self: scale // 2),
    ),
    "counts of leaves with a third of their noise": (
        "fit regression tree / replace-one",
        as_property(value_trees.LeafMeans, "scale", lambda scale, self: scale // 3),
    ),
    "aims whose gradients are not clipped": (
        "fit regression card / add-remove",
        value(gradients, "clipped", lambda residuals, caps: residuals),
    ),
    "bands counted with half the noise": (
        "fit list with probabilities / add-remove",
        as_property(chances.BandCounts, "scale", lambda scale, self: scale // 2),
    ),
    "the learner spends what the bands need": (
        "fit list with probabilities / replace-one",
        wrapped(learners_base.PrivateClassifier, "_learner", _all_of_epsilon),
    ),
    "the rows counted for nothing before gradients": (
        "fit logistic card / add-remove",
        as_property(row_count.RowCount, "scale", lambda scale, self: scale // 8),
    ),
    "the recipe's list at twice its epsilon": (
        "fit list, many literals / replace-one",
        wrapped(
            learner,
            "OverrideLists",
            lambda lists, literals, rounds, epsilon, *rest: _claiming(
                lists(literals, rounds, 2 * epsilon, *rest), epsilon
            ),
        ),
    ),
}
