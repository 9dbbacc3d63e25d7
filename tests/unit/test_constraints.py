"""Constraints of a schema: read with clear complaints, kept in every synthetic row, at no cost to other columns."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from oracledp.data.output.lawful import Law, Rows
from oracledp.errors import ModelError, ParameterError, SchemaError
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis.held import Held

COLUMNS: dict[str, Any] = {
    "city": {"kind": "categorical", "values": ["Berlin", "Bonn", "Ulm"]},
    "state": {"kind": "categorical", "values": ["BE", "BW", "NW"]},
    "begun": {"kind": "date", "lo": "2024-01-01", "hi": "2024-03-31"},
    "ended": {"kind": "date", "lo": "2024-01-01", "hi": "2024-12-31"},
    "price": {"kind": "numeric", "lo": 0, "hi": 90, "resolution": "0.01"},
    "tax": {"kind": "numeric", "lo": 0.5, "hi": 9, "resolution": "0.05", "nullable": True},
    "total": {"kind": "numeric", "lo": 0, "hi": 99, "resolution": "0.01", "thresholds": [50], "nullable": True},
    "sex": {"kind": "categorical", "values": ["f", "m"]},
    "pregnant": {"kind": "boolean", "nullable": True},
}
STATES = {"Berlin": "BE", "Bonn": "NW", "Ulm": "BW"}
ALL = ["begun <= ended", "total = price + tax", {"city -> state": STATES}, "sex = m -> pregnant is missing"]


def schema(constraints: list[Any], **more: Any) -> odp.Schema:
    return odp.Schema({"columns": COLUMNS, "constraints": constraints, **more})


def random_rows(known: odp.Schema, count: int, seed: int = 0) -> Rows:
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, size, count) for size in known.sizes], axis=1)
    return Rows(codes, rng.random(codes.shape))


def kept(frame: pd.DataFrame) -> bool:
    full = frame[frame["tax"].notna()]
    return bool(
        (frame["begun"] <= frame["ended"]).all()
        and ((full["total"] - full["price"] - full["tax"]).abs() < 1e-9).all()
        and frame.loc[frame["tax"].isna(), "total"].isna().all()
        and (frame["state"] == frame["city"].map(STATES)).all()
        and frame.loc[frame["sex"] == "m", "pregnant"].isna().all()
    )


def test_a_schema_with_constraints_is_written_and_read(tmp_path: Path) -> None:
    known = schema(ALL)
    known.save(tmp_path / "schema.yaml")
    assert odp.Schema.load(tmp_path / "schema.yaml") == known
    assert known.to_json()["constraints"] == ALL


@pytest.mark.parametrize(
    ("constraint", "complaint"),
    [
        ("begun <= price", "must be two numbers, two dates or two time stamps"),
        ("begun <= begun", "no record can"),
        ("price = tax + total", "must be nullable"),
        ("tax = price + total", "do not fall on the steps"),
        ({"city -> state": {"Berlin": "BE"}}, "no value of 'state' for 'Bonn'"),
        ({"city -> state": STATES | {"Rome": "BE"}}, "'Rome', which is no value of 'city'"),
        ({"begun <= ended": STATES}, "only 'column -> column' has a table"),
        ("city -> price", "categories or booleans"),
        ("pregnant -> sex", "'sex' must be nullable"),
        ("sex = x -> pregnant", "not a literal"),
        ("city", "none of 'a <= b'"),
        (7, "must be 'a <= b'"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_number(constraint: Any, complaint: str) -> None:
    with pytest.raises(SchemaError, match="constraints', number 2") as caught:
        schema(["begun <= ended", constraint])
    assert complaint in str(caught.value)


def test_a_column_follows_from_others_once() -> None:
    with pytest.raises(SchemaError, match="already follows"):
        schema([{"city -> state": STATES}, "sex -> state"])
    with pytest.raises(SchemaError, match="already follows"):
        schema(["city -> state", "sex -> city"])
    with pytest.raises(SchemaError, match="must be a list"):
        odp.Schema({"columns": COLUMNS, "constraints": "begun <= ended"})


def test_exchanges_keep_the_values_of_every_column_that_does_not_follow_from_others() -> None:
    known = schema(["begun <= ended", "sex = m -> pregnant is missing"], deny=[["city = Ulm", "sex = f"]])
    rows = random_rows(known, 3000)
    rows.codes[:2000, 8] = 2  # as many as there are men have no value
    before = [np.bincount(column) for column in rows.codes.T]
    left = Law(known, {}).keep(rows, np.random.default_rng(1))
    assert not left.any()
    assert all(np.array_equal(was, np.bincount(column)) for was, column in zip(before, rows.codes.T, strict=True))
    frame = pd.DataFrame(known.decode(rows.codes.astype(known.code_dtype), rows.places))
    assert (frame["begun"] <= frame["ended"]).all()
    assert not ((frame["city"] == "Ulm") & (frame["sex"] == "f")).any()
    assert frame.loc[frame["sex"] == "m", "pregnant"].isna().all()


@pytest.mark.parametrize("learned", [False, True])
def test_every_synthetic_row_keeps_them_all(learned: bool, tmp_path: Path) -> None:
    known = schema([*ALL[:2], "city -> state" if learned else ALL[2], ALL[3]])
    rows = random_rows(known, 2000)
    rows.codes[:, 2], rows.codes[:, 1] = rows.codes[:, 2] // 3, np.array([0, 2, 1])[rows.codes[:, 0]]
    table = odp.Table.from_codes(rows.codes.astype(known.code_dtype), known)
    fitted = odp.Synthesizer(known, epsilon=3, delta="1e-6").fit(table, source=SeededRandomness(0))
    assert kept(fitted.sample(800, seed=1))
    fitted.save(tmp_path / "model.json")
    some = odp.Synthesizer.load(tmp_path / "model.json").sample(60, seed=2, where=["state = BE", "total >= 50"])
    assert kept(some)
    assert set(some["city"]) == {"Berlin"}
    assert len(some) == 60
    assert some["total"].min() >= 50


def fitted_to(known: odp.Schema, codes: np.ndarray) -> odp.Synthesizer:
    table = odp.Table.from_codes(codes.astype(known.code_dtype), known)
    return odp.Synthesizer(known, epsilon=1, delta="1e-6").fit(table, source=SeededRandomness(0))


IMPOSSIBLE: dict[str, Any] = {  # by an order, which schemas do not look through
    "columns": {name: {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [50]} for name in "xy"},
    "constraints": ["x <= y"],
    "deny": [["x < 50"], ["y >= 50"]],
}


def test_what_no_row_can_keep_is_said() -> None:
    fitted = fitted_to(odp.Schema(IMPOSSIBLE), np.zeros((500, 2), dtype=np.int64))
    with pytest.raises(ModelError, match="leave next to no record"):
        fitted.sample(20_000, seed=0)


def test_rules_win_over_a_model_that_has_next_to_nothing_of_what_they_leave() -> None:
    known = odp.Schema({"columns": {"a": "boolean", "b": "boolean"}, "deny": [["not a"]]})
    assert fitted_to(known, np.zeros((500, 2), dtype=np.int64)).sample(50, seed=0)["a"].all()


def test_rules_that_leave_few_records_are_drawn_by_the_model_given_them() -> None:
    # Rejecting whole rows took seconds for 200 rows, and had no end for 20,000.
    names = [f"b{number}" for number in range(12)]
    pairs = zip(names, [*names[1:], names[0]], strict=True)
    known = odp.Schema({"columns": dict.fromkeys(names, "boolean"), "deny": [[a, f"not {b}"] for a, b in pairs]})
    codes = np.random.default_rng(0).random((4000, 12)) < 0.6  # independent: all true .6^12, none .4^12
    made = fitted_to(known, codes.astype(np.int64)).sample(20_000, seed=0)
    assert (made.sum(axis=1).isin([0, 12])).all()
    assert made["b0"].mean() > 0.9  # of these two records, the first has 99 %


def test_orders_that_few_rows_keep_are_repaired_column_by_column() -> None:
    columns = {f"x{number}": {"kind": "integer", "lo": 0, "hi": 99, "resolution": 1} for number in range(5)}
    known = odp.Schema({"columns": columns, "constraints": [f"x{number} <= x{number + 1}" for number in range(4)]})
    made = fitted_to(known, np.random.default_rng(0).integers(100, size=(2000, 5))).sample(1000, seed=0)
    assert (np.diff(made.to_numpy(), axis=1) >= 0).all()
    assert len(made.drop_duplicates()) > 900


def test_rows_drawn_among_lawful_cases_follow_the_model() -> None:
    """Held to a rule, rows have the model's own conditional distribution: here 1/3, 1/3, 1/3 of three records."""
    known = odp.Schema({"columns": {"a": "boolean", "b": "boolean"}, "deny": [["a", "b"]]})
    codes = np.array(list(product((0, 1), repeat=2)) * 2000)
    model = fitted_to(known, codes).model_
    rows = Held.of(model, Law(known, {}), None).draw(12_000, np.random.default_rng(0))
    shares = np.bincount(rows.codes @ [2, 1], minlength=4) / 12_000
    assert shares == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=0.03)


