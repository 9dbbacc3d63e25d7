"""Synthetic tables, games and bought schemas broken at the front door, each with the look that must notice."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from breaks.breaking import Breaks, as_property, value, wrapped
from oracledp.data.table import files
from oracledp.game import oracle_query, query_player, surrogate_player
from oracledp.game.query_player import ExponentialPlayer
from oracledp.mechanisms import (
    column_looks,
    perturbation,
    private_schema,
)
from oracledp.mechanisms import gaussian_min as gaussian_rspm
from oracledp.privacy.gaussian_accounting import GaussianBudget, gaussian_budget
from oracledp.synthesis import measurements, measuring, raw, stages, synthesizer


def _exact_n(patch: pytest.MonkeyPatch) -> None:
    """The exact number of rows is known to whoever chooses the settings."""
    known: list[int] = []
    records_of, settings = synthesizer.records_of, measuring.settings

    def remember(table: Any) -> Any:
        known[:] = [table.rows]
        return records_of(table)

    patch.setattr(synthesizer, "records_of", remember)
    patch.setattr(measuring, "settings", lambda rho, total, *rest: settings(rho, float(known[0]), *rest))


def _exact_bounds(patch: pytest.MonkeyPatch) -> None:
    """The noise is drawn, as it should be, and the exact counts decide."""
    table = column_looks.Purse.table

    def forgetful(self: Any, counts: Any, rho: Fraction) -> Any:
        return counts, table(self, counts, rho)[1] / 100

    patch.setattr(column_looks.Purse, "table", forgetful)


def _two_kinds(patch: pytest.MonkeyPatch) -> None:
    """Every text is counted under its own kind, and under one more besides."""
    tallied = column_looks._tallied

    def twice(cells: list[int], texts: Any, size: int) -> Any:
        return tallied(cells, texts, size) + tallied([(cell + 1) % size for cell in cells], texts, size)

    patch.setattr(column_looks, "_tallied", twice)


def _exact_cells(patch: pytest.MonkeyPatch) -> None:
    """The cells of a stage follow from the counts before their noise."""
    known: list[Any] = []
    noisy, cut = measurements.Meter._noisy, stages._cut

    def remember(self: Any, counts: Any, *rest: Any) -> Any:
        known[:] = [counts]
        return noisy(self, counts, *rest)

    patch.setattr(measurements.Meter, "_noisy", remember)
    patch.setattr(
        stages,
        "_cut",
        lambda cells, tables, *rest: cut(cells, [*tables[:-1], replace(tables[-1], values=10**6 * known[0])], *rest),
    )


def _exact_total_in_the_model(patch: pytest.MonkeyPatch) -> None:
    known: list[int] = []
    records_of, model = synthesizer.records_of, synthesizer.SyntheticModel

    def remember(table: Any) -> Any:
        known[:] = [table.rows]
        return records_of(table)

    patch.setattr(synthesizer, "records_of", remember)
    patch.setattr(
        synthesizer, "SyntheticModel", lambda schema, promise, total, *rest: model(schema, promise, known[0], *rest)
    )


def _rounds_not_composed(patch: pytest.MonkeyPatch) -> None:
    calibrate = ExponentialPlayer.calibrate.__func__  # type: ignore[attr-defined]

    def whole_budget_each(cls: Any, queries: Any, rounds: int, epsilon: Any, delta: Any) -> Any:
        return replace(calibrate(cls, queries, 1, epsilon, delta), rounds=rounds)

    patch.setattr(ExponentialPlayer, "calibrate", classmethod(whole_budget_each))


def _loud_match(original: Any, table: Any, *rest: Any) -> Any:
    *others, progress = rest
    return original(table, *others, lambda done, total: progress(done, int(table.counts[0])))


PRODUCTS: Breaks = {
    "synthesis settings from the exact n": ("synthesizer / add-remove", _exact_n),
    "the exact total in the model file": ("synthesizer / add-remove", _exact_total_in_the_model),
    "the rounds of a game are not composed": ("oracle-query / replace-one", _rounds_not_composed),
    "noise on counts of half the variance": (
        "synthesizer / add-remove",
        wrapped(
            measurements.Meter,
            "_noisy",
            lambda noisy, self, counts, squared, rho: noisy(self, counts, Fraction(squared, 2), rho),
        ),
    ),
    "parities as if a record moved one of them": (
        "synthesizer / large budget / add-remove",
        wrapped(
            measurements.Meter,
            "_noisy",
            lambda noisy, self, counts, squared, rho: noisy(self, counts, min(squared, 2), rho),
        ),
    ),
    "a replaced record moves a parity by one": (
        "synthesizer / replace-one",
        wrapped(
            measurements.Meter,
            "_noisy",
            lambda noisy, self, counts, squared, rho: noisy(
                self, counts, squared // 2 if squared > 2 else squared, rho
            ),
        ),
    ),
    "selections at twice their share": (
        "synthesizer / rounds / add-remove",
        wrapped(measurements, "sqrt_below", lambda root, square: 2 * root(square)),
    ),
    "noise on integers composed as if it were continuous": (
        "synthesizer / add-remove",
        value(GaussianBudget, "bits", lambda self, draws: 0),
    ),
    "selections paid from a budget of Gaussian noise": (
        "synthesizer / rounds / add-remove",
        wrapped(synthesizer, "zcdp_rho", lambda rho, epsilon, delta: gaussian_budget(epsilon, delta).rho),
    ),
    "one-ways left out of the budget": (
        "synthesizer / add-remove",
        wrapped(
            measuring,
            "_one_ways",
            lambda one_ways, meter, rho: one_ways(replace(meter), rho) and one_ways(replace(meter), rho * 2),
        ),
    ),
    "every stage of a long column at the whole of its share": (
        "synthesizer / stages / add-remove",
        wrapped(
            measuring, "measure_stages", lambda counted, meter, column, rho: counted(replace(meter), column, 2 * rho)
        ),
    ),
    "looks at where a long column lies for nothing": (
        "synthesizer / stages / add-remove",
        wrapped(stages, "located", lambda found, meter, column, rho: (found(replace(meter), column, 4 * rho)[0], 0)),
    ),
    "halves of long columns beside a budget that is spent": (
        "synthesizer / stages / add-remove",
        wrapped(
            measuring,
            "_halves",
            lambda halves, meter, bins, features, rho: halves(
                replace(meter, spent=Fraction(0)), bins, features, 4 * rho
            ),
        ),
    ),
    "values traced with twice their budget": (
        "synthesizer / behaviour / add-remove",
        wrapped(
            measuring, "behaving", lambda traced, meter, rho, *rest: (traced(replace(meter), 2 * rho, *rest)[0], rho)
        ),
    ),
    "cells cut where the exact counts are": ("synthesizer / stages / add-remove", _exact_cells),
    "rare texts that pass as easily as common ones": (
        "infer_schema / add-remove",
        value(column_looks, "least_threshold", lambda variance, delta: 1),
    ),
    "a threshold that forgets the columns": (
        "infer_schema / replace-one",
        as_property(private_schema.SchemaInference, "rare", lambda rare, self: 500 * rare),
    ),
    "ten times delta for rare texts": (
        "infer_schema / exact / add-remove",
        as_property(private_schema.SchemaInference, "rare", lambda rare, self: 200 * rare),
    ),
    "kinds of columns for nothing": (
        "infer_schema / add-remove",
        wrapped(
            private_schema,
            "ColumnLook",
            lambda look, name, purse, texts, marks, rho, **typed: look(
                name, replace(purse, spent=Fraction(0)), texts, marks, 9 * rho, **typed
            ),
        ),
    ),
    "a replaced row moves one count of a schema": (
        "infer_schema / replace-one",
        wrapped(column_looks.Purse, "charge", lambda charge, self, rho: charge(self, rho) / 2),
    ),
    "a schema whose bounds are the data's": ("infer_schema / add-remove", _exact_bounds),
    "a spelling that the exact counts decide": ("infer_schema / spelling / add-remove", _exact_bounds),
    "a text that is of two kinds": ("infer_schema / spelling / add-remove", _two_kinds),
    "a record that cannot be read, once for every column": (
        "infer_schema / odd records / add-remove",
        wrapped(files, "_set_aside", lambda counted, *rest: 3 * counted(*rest)),
    ),
    "texts on integers composed as if their noise were continuous": (
        "infer_schema / exact / add-remove",
        wrapped(
            column_looks, "common_texts", lambda found, texts, variance, bits, *rest: found(texts, variance, 0, *rest)
        ),
    ),
    "a schema for nothing, beside rows for the whole budget": (
        "synthesize_raw / add-remove",
        as_property(raw.RawSynthesis, "parts", lambda parts, self: (parts[0], self.inference.budget)),
    ),
    "a schema that spends more than its share": (
        "synthesize_raw / add-remove",
        as_property(raw.RawSynthesis, "parts", lambda parts, self: (self.inference.budget, parts[1])),
    ),
    "rare texts that pass where rows are made, too": (
        "synthesize_raw / replace-one",
        value(column_looks, "least_threshold", lambda variance, delta: 1),
    ),
    "a schema for which exact counts decide, and rows": ("synthesize_raw / add-remove", _exact_bounds),
    "rows at twice what the command was given": (
        "synth --infer-schema / add-remove",
        wrapped(raw.GaussianBudget, "part", lambda part, self, share: part(self, 2 * share)),
    ),
    "progress tells a count": (
        "oracle-query:exponential / replace-one",
        wrapped(oracle_query, "play_match", _loud_match),
    ),
    "the game reads rounds from the rate of one": (
        "oracle-query / play / replace-one",
        wrapped(query_player, "sqrt_below", lambda root, square: 2 * root(square)),
    ),
    "a game with separator noise at a quarter of its scale": (
        "oracle-query:rspm:separator / replace-one",
        wrapped(perturbation, "discrete_laplace", lambda draw, scale, *rest: draw(max(1, scale // 4), *rest)),
    ),
    "a game with Gaussian noise of a hundredth of the variance": (
        "oracle-query:rspm:gaussian / replace-one",
        wrapped(gaussian_rspm, "discrete_gaussian", lambda draw, variance, *rest: draw(variance / 100, *rest)),
    ),
    "a game whose separating cards spend twice their epsilon": (
        "oracle-query:surrogate / replace-one",
        wrapped(surrogate_player, "homogeneous_epsilon", lambda epsilon_of, *rest: 2 * epsilon_of(*rest)),
    ),
}
