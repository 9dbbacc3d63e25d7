"""Many fits, one model: what a search spends is said, and a private choice costs one charge."""

import warnings
from fractions import Fraction
from math import ceil, expm1, log1p
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV

from oracledp.audit.free_ties import FreeTies
from oracledp.data.schema import Schema
from oracledp.errors import BudgetExceeded, CapacityError, ParameterError
from oracledp.learners import (
    ConjunctionClassifier,
    DisjunctionClassifier,
    NotPrivateWarning,
    ParityClassifier,
    PrivateGridSearch,
    PrivateSelector,
    RepeatedFitWarning,
)
from oracledp.learners.fitting import Fitting
from oracledp.mechanisms.subsampling import random_rows
from oracledp.privacy.door import Facts
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import SeededRandomness

X = np.tile([[0, 1], [1, 0], [1, 1], [0, 0]], (100, 1))
EITHER = X[:, 0] | X[:, 1]


def searched(**more):
    grid = GridSearchCV(
        ConjunctionClassifier(epsilon=1, bounds=(0, 1), classes=[0, 1], **more), {"size": [1, 2, 3]}, cv=3
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotPrivateWarning)
        return grid.fit(X, EITHER)


def test_a_model_tuned_by_search_carries_what_all_fits_spent():
    # The bug: after ten fits best_estimator_ said ε = 1.
    with pytest.warns(RepeatedFitWarning, match="PrivateSelector"):
        best = searched().best_estimator_
    assert best.guarantee_.epsilon == 10
    assert not best.guarantee_.robust


def test_a_search_warns_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        searched()
    assert sum(issubclass(warning.category, RepeatedFitWarning) for warning in caught) == 1


def test_with_a_ledger_the_guarantee_names_the_total_spent(tmp_path: Path):
    ledger = Ledger.create(tmp_path / "ledger.json", epsilon=10)
    best = searched(ledger=ledger).best_estimator_
    assert best.guarantee_.epsilon == ledger.spent[0] == 10
    assert best.guarantee_.robust


def test_bagging_says_that_repeated_rows_are_not_covered():
    with pytest.warns(RepeatedFitWarning, match="resampled"):
        bag = BaggingClassifier(ConjunctionClassifier(epsilon=1, classes=[0, 1]), n_estimators=2).fit(X, EITHER)
    assert any("no row is repeated" in claim for claim in bag.estimators_[0].guarantee_.assumes)


def test_fitting_an_estimator_that_was_never_copied_is_no_search():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ConjunctionClassifier(epsilon=1, classes=[0, 1]).fit(X, EITHER)
    assert model.guarantee_.epsilon == 1
    assert clone(model).get_params() == model.get_params()


def options():
    return [ConjunctionClassifier(epsilon=3, bounds=(0, 1)), DisjunctionClassifier(epsilon=3, bounds=(0, 1))]


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_private_choice_is_one_charge(neighbours: str, tmp_path: Path):
    ledger = Ledger.create(tmp_path / "ledger.json", epsilon=8, neighbours=neighbours)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chosen = PrivateSelector(options(), epsilon=8, classes=[0, 1], neighbours=neighbours, ledger=ledger)
        chosen.fit(X, EITHER)
    assert [charge.epsilon for charge in ledger.charges] == [Fraction(8)]
    assert chosen.guarantee_.epsilon == chosen.best_estimator_.guarantee_.epsilon == 8
    assert chosen.guarantee_.robust
    assert chosen.best_index_ == 1  # the chance of the other is below e^-100
    assert chosen.predict(X).tolist() == EITHER.tolist()


def test_a_private_choice_refuses_before_it_charges(tmp_path: Path):
    ledger = Ledger.create(tmp_path / "ledger.json", epsilon=1)
    for mistake in ([], [object()]):
        with pytest.raises(ParameterError, match="candidates"):
            PrivateSelector(mistake, epsilon=1, ledger=ledger).fit(X, EITHER)
    with pytest.raises(ParameterError):
        PrivateSelector([ConjunctionClassifier(epsilon=1, size=0)], epsilon=1, ledger=ledger).fit(X, EITHER)
    assert ledger.charges == ()
    with pytest.raises(BudgetExceeded):
        PrivateSelector(options(), epsilon=2, ledger=ledger).fit(X, EITHER)