def test_a_game_refuses_constraints() -> None:
    known = odp.Schema({"columns": {"a": "boolean", "b": "boolean"}, "constraints": ["a -> b"]})
    with pytest.raises(ParameterError, match="constraints are for Synthesizer"):
        odp.OracleQuery(known, epsilon=1, delta="1e-6", queries=odp.Conjunctions(known.literals, max_width=1))


def test_an_ordered_category_merges_with_its_neighbours_and_has_no_other() -> None:
    grades = {"kind": "categorical", "values": ["poor", "fair", "good", "great"], "ordered": True}
    known = odp.Schema({"columns": {"grade": grades, "b": {"kind": "boolean"}}})
    assert odp.Schema(known.to_json()) == known
    codes = np.repeat([[0, 0], [1, 0], [2, 1], [3, 1]], [900, 20, 20, 900], axis=0).astype(np.uint8)
    fitted = odp.Synthesizer(known, epsilon="0.1", delta="1e-6").fit(
        odp.Table.from_codes(codes, known), source=SeededRandomness(0)
    )
    fine = fitted.model_.bins[0].fine
    assert (np.diff(fine) >= 0).all()
    with pytest.raises(SchemaError, match="no place in its order"):
        odp.Schema({"columns": {"grade": grades | {"other": "else"}}})
