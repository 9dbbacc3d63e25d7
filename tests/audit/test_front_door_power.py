"""The front door sees what is wrong: shipped code is broken in one place at a time, and every time the audit says so.

Each mutant changes an attribute of a shipped module, as an edit of its source would.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from oracledp.audit.front_door import Look, looks
from oracledp.audit.surrogate_loss import Uncovered
from oracledp.game import oracle_query, query_player
from oracledp.game.query_player import ExponentialPlayer
from oracledp.learners import base as learners_base
from oracledp.learners import fitting, selector
from oracledp.learning import by_size, learner, override_lists, sample, single_rules, whole_class
from oracledp.mechanisms import exponential_mechanism as exponential
from oracledp.mechanisms import gaussian_min as gaussian_rspm
from oracledp.mechanisms import mapped_counts, noisy_min, perturbation, row_count, surrogate, table_selection
from oracledp.mechanisms import perturbed_min as rspm
from oracledp.mechanisms.release import Release
from oracledp.privacy.guarantee import Neighbours
from oracledp.synthesis import measurements, measuring, synthesizer

REPLACE, ADD = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE
Break = Callable[[pytest.MonkeyPatch], None]
LOOKS = {look.name: look for look in looks()}


def wrapped(owner: Any, name: str, change: Callable[..., Any]) -> Break:
    """The attribute's value passed on to ``change(original, *arguments)``."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        original = getattr(owner, name)
        patch.setattr(owner, name, lambda *args, **kwargs: change(original, *args, **kwargs))

    return apply


def as_property(owner: Any, name: str, change: Callable[[Any, Any], Any]) -> Break:
    def apply(patch: pytest.MonkeyPatch) -> None:
        original = owner.__dict__[name].fget
        patch.setattr(owner, name, property(lambda self: change(original(self), self)))

    return apply


def value(owner: Any, name: str, wrong: Any) -> Break:
    return lambda patch: patch.setattr(owner, name, wrong)


def together(*breaks: Break) -> Break:
    def apply(patch: pytest.MonkeyPatch) -> None:
        for one in breaks:
            one(patch)

    return apply


def _exact_n(patch: pytest.MonkeyPatch) -> None:
    """The exact number of rows is known to whoever chooses the settings."""
    known: list[int] = []
    records_of, settings = synthesizer.records_of, measuring.settings

    def remember(table: Any) -> Any:
        known[:] = [table.rows]
        return records_of(table)

    patch.setattr(synthesizer, "records_of", remember)
    patch.setattr(measuring, "settings", lambda rho, total, *rest: settings(rho, float(known[0]), *rest))


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


def _ties_for_nothing(patch: pytest.MonkeyPatch) -> None:
    owner = rspm.ReportSeparatorPerturbedMin
    as_property(owner, "guarantee", lambda promise, self: replace(promise, delta=Fraction(0)))(patch)


def _keeps_rows(patch: pytest.MonkeyPatch) -> None:
    settle = learners_base.PrivateClassifier.settle

    def keeping(self: Any, ready: Any, *rest: Any) -> Any:
        self.rows_seen_ = len(ready.data[1])
        return settle(self, ready, *rest)

    patch.setattr(learners_base.PrivateClassifier, "settle", keeping)


def _tells_rows(patch: pytest.MonkeyPatch) -> None:
    known: list[int] = []
    run, to_json = table_selection.TableSelection.run, Release.to_json

    def remember(self: Any, table: Any, source: Any) -> Any:
        known[:] = [table.rows]
        return run(self, table, source)

    patch.setattr(table_selection.TableSelection, "run", remember)
    patch.setattr(Release, "to_json", lambda self: {**to_json(self), "rows": known[0]})


def _first_rows(_: Any, rows: int, share: Fraction, *rest: Any) -> Any:
    return np.arange(int(np.ceil(share * rows)))


def _one_hot(original: Any, queries: Any, *, epsilon: Any, **rest: Any) -> Any:
    return original(queries, epsilon=epsilon * queries.hot, **rest)


def _drawn_and_forgotten(run: Any, self: Any, rows: int, source: Any) -> int:
    """The count is drawn, as it should be, and another number is used."""
    run(self, rows, source)
    return row_count.rounded_size(rows)


def _loud_match(original: Any, table: Any, *rest: Any) -> Any:
    *others, progress = rest
    return original(table, *others, lambda done, total: progress(done, int(table.counts[0])))


