"""One door: what public facts decide is decided before the charge, and only a mechanism that ran has charged."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from oracledp.classes.base import QueryClass, Separator
from oracledp.errors import BudgetExceeded, DataError, OracleDPError, ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.learners import DecisionListClassifier, HalfspaceClassifier, PrivateRuleClassifier
from oracledp.privacy.door import Facts, release
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import Randomness, SeededRandomness

SCHEMA = odp.Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}, "c": {"kind": "boolean"}})
FRAME = pd.DataFrame({name: np.arange(64) >> place & 1 == 1 for place, name in enumerate("abc")})
TABLE = odp.Table.from_frame(FRAME, SCHEMA)
LARGE = odp.Table.from_codes(TABLE.codes.astype(np.uint8), SCHEMA, TABLE.counts * 1000)
RULES = odp.ZeroOneLoss.of(odp.Conjunctions(SCHEMA.literals.without("c"), max_width=2), SCHEMA.literals[2])
STRANGERS = odp.Conjunctions(odp.Literals.named("height", "weight"))
HUGE = odp.ReadOnceFormulas(odp.Literals.named(*(f"x{i}" for i in range(40))))


class Constants(QueryClass):
    """A class of a user's own: always false, always true. No solver has a model of it."""

    kind = "constants"
    size = part_count = 2
    hot = 1

    def all_parts(self) -> Any:
        return iter([(0,), (1,)])

    def contains(self, parts: Any) -> bool:
        return tuple(parts) in ((0,), (1,))

    def evaluate(self, parts: Any, records: Any) -> Any:
        return np.full(len(records), parts == (1,))

    def describe(self, parts: Any) -> str:
        return "always" if parts == (1,) else "never"

    def separator(self) -> Any:
        return Separator(((0,) * self.dimension,))

    def dual_separator(self) -> Any:
        return ()

    def parameters(self) -> dict[str, Any]:
        return {}


OWN = Constants(SCHEMA.literals)
X, Y = FRAME[["a", "b"]].to_numpy().astype(int), FRAME["c"].to_numpy().astype(int)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "ledger.json", epsilon=100, delta="0.1")


class Recorder:
    """A mechanism that writes down what happens to it."""

    name = "recorder"
    guarantee = Guarantee(epsilon=Fraction(1), neighbours=Neighbours.DEFAULT, proof="composition")

    def __init__(self, ledger: Ledger, refuse: bool = False) -> None:
        self.ledger, self.refuse, self.seen = ledger, refuse, []

    def check(self, facts: Facts) -> None:
        self.seen.append(("check", len(self.ledger.charges)))
        if self.refuse:
            raise ParameterError("no")

    def run(self, data: object, source: Randomness) -> str:
        self.seen.append(("run", len(self.ledger.charges)))
        return "result"


def test_the_order_is_check_charge_run(ledger: Ledger) -> None:
    mechanism = Recorder(ledger)
    released = release(mechanism, None, Facts(rows=3), ledger=ledger)
    assert mechanism.seen == [("check", 0), ("run", 1)]
    assert (released.result, released.guarantee) == ("result", mechanism.guarantee)


def test_a_refusal_costs_nothing(ledger: Ledger) -> None:
    mechanism = Recorder(ledger, refuse=True)
    with pytest.raises(ParameterError):
        release(mechanism, None, Facts(rows=3), ledger=ledger)
    assert ledger.charges == ()


def test_a_ledger_that_refuses_stops_the_run(tmp_path: Path) -> None:
    small = Ledger.create(tmp_path / "small.json", epsilon="1/2")
    mechanism = Recorder(small)
    with pytest.raises(BudgetExceeded):
        release(mechanism, None, Facts(rows=3), ledger=small)
    assert mechanism.seen == [("check", 0)]


def test_a_seed_taints_the_guarantee_and_the_charge(ledger: Ledger) -> None:
    released = release(Recorder(ledger), None, Facts(rows=3), ledger=ledger, source=SeededRandomness(1))
    assert not released.guarantee.private
    assert not ledger.charges[0].private


