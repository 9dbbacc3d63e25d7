"""Under add/remove-one a table without rows is a neighbour of a table with one: every mechanism treats it alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

import oracledp as odp
from oracledp.classes.registry import FAMILIES
from oracledp.data.table import Table
from oracledp.errors import DataError, OracleDPError
from oracledp.learning import learn_table
from oracledp.mechanisms.mapped_counts import mapped_counts
from oracledp.mechanisms.registry import SELECTIONS
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import SeededRandomness

SCHEMA = odp.Schema(
    {
        "age": {"kind": "integer", "lo": 0, "hi": 9, "thresholds": [3, 6]},
        "job": {"kind": "categorical", "values": ["a", "b"], "nullable": True},
        "sick": {"kind": "boolean"},
    }
)
ONE = Table.from_frame(pandas.DataFrame({"age": [4], "job": ["a"], "sick": [True]}), SCHEMA)
EMPTY = Table.from_frame(pandas.DataFrame({"age": [], "job": [], "sick": []}), SCHEMA)
TARGET = SCHEMA.literal("sick")
RULES = odp.ZeroOneLoss.of(odp.Conjunctions(SCHEMA.literals.without("sick")), TARGET)
QUERIES = odp.Conjunctions(SCHEMA.literals, max_width=1)
WORKLOADS = ("marginals:2", "conjunctions:2", "parities:2", "halfspaces", "ranges")


def synthesized(workload: str) -> Callable[..., Any]:
    def make(table: Table, *, source: Any, ledger: Any = None, **more: Any) -> Any:
        made = odp.Synthesizer(SCHEMA, delta="1e-6", workload=workload, ledger=ledger, **more)
        return made.fit(table, source=source).sample(seed=0)

    return make


def learned(mechanism: str, model: str) -> Callable[..., Any]:
    return lambda table, **more: learn_table(table, TARGET, model=model, mechanism=mechanism, size=2, **more)


CALLS: dict[str, Callable[..., Any]] = {
    **{f"{name} {model}": learned(name, model) for name in SELECTIONS if name != "rspm:gaussian" for model in FAMILIES},
    **{
        f"table {m}": (lambda table, m=m, **more: learn_table(table, TARGET, model=m, **more))
        for m in ["auto", *FAMILIES]
    },
    **{f"synthesizer {workload}": synthesized(workload) for workload in WORKLOADS},
    "gaussian-rspm": lambda table, **more: odp.gaussian_rspm(table, RULES, delta="1e-6", **more),
    "mapped-counts": mapped_counts,
}


def outcome(call: Callable[..., Any], table: Table, **more: Any) -> str:
    """The kind of a result, or an error as it reads."""
    try:
        return type(call(table, epsilon=1, source=SeededRandomness(1), **more)).__name__
    except OracleDPError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", list(CALLS))
def test_no_rows_are_treated_as_one_row_is(name: str) -> None:
    assert outcome(CALLS[name], EMPTY, neighbours="add-remove") == outcome(CALLS[name], ONE, neighbours="add-remove")


def test_prsma_with_a_public_bound() -> None:
    more: dict[str, Any] = {"delta": "1e-2", "neighbours": "add-remove", "rows_bound": 100_000}
    for table in (EMPTY, ONE):
        odp.prsma(table, QUERIES, epsilon=8, source=SeededRandomness(1), **more)


@pytest.mark.parametrize("name", list(CALLS))
def test_where_the_number_of_rows_is_public_none_are_refused_before_the_charge(name: str, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger", epsilon=9, delta="1e-3")
    with pytest.raises(DataError, match=r"^the table has no rows$"):
        CALLS[name](EMPTY, epsilon=1, source=SeededRandomness(1), neighbours="replace-one", ledger=ledger)
    assert ledger.spent == (0, 0)


def test_a_game_needs_rows() -> None:
    game = odp.OracleQuery(SCHEMA, epsilon=1, delta="1e-6", queries=QUERIES)
    with pytest.raises(DataError, match=r"^the table has no rows$"):
        game.fit(EMPTY)
