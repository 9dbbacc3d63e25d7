"""A package from outside, really installed: its class, oracle, mechanism and dialect work wherever a name is given."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import pytest
from click.testing import CliRunner

import oracledp as odp
from oracledp.audit.conformance import check_class, check_dialect, check_mechanism, check_oracle
from oracledp.audit.conformance.of_dialects import ROWS
from oracledp.classes.registry import FAMILIES, KINDS, class_from_json
from oracledp.cli import cli
from oracledp.data.literals import Literals
from oracledp.data.table.dialects import DIALECTS
from oracledp.learners import PrivateRuleClassifier
from oracledp.mechanisms.registry import SELECTIONS
from oracledp.oracles.registry import ADDED, available, resolve

HERE = Path(__file__).parent
SCHEMA = odp.Schema({"columns": {name: {"kind": "boolean"} for name in ("cough", "fever", "tired", "sick")}})


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The package, installed by pip into a folder of its own."""
    place = tmp_path_factory.mktemp("site")
    install = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", f"--target={place}"]
    source = tmp_path_factory.mktemp("source") / "package"
    _copy(HERE, source)
    subprocess.run([sys.executable, "-m", "pip", *install, str(source)], check=True, capture_output=True)
    sys.path.insert(0, str(place))
    importlib.invalidate_caches()
    yield
    sys.path.remove(str(place))
    for registry in (KINDS, FAMILIES, SELECTIONS, ADDED, DIALECTS):
        registry._added.clear()


def _copy(folder: Path, target: Path) -> None:
    for name in ("pyproject.toml", *(str(path.relative_to(folder)) for path in folder.rglob("src/**/*.py"))):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes((folder / name).read_bytes())


@pytest.fixture(scope="module")
def frame() -> pandas.DataFrame:
    chance = np.random.default_rng(1)
    bits = chance.integers(0, 2, (3000, 3))
    return pandas.DataFrame(
        {**{n: bits[:, i] == 1 for i, n in enumerate(SCHEMA.names[:3])}, "sick": bits.sum(axis=1) > 1}
    )


@pytest.fixture
def folder(tmp_path: Path, frame: pandas.DataFrame) -> Path:
    frame.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA.to_json()), encoding="utf-8")
    return tmp_path


def run(folder: Path, *words: str) -> Any:
    result = CliRunner().invoke(cli, [word.replace("@", f"{folder}/") for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def symptoms(**options: Any) -> odp.QueryClass:
    return KINDS["at-least"](Literals.named("cough", "fever", "tired"), **options)


# ---- the suites that the library's own parts run -------------------------------------------------------------
def test_the_class_conforms() -> None:
    for queries in (symptoms(), symptoms(most=2).closure(), odp.ZeroOneLoss.of(symptoms(), SCHEMA.literals[3])):
        check_class(queries)


def test_the_oracle_conforms_and_is_not_believed() -> None:
    oracle = resolve("restarts", symptoms())
    assert check_oracle(oracle, [symptoms(), odp.Conjunctions(Literals.named("a", "b", "c"))]) > 0
    assert not oracle.total
    assert "restarts" in available()


def test_the_mechanism_conforms() -> None:
    check_mechanism("laplace-min", epsilons=(Fraction(4),))


def test_the_dialect_conforms() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people (age INTEGER, pay DOUBLE, job VARCHAR, fit BOOLEAN)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", ROWS)
        types = {"age": "INTEGER", "pay": "DOUBLE", "job": "VARCHAR", "fit": "BOOLEAN"}
        check_dialect("motherduck", types, lambda query: connection.execute(query).fetchall())


# ---- and everything that users do ----------------------------------------------------------------------------
def test_a_rule_is_learned_saved_loaded_and_applied_from_the_command_line(folder: Path) -> None:
    learned = run(
        folder, "learn", "@people.csv", "--schema", "@schema.json", "--target", "sick", "--model", "at-least",
        "--mechanism", "laplace-min", "--epsilon", "2", "--out", "@rule.json", "--report", "@rule.html",
        "--json", "--quiet",
    )  # fmt: skip
    told = json.loads(learned.output)
    assert told["rule"] == "predict sick when at least 2 of cough, fever, tired"
    assert "laplace-min, which is not oracledp's" in " ".join(told["guarantee"]["assumes"])
    assert "at least 2 of cough, fever, tired" in (folder / "rule.html").read_text(encoding="utf-8")
    assert odp.Release.load(folder / "rule.json").query.owner.without_target()[0] == symptoms()
    run(folder, "predict", "@rule.json", "@people.csv", "--out", "@predicted.csv", "--quiet")
    predicted = pandas.read_csv(folder / "predicted.csv")
    assert (predicted.iloc[:, -1] == predicted["sick"]).mean() > 0.99


def test_an_oracle_by_name_and_a_vote_whatever_it_does(folder: Path) -> None:
    fixed = (
        "learn",
        "@people.csv",
        "--schema",
        "@schema.json",
        "--target",
        "sick",
        "--model",
        "at-least",
        "--json",
        "--quiet",
    )
    contingent = json.loads(run(folder, *fixed, "--mechanism", "rspm", "--oracle", "restarts", "--epsilon", "3").output)
    assert any("restarts" in claim for claim in contingent["guarantee"]["assumes"])
    options = ("--mechanism", "vote", "--epsilon", "3", "--delta", "1e-3")
    assert json.loads(run(folder, *fixed, *options).output)["guarantee"]["robust"]


def test_an_estimator_takes_the_family(frame: pandas.DataFrame) -> None:
    features, label = frame.drop(columns="sick"), frame["sick"].to_numpy()
    model = PrivateRuleClassifier(model="at-least", epsilon=5, classes=[False, True]).fit(
        features.to_numpy().astype(int), label
    )
    assert (model.predict(features.to_numpy().astype(int)) == label).mean() > 0.99


def test_plans_know_the_family_and_the_class(folder: Path) -> None:
    assert odp.plan("learn", queries=symptoms(), rows=1000, epsilon=1).options
    told = run(folder, "plan", "learn", "--schema", "@schema.json", "--target", "sick", "--model", "at-least",
               "--rows", "1000", "--epsilon", "1", "--json")  # fmt: skip
    assert json.loads(told.output)["options"]


def test_a_workload_and_a_game_are_about_the_class(frame: pandas.DataFrame) -> None:
    table = odp.Table.from_frame(frame, SCHEMA)
    made = odp.Synthesizer(SCHEMA, epsilon=3, delta="1e-6", workload=[symptoms(), next(iter(symptoms()))])
    rows = made.fit(table).sample(500)
    assert abs((rows[list(SCHEMA.names[:3])].sum(axis=1) > 1).mean() - frame["sick"].mean()) < 0.1
    game = odp.OracleQuery(SCHEMA, epsilon=3, delta="1e-6", queries=symptoms(), rounds=5, neighbours="replace-one")
    assert len(game.fit(table).sample(50)) == 50


def test_what_is_not_installed_is_named() -> None:
    with pytest.raises(odp.OracleDPError, match="unknown query class 'at-most'"):
        class_from_json({**symptoms().to_json(), "kind": "at-most"})
    with pytest.raises(odp.OracleDPError, match=r"model must be one of .*at-least.*, got 'at-most'"):
        FAMILIES["at-most"]
    with pytest.raises(odp.OracleDPError, match="library's own"):
        FAMILIES.add("conjunction", FAMILIES["at-least"])