def test_what_reading_assumed_is_part_of_the_guarantee(ledger: Ledger) -> None:
    released = release(Recorder(ledger), None, Facts(rows=3, assumes=("all values lie in the schema",)), ledger=ledger)
    assert not released.guarantee.robust
    assert "all values lie in the schema" in str(released.guarantee)
    assert ledger.charges[0].assumes == ("all values lie in the schema",)


def fit(estimator: Any, **more: Any) -> Any:
    return estimator.fit(more.get("X", X), more.get("y", Y))


def synth(**options: Any) -> Any:
    return odp.Synthesizer(SCHEMA, **{"epsilon": 1, "delta": "1e-6", **options}).fit(TABLE)


def game(**options: Any) -> Any:
    queries = options.pop("queries", odp.Conjunctions(SCHEMA.literals, max_width=2))
    return odp.OracleQuery(SCHEMA, **{"epsilon": 1, "delta": "1e-6", "queries": queries, **options}).fit(TABLE)


SELECTIONS: dict[str, Callable[..., Any]] = {
    "rspm": odp.rspm,
    "exponential": odp.exponential,
    "report_noisy_min": odp.report_noisy_min,
    "gaussian_rspm": lambda table, queries, **more: odp.gaussian_rspm(table, queries, delta="1e-6", **more),
    "prsma": lambda table, queries, **more: odp.prsma(table, queries, delta="1e-6", **more),
}
BAD_SELECTIONS: dict[str, Callable[[Any, Ledger], Any]] = {
    "an unknown goal": lambda run, ledger: run(TABLE, RULES, epsilon=1, goal="median", ledger=ledger),
    "literals the table lacks": lambda run, ledger: run(TABLE, STRANGERS, epsilon=1, ledger=ledger),
    "a class too large": lambda run, ledger: run(TABLE, HUGE, epsilon=1, ledger=ledger),
    "epsilon zero": lambda run, ledger: run(TABLE, RULES, epsilon=0, ledger=ledger),
    "epsilon of a strange type": lambda run, ledger: run(TABLE, RULES, epsilon=object(), ledger=ledger),
    "unknown neighbours": lambda run, ledger: run(TABLE, RULES, epsilon=1, neighbours="cousins", ledger=ledger),
}
BAD_CALLS: dict[str, Callable[[Ledger], Any]] = {
    "rspm, a class the solver lacks": lambda ledger: odp.rspm(TABLE, OWN, epsilon=1, oracle="search", ledger=ledger),
    "prsma, a class the solver lacks": lambda ledger: odp.prsma(
        LARGE, OWN, epsilon=5, delta="1e-2", oracle="search", ledger=ledger
    ),
    "rspm, an unknown oracle": lambda ledger: odp.rspm(TABLE, RULES, epsilon=1, oracle="delphi", ledger=ledger),
    "rspm, an unknown embedding": lambda ledger: odp.rspm(TABLE, RULES, epsilon=1, embedding="x", ledger=ledger),
    "exponential, an unknown method": lambda ledger: odp.exponential(
        TABLE, RULES, epsilon=1, method="x", ledger=ledger
    ),
    "prsma, unknown workers": lambda ledger: odp.prsma(
        LARGE, RULES, epsilon=5, delta="1e-2", parallel="magic", ledger=ledger
    ),
    "fit, no such size": lambda ledger: fit(DecisionListClassifier(epsilon=1, size=0, ledger=ledger)),
    "fit, weights read off the data": lambda ledger: fit(
        PrivateRuleClassifier(epsilon=1, class_weight="balanced", ledger=ledger)
    ),
    "fit, a negative weight": lambda ledger: fit(PrivateRuleClassifier(epsilon=1, class_weight={0: -1}, ledger=ledger)),
    "fit, no classes": lambda ledger: fit(PrivateRuleClassifier(epsilon=1, classes=[], ledger=ledger)),
    "fit, labels of another length": lambda ledger: fit(PrivateRuleClassifier(epsilon=1, ledger=ledger), y=Y[:5]),
    "fit, a strange seed": lambda ledger: fit(HalfspaceClassifier(epsilon=1, random_state="x", ledger=ledger)),
    "fit, a share above one": lambda ledger: fit(HalfspaceClassifier(epsilon=1, subsample=2, ledger=ledger)),
    "fit, an unknown mechanism": lambda ledger: fit(HalfspaceClassifier(epsilon=1, mechanism="x", ledger=ledger)),
    "fit, bounds reversed": lambda ledger: fit(HalfspaceClassifier(epsilon=1, bounds=(1, 0), ledger=ledger)),
    "synth, an unknown workload": lambda ledger: synth(workload="everything", ledger=ledger),
    "synth, no rows": lambda ledger: synth(rows=0, ledger=ledger),
    "synth, delta one": lambda ledger: synth(delta=1, ledger=ledger),
    "game, strangers": lambda ledger: game(queries=STRANGERS, ledger=ledger),
    "game, an unknown player": lambda ledger: game(query_player="dealer", ledger=ledger),
    "game, no rounds": lambda ledger: game(rounds=0, ledger=ledger),
}


