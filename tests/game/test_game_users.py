"""OracleQuery as users meet it: frames in and out, a model without private data, the ledger, conditions."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import oracledp as odp
from oracledp.errors import ModelError, ParameterError
from oracledp.game.oracle_query import OracleQuery
from oracledp.game.played import GameModel
from oracledp.randomness.source import SeededRandomness

SCHEMA = odp.Schema(
    {
        "columns": {
            "smoker": {"kind": "boolean"},
            "age": {"kind": "integer", "lo": 20, "hi": 59, "bins": 4},
            "colour": {"kind": "categorical", "values": ["red", "green", "blue"], "nullable": True},
        },
        "deny": [["smoker", "colour = blue"]],
    }
)


def frame(rows: int = 2000) -> pandas.DataFrame:
    rng = np.random.default_rng(0)
    smoker = rng.random(rows) < 0.4
    colour = np.where(smoker, "red", np.where(rng.random(rows) < 0.5, "green", "blue")).astype(object)
    colour[rng.random(rows) < 0.1] = None
    made = pandas.DataFrame({"colour": colour, "smoker": smoker, "age": rng.integers(20, 60, rows)})
    return made.astype({"age": "int16", "colour": "category"})


def game(**more: Any) -> OracleQuery:
    queries = odp.Conjunctions(SCHEMA.literals.with_negations(), max_width=2)
    return OracleQuery(SCHEMA, **({"epsilon": 2, "delta": "1e-6", "queries": queries, "rounds": 40} | more))


@pytest.fixture(scope="module")
def played() -> OracleQuery:
    return game().fit(frame(), source=SeededRandomness(1))


def test_rows_come_out_in_the_columns_that_went_in(played: OracleQuery) -> None:
    given, made = frame(), played.sample(seed=0)
    assert list(made.columns) == list(given.columns)
    assert len(made) == len(given)
    assert [str(kind) for kind in made.dtypes] == ["string", "bool", "int64"], "the schema's types, not the frame's"
    assert made.age.between(20, 59).all()
    assert abs(made.smoker.mean() - given.smoker.mean()) < 0.1


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_libraries(library: str) -> None:
    given = frame(300).astype({"colour": "object"})
    native = polars.from_pandas(given) if library == "polars" else pyarrow.Table.from_pandas(given)
    made = game(rounds=5).fit(native, source=SeededRandomness(1)).sample(20, seed=0)
    assert type(made) is type(native)
    assert made.shape == (20, 3)
    names = made.columns if library == "polars" else made.column_names
    assert names == ["colour", "smoker", "age"]


def test_deny_rules_and_conditions_hold_in_every_row(played: OracleQuery) -> None:
    made = played.sample(500, seed=1)
    assert not ((made.colour == "blue") & made.smoker).any()
    chosen = played.sample(100, seed=1, where=["smoker", "age >= 40"])
    assert len(chosen) == 100
    assert chosen.smoker.all()
    assert chosen.age.ge(40).all()
    assert 0 < len(played.sample(where="smoker", seed=1)) < 1500
    with pytest.raises(ModelError, match="no record"):
        played.sample(where=["smoker", "colour = blue"])
    for wrong in (0, True, 2.5):
        with pytest.raises(ParameterError, match="n must be"):
            played.sample(wrong)  # type: ignore[arg-type]


def test_sampling_is_stratified(played: OracleQuery) -> None:
    """Each draw occurs its share of the rows, rounded up or down: less noise than independent rows."""
    play = played.play_
    tagged = type(play)(play.queries, tuple(np.arange(len(play.records)).reshape(40, 100, 1)), play.weights)
    rows = tagged.average(5000, np.random.default_rng(0))
    counts = np.bincount(rows[:, 0], minlength=len(play.records))
    assert np.all(np.abs(counts - 5000 * play.shares) < 1 + 1e-9)


def test_the_model_survives_json_and_holds_what_was_released(played: OracleQuery, tmp_path: Path) -> None:
    played.save(tmp_path / "game.json")
    loaded = OracleQuery.load(tmp_path / "game.json")
    assert loaded.guarantee_ == played.guarantee_
    assert loaded.released_queries() == played.released_queries()
    assert np.array_equal(loaded.sample_codes(50, seed=3), played.sample_codes(50, seed=3))
    data = json.loads((tmp_path / "game.json").read_text())
    assert set(data) == {
        "oracledp-game-model", "schema", "guarantee", "queries", "query_player", "rows", "released", "weights",
        "draws", "records",
    }  # fmt: skip


def test_the_model_is_a_function_of_the_released_queries() -> None:
    """Other data, same answers: the model file is the same byte for byte, so nothing else of the data is in it."""
    texts = set()
    for data in (frame(), frame().sample(frac=1, random_state=1), frame().assign(smoker=~frame().smoker)):
        fitted = game(epsilon="1/1000000", rounds=3).fit(data, source=SeededRandomness(4))
        texts.add(json.dumps(fitted.model_.to_json()))
    assert len(texts) == 1


def test_strange_models_are_refused(played: OracleQuery, tmp_path: Path) -> None:
    good = played.model_.to_json()
    broken: list[dict[str, Any]] = [
        {**good, "oracledp-game-model": 99},
        {**good, "released": []},
        {**good, "released": [[99]] * 40},
        {**good, "weights": [0] * 40},
        {**good, "weights": [1]},
        {**good, "records": "AAAA"},
        {**good, "records": 7},
        {**good, "draws": 10**9},
        {key: value for key, value in good.items() if key != "rows"},
    ]
    for data in broken:
        with pytest.raises(ModelError):
            GameModel.from_json(data)
    (tmp_path / "list.json").write_text("[]")
    for path in ("list.json", "nothing.json"):
        with pytest.raises(ModelError):
            GameModel.load(tmp_path / path)


def test_fitting_again_charges_again(tmp_path: Path) -> None:
    ledger = odp.Ledger.create(tmp_path / "l.json", epsilon=10, delta="1e-5", neighbours="replace-one")
    fitted = game(rounds=2, ledger=ledger)
    fitted.fit(frame(200), source=SeededRandomness(1))
    fitted.fit(frame(200), source=SeededRandomness(1))
    assert [charge.mechanism for charge in ledger.charges] == ["oracle-query:exponential"] * 2
    assert sum(charge.epsilon for charge in ledger.charges) == 4


def test_progress_is_told_and_can_be_left_out() -> None:
    seen: list[tuple[int, int]] = []
    game(rounds=3).fit(frame(200), source=SeededRandomness(1), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_nothing_works_before_fit_and_schemas_must_agree() -> None:
    with pytest.raises(ModelError, match="fit first"):
        game().sample(3)
    other = odp.Schema({"columns": {"smoker": {"kind": "boolean"}}})
    table = odp.Table.from_codes(np.array([[0], [1]]), other)
    with pytest.raises(ParameterError, match="another schema"):
        game().fit(table)


def test_the_record_is_public_and_diagnostics_are_not(played: OracleQuery) -> None:
    record = played.record()
    assert record.to_json()["rounds"] == 40
    assert record.data_oracle_calls == 4000
    assert json.dumps(record.to_json())
    inside = played.internal_diagnostics(frame())
    assert str(inside).startswith("INTERNAL - NOT PRIVATE")
    assert not hasattr(inside, "to_json")
    with pytest.raises(TypeError, match="not private"):
        pickle.dumps(inside)
    assert "payoffs" not in json.dumps(played.model_.to_json())