def _refuses_a_record(original: Any, table: Any, *rest: Any, **options: Any) -> Any:
    from oracledp.errors import OracleFailure

    if [1, 1] in table.codes.tolist():
        raise OracleFailure("the search gave up")
    return original(table, *rest, **options)


MUTANTS: dict[str, tuple[str, Break]] = {
    # the survivors that were known before
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
    "synthesis settings from the exact n": ("synthesizer / add-remove", _exact_n),
    "the exact total in the model file": ("synthesizer / add-remove", _exact_total_in_the_model),
    "the rounds of a game are not composed": ("oracle-query / replace-one", _rounds_not_composed),
    "ties of a solver cost nothing": ("rspm / free ties / replace-one", _ties_for_nothing),
    # and more
    "replace-one counted as one record": (
        "permute-and-flip / replace-one",
        as_property(Neighbours, "comparison_sensitivity", lambda sensitivity, self: 1),
    ),
    "the exponential rate doubled": (
        "exponential / replace-one",
        as_property(exponential.ExponentialMechanism, "rate", lambda rate, self: 2 * rate),
    ),
    "the exponential rate a tenth too high": (
        "exponential / add-remove",
        as_property(exponential.ExponentialMechanism, "rate", lambda rate, self: rate * 11 / 10),
    ),
    "trees sampled at twice the rate": (
        "exponential / trees / add-remove",
        wrapped(
            exponential, "sample_exponential", lambda draw, problems, rate, source: draw(problems, 2 * rate, source)
        ),
    ),
    "k-hot noise that pays for one part only": (
        "rspm:k-hot / two parts / replace-one",
        wrapped(perturbation.KHotPerturbation, "calibrate", _one_hot),
    ),
    "separator noise at half its scale": (
        "rspm:separator / replace-one",
        wrapped(perturbation, "discrete_laplace", lambda draw, scale, *rest: draw(max(1, scale // 2), *rest)),
    ),
    "report-noisy-min at half its scale": (
        "report-noisy-min / replace-one",
        wrapped(noisy_min, "ceil", lambda up, x: up(x / 2)),
    ),
    "Gaussian noise of a sixteenth of the variance": (
        "rspm:gaussian / replace-one",
        wrapped(gaussian_rspm, "discrete_gaussian", lambda draw, variance, *rest: draw(variance / 16, *rest)),
    ),
    "class weights that count as one": (
        "fit class weights / add-remove",
        wrapped(sample.Sample, "of", lambda of, *rest, **more: replace(of(*rest, **more), unit=1)),
    ),
    "a weighted whole class run at the full epsilon": (
        "fit parity, class weights / add-remove",
        wrapped(whole_class.Objective, "of", lambda of, queries, records, weights, **more: of(
            queries, records, 2 * weights, **more)),
    ),
    "cards whose weights count as one": (
        "fit card, class weights / replace-one",
        wrapped(sample.Sample, "of", lambda of, *rest, **more: replace(of(*rest, **more), unit=1)),
    ),
    "amplification as if half the rows were a tenth": (
        "fit subsample / replace-one",
        wrapped(learners_base, "inner_epsilon", lambda inner, epsilon, share: inner(epsilon, share / 5)),
    ),
    "noise on counts of half the variance": (
        "synthesizer / add-remove",
        wrapped(measurements.Meter, "_noisy", lambda noisy, self, counts, squared, rho: noisy(
            self, counts, Fraction(squared, 2), rho)),
    ),
    "parities as if a record moved one of them": (
        "synthesizer / large budget / add-remove",
        wrapped(measurements.Meter, "_noisy", lambda noisy, self, counts, squared, rho: noisy(
            self, counts, min(squared, 2), rho)),
    ),
    "a replaced record moves a parity by one": (
        "synthesizer / replace-one",
        wrapped(measurements.Meter, "_noisy", lambda noisy, self, counts, squared, rho: noisy(
            self, counts, squared // 2 if squared > 2 else squared, rho)),
    ),
    "selections at twice their share": (
        "synthesizer / rounds / add-remove",
        wrapped(measurements, "sqrt_below", lambda root, square: 2 * root(square)),
    ),
    "one-ways left out of the budget": (
        "synthesizer / add-remove",
        wrapped(measuring, "_one_ways", lambda one_ways, meter, rho: one_ways(replace(meter), rho)
                and one_ways(replace(meter), rho * 2)),
    ),
    "progress tells a count": ("oracle-query:exponential / replace-one", wrapped(
        oracle_query, "play_match", _loud_match)),
    "the game reads rounds from the rate of one": (
        "oracle-query / play / replace-one",
        wrapped(query_player, "sqrt_below", lambda root, square: 2 * root(square)),
    ),
    "a release that says how many rows there were": ("exponential / add-remove", _tells_rows),
    "a model that keeps its number of rows": ("fit conjunction / add-remove", _keeps_rows),
    "a failure when one record is there": (
        "learn --mechanism / replace-one",
        wrapped(import_module("oracledp.cli.learn"), "learn_rule", _refuses_a_record),
    ),
    "a selector that compares at twice its rate": (
        "private selector, same split / replace-one",
        wrapped(selector, "permute_and_flip_choice", lambda draw, scores, rate, source: draw(scores, 2 * rate, source)),
    ),
    "a selector whose candidates spend the whole epsilon each": (
        "private selector, same split / replace-one",
        wrapped(selector.PrivateSelector, "_prepared", lambda prepared, self, one, epsilon: prepared(
            self, one, 2 * epsilon)),
    ),
    "mapped counts with half their noise": (
        "mapped-counts / add-remove",
        wrapped(mapped_counts, "discrete_laplace", lambda draw, scale, *rest: draw(max(1, scale // 2), *rest)),
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
        "fit auto, many literals / add-remove",
        wrapped(by_size.LearnerBySize, "measuring", lambda measuring, epsilon, learners: measuring(
            epsilon, lambda rest: learners(epsilon))),
    ),
    "the count of the rows costs nothing where a card is learned": (
        "fit auto / add-remove",
        wrapped(by_size.LearnerBySize, "measuring", lambda measuring, epsilon, learners: measuring(
            epsilon, lambda rest: learners(epsilon))),
    ),
    "the rows counted with half the noise": (
        "fit auto, many literals / add-remove",
        as_property(row_count.RowCount, "scale", lambda scale, self: scale // 2),
    ),
    "the recipe from the exact number of rows": (
        "fit counted list, other recipe / add-remove",
        wrapped(row_count.RowCount, "run", _drawn_and_forgotten),
    ),
    "the recipe's list at twice its epsilon": (
        "fit auto, many literals / replace-one",
        wrapped(learner, "OverrideLists", lambda lists, literals, rounds, epsilon, *rest: _claiming(
            lists(literals, rounds, 2 * epsilon, *rest), epsilon)),
    ),
}  # fmt: skip


def _claiming(lists: Any, epsilon: Fraction) -> Any:
    class Claiming(type(lists)):  # type: ignore[misc]
        @property
        def guarantee(self) -> Any:
            return replace(super().guarantee, epsilon=epsilon)

    return Claiming(**{name: getattr(lists, name) for name in lists.__dataclass_fields__})


SMALL: dict[str, dict[str, Any]] = {
    "fit card": {"kinds": (2, 3)},
    "fit auto": {"kinds": (2, 3)},
    "fit card, class weights": {"kinds": (1, 3)},
    "rspm / free ties": {"kinds": (0, 1)},
    "rspm:separator": {"rows": 1, "base": (1, 0, 0, 0), "kinds": (0, 1)},
    "report-noisy-min": {"rows": 1, "base": (1, 0, 0, 0), "kinds": (0, 1)},
    "synthesizer / rounds": {"kinds": (1,)},
}


def small(look: Look) -> Look:
    """The look at the pairs of neighbours that matter."""
    return replace(look, door=replace(look.door, **SMALL.get(look.door.name, {})))


@pytest.mark.parametrize("name", MUTANTS)
def test_the_front_door_sees(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, broken = MUTANTS[name]
    broken(monkeypatch)
    try:
        finding = small(LOOKS[where]).finding()
    except Uncovered:
        return
    assert finding.broken, finding


@pytest.mark.parametrize(
    "where", sorted({where for where, _ in MUTANTS.values()} & {f"{n} / {r.value}" for n in SMALL for r in Neighbours})
)
def test_the_same_look_finds_nothing_wrong_with_what_is_right(where: str) -> None:
    finding = small(LOOKS[where]).finding()
    assert not finding.broken, finding