@pytest.mark.parametrize("name", SELECTIONS)
@pytest.mark.parametrize("mistake", BAD_SELECTIONS)
def test_no_mistake_in_a_selection_changes_a_ledger(name: str, mistake: str, ledger: Ledger) -> None:
    before = ledger.path.read_bytes()
    with pytest.raises((OracleDPError, ValueError)) as refused:
        BAD_SELECTIONS[mistake](SELECTIONS[name], ledger)
    assert not isinstance(refused.value, BudgetExceeded), "the mistake was seen, not the ledger's relation"
    assert ledger.path.read_bytes() == before


@pytest.mark.parametrize("mistake", BAD_CALLS)
def test_no_mistake_in_a_call_changes_a_ledger(mistake: str, ledger: Ledger) -> None:
    before = ledger.path.read_bytes()
    with pytest.raises((OracleDPError, ValueError)) as refused:
        BAD_CALLS[mistake](ledger)
    assert not isinstance(refused.value, BudgetExceeded), "the mistake was seen, not the ledger's relation"
    assert ledger.path.read_bytes() == before


def test_a_refused_refit_leaves_the_estimator_as_it_was(tmp_path: Path) -> None:
    # The bug: classes_ was set before the ledger was asked, so predictions of the first fit changed their labels.
    ledger = Ledger.create(tmp_path / "once.json", epsilon=5)
    model = PrivateRuleClassifier(epsilon=5, ledger=ledger).fit(X, Y)
    before, state = model.predict(X).tolist(), dict(vars(model))
    with pytest.raises(BudgetExceeded):
        model.fit(X[:, :1], np.where(Y, "yes", "no"))
    assert vars(model) == state
    assert model.predict(X).tolist() == before


def test_a_label_outside_the_declared_classes_is_no_error() -> None:
    # Refusing it would tell that such a record is there.
    model = PrivateRuleClassifier(epsilon=5, bounds=(0, 1), classes=[0, 1])
    assert model.fit(X, np.where(np.arange(64) == 3, 7, Y)).guarantee_.robust


def test_facts_hold_the_number_of_rows_only_where_it_is_public() -> None:
    schema = odp.Schema({"columns": {"a": {"kind": "boolean"}}})
    for rows in (0, 1, 3):
        table = odp.Table.from_codes(np.zeros((rows, 1), dtype=np.uint8), schema)
        private, public = (Facts.of(table, relation) for relation in (Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE))
        assert (private.rows, private.rows_bound) == (None, MOST_ROWS)
        assert (public.rows, public.rows_bound) == (rows, rows)
        private.refuse_empty()
        if rows:
            public.refuse_empty()
        else:
            with pytest.raises(DataError, match="no rows"):
                public.refuse_empty()
