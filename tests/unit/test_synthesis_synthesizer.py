"""The synthesizer as users meet it: frames in and out, conditions, rules, missing values, budget, saving, answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from oracledp.classes import Parities
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import BudgetExceeded, ModelError, ParameterError
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis import Synthesizer, chosen_fit

SCHEMA = Schema(
    {
        "columns": {
            "age": {"kind": "integer", "lo": 0, "hi": 99, "bins": 20},
            "job": {"kind": "categorical", "values": ["none", "farm", "shop", "office"]},
            "pay": {"kind": "numeric", "lo": 0, "hi": 100, "bins": 25, "nullable": True},
            "member": {"kind": "boolean"},
        },
        "deny": [["age < 15", "member"]],
    }
)
ROWS = 4000


def frame() -> pandas.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.integers(0, 100, ROWS)
    job = np.where(age < 20, 0, rng.integers(0, 4, ROWS))
    pay = np.where(job == 0, np.nan, np.clip(rng.normal(20 * job, 10), 0, 100))
    member = (age >= 15) & (rng.random(ROWS) < 0.2 + 0.2 * job)
    names = np.array(["none", "farm", "shop", "office"], dtype=object)
    return pandas.DataFrame({"member": member, "pay": pay, "age": age.astype("int32"), "job": names[job]})


def synthesizer(**options: Any) -> Synthesizer:
    return Synthesizer(SCHEMA, **({"epsilon": 3, "delta": "1e-6"} | options))


@pytest.fixture(scope="module")
def fitted() -> Synthesizer:
    return synthesizer().fit(frame(), source=SeededRandomness(5))


def test_same_columns_and_order(fitted: Synthesizer) -> None:
    rows = fitted.sample(50, seed=1)
    assert list(rows.columns) == list(frame().columns)
    assert rows["age"].between(0, 99).all()


def test_default_size_is_the_noisy_count(fitted: Synthesizer) -> None:
    rows = fitted.sample(seed=1)
    assert len(rows) == round(fitted.model_.total)
    assert abs(len(rows) - ROWS) < 100


def test_a_seed_repeats_the_rows_and_no_seed_does_not(fitted: Synthesizer) -> None:
    assert fitted.sample(200, seed=3).equals(fitted.sample(200, seed=3))
    assert not fitted.sample(200).equals(fitted.sample(200))


def test_rows_resemble_the_data(fitted: Synthesizer) -> None:
    real, made = frame(), fitted.sample(seed=2)
    assert made["pay"].isna().mean() == pytest.approx(real["pay"].isna().mean(), abs=0.03)
    assert made["age"].mean() == pytest.approx(real["age"].mean(), abs=2)
    for job in ("none", "office"):
        by_job = [x.loc[x["job"] == job, "member"].mean() for x in (real, made)]
        assert by_job[0] == pytest.approx(by_job[1], abs=0.06)
    missing_with_job = (made["pay"].isna() & (made["job"] != "none")).mean()
    assert missing_with_job < 0.05


def test_deny_rules_hold_in_every_row(fitted: Synthesizer) -> None:
    for seed in range(3):
        rows = fitted.sample(3000, seed=seed)
        assert not (rows["member"] & (rows["age"] < 15)).any()


def test_where_holds_in_every_row(fitted: Synthesizer) -> None:
    rows = fitted.sample(300, seed=1, where=["age >= 50", "job = office", "not member"])
    assert (rows["age"] >= 50).all()
    assert (rows["job"] == "office").all()
    assert not rows["member"].any()
    some = fitted.sample(where="member", seed=1)
    assert len(some) == pytest.approx(frame()["member"].sum(), abs=120)
    assert fitted.sample(20, where="pay is missing")["pay"].isna().all()


def test_impossible_conditions_are_an_error(fitted: Synthesizer) -> None:
    with pytest.raises(ModelError, match="no record"):
        fitted.sample(5, where=["job = farm", "job = shop"])
    with pytest.raises(ModelError, match="deny"):
        fitted.sample(5, where=["age < 15", "member"])
    with pytest.raises(ParameterError, match="n must be"):
        fitted.sample(0)


@pytest.mark.parametrize("library", ["polars", "pyarrow", "categories", "table"])
def test_every_kind_of_frame(library: str) -> None:
    data = frame()
    source: Any = {
        "polars": lambda: polars.from_pandas(data).with_columns(polars.col("job").cast(polars.Categorical)),
        "pyarrow": lambda: pyarrow.Table.from_pandas(data, preserve_index=False),
        "categories": lambda: data.assign(job=data["job"].astype("category").cat.add_categories("never seen")),
        "table": lambda: Table.from_frame(data, SCHEMA),
    }[library]()
    made = synthesizer(rows=40).fit(source, source=SeededRandomness(1)).sample(seed=0)
    if library == "table":
        assert list(made.columns) == list(SCHEMA.names)
    elif library == "pyarrow":
        assert made.column_names == source.column_names
    elif library == "polars":
        assert made.columns == source.columns
    else:
        assert made.dtypes["job"].name == "string", "no list of categories is read from rows"
    assert len(made) == 40


def test_fit_charges_before_it_samples_and_again_each_time(tmp_path: Path) -> None:
    class Untouchable:
        private = True

        def bytes(self, count: int) -> bytes:
            raise AssertionError("noise was drawn")

    poor = Ledger.create(tmp_path / "poor", epsilon=1, delta="1e-6", neighbours="add-remove")
    with pytest.raises(BudgetExceeded):
        synthesizer(ledger=poor).fit(frame(), source=Untouchable())
    assert poor.charges == ()
    rich = Ledger.create(tmp_path / "rich", epsilon=7, delta="1e-5", neighbours="add-remove")
    own = synthesizer(ledger=rich)
    with pytest.raises(AssertionError, match="noise was drawn"):
        own.fit(frame(), source=Untouchable())
    assert len(rich.charges) == 1, "a crash counts as spent"
    own.fit(frame())
    assert rich.spent[0] == 6
    with pytest.raises(BudgetExceeded):
        own.fit(frame())


def test_guarantees(fitted: Synthesizer) -> None:
    promise = fitted.guarantee
    assert promise.robust
    assert (str(promise.epsilon), str(promise.delta)) == ("3", "1/1000000")
    assert not fitted.model_.guarantee.private, "a seeded fit promises nothing"


def test_replace_one_keeps_the_public_count() -> None:
    own = synthesizer(neighbours="replace-one").fit(frame(), source=SeededRandomness(2))
    assert len(own.sample(seed=0)) == ROWS


def test_models_travel_as_json(fitted: Synthesizer, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model.json")
    loaded = Synthesizer.load(tmp_path / "model.json")
    real, again = fitted.sample(100, seed=9), loaded.sample(100, seed=9)
    assert set(again.columns) == set(real.columns)
    assert np.array_equal(real["age"], again["age"])
    assert loaded.answer("member") == fitted.answer("member")
    text = (tmp_path / "model.json").read_text()
    assert json.loads(text)["guarantee"]["private"] is False
    (tmp_path / "model.json").write_text(text.replace('"weights"', '"wights"'))
    with pytest.raises(ModelError):
        Synthesizer.load(tmp_path / "model.json")


def test_answers_lie_in_intervals_that_hold(fitted: Synthesizer) -> None:
    data = frame()
    truths = {
        ("member",): data["member"].mean(),
        ("age >= 50",): (data["age"] >= 50).mean(),
        ("job = farm", "member"): ((data["job"] == "farm") & data["member"]).mean(),
        ("pay is missing", "job = none"): (data["pay"].isna() & (data["job"] == "none")).mean(),
        ("age >= 50", "job = shop", "not member"): (
            (data["age"] >= 50) & (data["job"] == "shop") & ~data["member"]
        ).mean(),
    }
    for query, truth in truths.items():
        answer = fitted.answer(query, confidence=1 - 1e-6)
        assert answer.low <= truth <= answer.high
        assert answer.low <= answer.value <= answer.high
        assert answer.value == pytest.approx(truth, abs=0.04)
    wide, narrow = fitted.answer("member", confidence=0.999), fitted.answer("member", confidence=0.5)
    assert wide.high - wide.low > narrow.high - narrow.low > 0
    assert fitted.answer(["job = farm", "job = shop"]).value == 0


def test_one_clear_error_for_bad_options(fitted: Synthesizer) -> None:
    with pytest.raises(ParameterError, match="workload"):
        synthesizer(workload="marginals:9")
    with pytest.raises(ParameterError, match="rows"):
        synthesizer(rows=0)
    with pytest.raises(ParameterError, match="delta"):
        synthesizer(delta=0)
    with pytest.raises(ModelError, match="not fitted"):
        synthesizer().sample(3)
    with pytest.raises(ParameterError, match="confidence"):
        fitted.answer("member", confidence=1)
    other = Schema({"columns": {"x": {"kind": "boolean"}}})
    with pytest.raises(ParameterError, match="another schema"):
        synthesizer().fit(Table.from_codes(np.array([[1]]), other))


@pytest.mark.parametrize("columns", [1, 2])
def test_narrow_tables(columns: int) -> None:
    schema = Schema({"columns": {f"c{i}": {"kind": "boolean"} for i in range(columns)}})
    data = pandas.DataFrame({f"c{i}": [True, False, False, True, True] * 40 for i in range(columns)})
    made = Synthesizer(schema, epsilon=2, delta="1e-6").fit(data, source=SeededRandomness(3)).sample(500, seed=1)
    assert made["c0"].mean() == pytest.approx(0.6, abs=0.1)
    if columns == 2:
        assert (made["c0"] == made["c1"]).mean() > 0.85


def test_binary_answers_come_from_parities() -> None:
    """With three boolean columns all pairs and the triple are parities: intervals are narrow and hold."""
    rng = np.random.default_rng(4)
    a, b = rng.random(6000) < 0.4, rng.random(6000) < 0.5
    data = pandas.DataFrame({"a": a, "b": b, "c": a ^ b ^ (rng.random(6000) < 0.2)})
    schema = Schema({"columns": {name: {"kind": "boolean"} for name in "abc"}})
    own = Synthesizer(schema, epsilon=3, delta="1e-6").fit(data, source=SeededRandomness(6))
    for query, truth in (
        (["a", "not b"], (data["a"] & ~data["b"]).mean()),
        (["a", "b", "c"], (data["a"] & data["b"] & data["c"]).mean()),
        (["not a", "b", "c"], (~data["a"] & data["b"] & data["c"]).mean()),
    ):
        answer = own.answer(query, confidence=1 - 1e-6)
        assert answer.low <= truth <= answer.high
        assert answer.high - answer.low < 0.03
        assert answer.value == pytest.approx(truth, abs=0.01)


@pytest.mark.parametrize(
    "workload",
    [
        "halfspaces:2",
        {"marginals:2": 1, ("age >= 50", "member"): 2, "ranges": 1},
        [Parities(SCHEMA.literals[-2:]), "disjunctions:2"],
    ],
    ids=["halfspaces", "weights", "classes"],
)
def test_workloads_fit_sample_save_and_load(workload: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chosen_fit, "SIZES", ((40, 100),) * 2)  # a short fit: what is measured stays the same
    monkeypatch.setattr(chosen_fit, "_EXTRA_STEPS", 20)
    own = synthesizer(workload=workload).fit(frame(), source=SeededRandomness(2))
    assert len(own.model_.queries) >= 1
    own.save(tmp_path / "model.json")
    loaded = Synthesizer.load(tmp_path / "model.json")
    assert loaded.model_.to_json() == own.model_.to_json()
    assert loaded.answer(["age >= 50", "member"]) == own.answer(["age >= 50", "member"])
    real, made = frame(), own.sample(seed=1)
    both = [((x["age"] >= 50) & x["member"]).mean() for x in (real, made)]
    assert both[0] == pytest.approx(both[1], abs=0.03)


def test_rounds_lower_the_error_on_what_marginals_cannot_hold() -> None:
    """Four-way parity data: all marginals up to three are uniform, so only a selected query can tell."""
    rng = np.random.default_rng(1)
    bits = rng.random((6000, 4)) < 0.5
    bits[:, 3] = bits[:, :3].sum(axis=1) % 2 == 1
    data = pandas.DataFrame(bits, columns=list("abcd"))
    schema = Schema({name: {"kind": "boolean"} for name in "abcd"})

    def error(workload: str) -> float:
        own = Synthesizer(schema, epsilon=3, delta="1e-6", workload=workload).fit(data, source=SeededRandomness(1))
        made = own.sample(seed=0).to_numpy(dtype=np.int64).sum(axis=1) % 2
        return float(made.mean())  # the real rows have an even number of ones, all of them

    assert error("marginals:3") > 0.3
    assert error("parities:4") < 0.1