def test_every_problem_of_a_learner_with_a_solver_has_its_own_delta():
    # The bug: three problems, or two candidates, claimed the delta of one.
    def parity(epsilon: int, labels: int = 2) -> ParityClassifier:
        common = {"size": 1, "mechanism": "rspm", "oracle": FreeTies()}
        return ParityClassifier(epsilon=epsilon, classes=list(range(labels)), **common)

    one = parity(1).fit(X, EITHER).guarantee_.delta
    assert one > 0
    assert parity(3, labels=3).fit(X, EITHER).guarantee_.delta == 3 * one
    both = PrivateSelector([parity(1), parity(1)], epsilon=2, classes=[0, 1]).fit(X, EITHER)
    assert both.guarantee_.delta == 2 * one


def test_a_seeded_choice_is_not_private():
    chosen = PrivateSelector(options(), epsilon=8, classes=[0, 1], random_state=1).fit(X, EITHER)
    assert not chosen.guarantee_.private


def test_a_private_choice_assumes_what_any_candidate_assumes():
    schema = Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}})
    options = [ConjunctionClassifier(epsilon=1, schema=schema, strict=strict) for strict in (False, True)]
    chosen = PrivateSelector(options, epsilon=8, classes=[0, 1]).fit(X, EITHER)
    assert not chosen.guarantee_.robust


@pytest.mark.parametrize(("rows", "subsample"), [(1000, Fraction(1, 1000)), (10, Fraction(3, 10)), (3, Fraction(1, 3))])
def test_a_sample_of_the_first_part_is_amplified_by_the_chance_of_its_own_rows(rows: int, subsample: Fraction):
    # The bug: the chance was that of all rows. One row of 667 was accounted for as one of 1000, and ε = 1 cost 1.27.
    part, epsilon = Fraction(2, 3), 1
    learner = ConjunctionClassifier(
        epsilon=epsilon, size=1, subsample=subsample, neighbours="replace-one", classes=[0, 1]
    )
    fitting = learner.prepare(np.zeros((rows, 1)), np.zeros(rows, dtype=int), part).fitting
    seen = ceil(part * rows)
    kept = random_rows(seen, fitting.share, Neighbours.REPLACE_ONE, SeededRandomness(0))
    inner = float(fitting.learner.guarantee.epsilon)
    assert log1p(len(kept) / seen * expm1(inner)) <= epsilon + 1e-9


def test_a_choice_of_one_is_a_choice():
    chosen = PrivateSelector(options()[:1], epsilon=2, classes=[0, 1]).fit(X, EITHER)
    assert chosen.best_index_ == 0
    assert chosen.guarantee_.epsilon == 2


def test_every_candidate_is_looked_at_before_the_charge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    ledger = Ledger.create(tmp_path / "ledger.json", epsilon=10)
    with pytest.raises(ParameterError, match="candidates"):
        PrivateSelector([*options(), object()], epsilon=1, ledger=ledger).fit(X, EITHER)

    asked: list[Fitting] = []

    def refuses(self: Fitting, facts: Facts) -> None:
        asked.append(self)
        if len(asked) == len(options()):
            raise CapacityError("too large")

    monkeypatch.setattr(Fitting, "check", refuses)
    with pytest.raises(CapacityError, match="too large"):
        PrivateSelector(options(), epsilon=1, classes=[0, 1], ledger=ledger).fit(X, EITHER)
    assert ledger.charges == ()


def test_a_grid_is_searched_for_one_charge(tmp_path):
    ledger = Ledger.create(tmp_path / "ledger", epsilon=8)
    search = PrivateGridSearch(
        DisjunctionClassifier(epsilon=1, bounds=(0, 1)), {"size": [1, 2]}, epsilon=8, classes=[0, 1], ledger=ledger
    ).fit(X, EITHER)
    assert search.best_params_ == {"size": 2}
    assert search.guarantee_.robust
    assert ledger.spent[0] == 8
    assert (search.decision_function(X).ravel() > 0).tolist() == (search.predict(X) == 1).tolist()
    search.save(tmp_path / "model.json")
    for grid in ({"epsilon": [1, 2]}, {"nonsense": [1]}):
        with pytest.raises(ParameterError, match="cannot search over"):
            PrivateGridSearch(DisjunctionClassifier(epsilon=1), grid, epsilon=1, ledger=ledger).fit(X, EITHER)
    assert ledger.spent[0] == 8
