"""Whatever is read - schemas, tables, models, ledgers, arguments - ends well or in one of our own errors."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from fuzzing import VALUES, damaged, damaged_bytes
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import oracledp as odp
from oracledp.classes import class_from_json, query_from_json
from oracledp.cli import main
from oracledp.data.literals import Literal, Literals
from oracledp.learners import ConjunctionClassifier, load_model
from oracledp.privacy.guarantee import Guarantee
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis.model import SyntheticModel

fuzz = settings(
    max_examples=150,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
slow_fuzz = settings(fuzz, max_examples=60)

SCHEMA: dict[str, Any] = {
    "columns": {
        "age": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [30, 60]},
        "pay": {"kind": "numeric", "lo": 0.5, "hi": 9.5, "bins": 3, "clip": True},
        "colour": {"kind": "categorical", "values": ["red", "green", "blue"], "nullable": True},
        "sick": {"kind": "boolean"},
    }
}
FRAME = pd.DataFrame(
    {
        "age": [1, 40, 70, 99],
        "pay": [0.5, 1.25, 9.0, 9.5],
        "colour": ["red", "green", "blue", None],
        "sick": [True, False, True, False],
    }
)
NAMES = Literals.named("a", "b", "c")
LOSS = odp.ZeroOneLoss.of(odp.Conjunctions(NAMES, max_width=2), Literal.boolean("y"))
CLASSES = [
    queries.to_json()
    for queries in (
        odp.Conjunctions(NAMES, max_width=2),
        odp.Parities(NAMES, code=((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1))),
        odp.Halfspaces(NAMES, weights=(-1, 0, 1), max_nonzero=2, thresholds=(0, 1)),
        odp.DecisionLists(NAMES, length=2),
        odp.ReadOnceFormulas(NAMES, gate="nand"),
        odp.Parities(NAMES).closure(),
        LOSS,
    )
]


def ends_well(call: Callable[[], Any]) -> Any:
    """The result, or None after one of our own errors; any other error is a crash."""
    try:
        return call()
    except odp.OracleDPError:
        return None


def release() -> dict[str, Any]:
    schema = odp.Schema({"columns": {name: {"kind": "boolean"} for name in "abcy"}})
    table = odp.Table.from_frame(pd.DataFrame({name: [True, False] for name in "abcy"}), schema)
    return odp.exponential(table, LOSS, epsilon=1, source=SeededRandomness(0)).to_json()


def synthetic_model() -> dict[str, Any]:
    schema = odp.Schema({"columns": {"a": {"kind": "boolean"}, "b": {"kind": "integer", "lo": 0, "hi": 3}}})
    frame = pd.DataFrame({"a": [True, False] * 40, "b": [0, 1, 2, 3] * 20})
    fitted = odp.Synthesizer(schema, epsilon=1, delta="1e-6").fit(frame, source=SeededRandomness(1))
    return fitted.model_.to_json()


RELEASE, SYNTHETIC = release(), synthetic_model()


def test_the_undamaged_documents_are_read(tmp_path: Path, saved_model: dict[str, Any], folder: Path) -> None:
    """Otherwise the tests below would only meet what is refused at the door."""
    schema = odp.Schema(SCHEMA)
    for name, content in (("data.csv", csv()), ("data.parquet", parquet())):
        (tmp_path / name).write_bytes(content)
        assert odp.Table.from_file(tmp_path / name, schema).rows == len(FRAME)
    assert [class_from_json(data).to_json() for data in CLASSES] == CLASSES
    assert odp.Release.from_json(RELEASE).to_json() == RELEASE
    assert SyntheticModel.from_json(SYNTHETIC).to_json() == SYNTHETIC
    (tmp_path / "model.json").write_text(json.dumps(saved_model))
    assert load_model(tmp_path / "model.json").rule_
    (tmp_path / "ledger").write_bytes(HEADER + LINE)
    assert Ledger(tmp_path / "ledger").spent == (Fraction(1, 2), 0)
    code, said = run_command(folder, LEARN)
    assert (code, said.split(":")[0]) == (0, "not recorded")


# ---- schemas ---------------------------------------------------------------------------------------
@fuzz
@given(VALUES | damaged(SCHEMA))
def test_schemas(definition: Any) -> None:
    schema = ends_well(lambda: odp.Schema(definition))
    if schema is not None:
        assert odp.Schema(schema.to_json()) == schema


@fuzz
@given(st.text(max_size=60) | damaged_bytes(yaml.safe_dump(SCHEMA).encode()) | st.binary(max_size=60))
@example("a: &a [*a]")
@example("columns: !!python/object/apply:os.getcwd []")
@example("\ufeffcolumns: {}")
@example("{" * 2000)
def test_schema_files(tmp_path: Path, content: str | bytes) -> None:
    for name in ("schema.yaml", "schema.json"):
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        ends_well(lambda path=path: odp.Schema.load(path))


# ---- tables ----------------------------------------------------------------------------------------
def csv() -> bytes:
    return FRAME.to_csv(index=False).encode()


def parquet() -> bytes:
    buffer = io.BytesIO()
    FRAME.to_parquet(buffer)
    return buffer.getvalue()


def read(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    table = ends_well(lambda: odp.Table.from_file(path, odp.Schema(SCHEMA)))
    if table is not None:
        assert table.rows == table.counts.sum() >= 1


@slow_fuzz
@given(damaged_bytes(csv()) | st.binary(max_size=80))
@example(b'age,pay,colour,sick\n"')
@example(b"age,pay,colour,sick\n1,1,red,true\x00\n")
@example(b"age,age,pay,colour,sick\n1,1,1,red,true\n")
def test_csv_files(tmp_path: Path, content: bytes) -> None:
    read(tmp_path, "data.csv", content)


@slow_fuzz
@given(damaged_bytes(parquet()) | st.binary(max_size=80))
def test_parquet_files(tmp_path: Path, content: bytes) -> None:
    read(tmp_path, "data.parquet", content)


CELLS = st.one_of(SCALAR for SCALAR in (st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)))


@fuzz
@given(st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), max_size=5))
def test_frames(rows: list[tuple[Any, ...]]) -> None:
    frame = pd.DataFrame(rows, columns=list(SCHEMA["columns"]), dtype=object)
    ends_well(lambda: odp.Table.from_frame(frame, odp.Schema(SCHEMA)))


# ---- models ----------------------------------------------------------------------------------------
@fuzz
@given(VALUES | damaged(*CLASSES))
def test_query_classes(data: Any) -> None:
    queries = ends_well(lambda: class_from_json(data))
    if queries is not None:
        assert class_from_json(json.loads(json.dumps(queries.to_json()))) == queries


@fuzz
@given(VALUES | damaged(RELEASE["query"]))
def test_queries(data: Any) -> None:
    query = ends_well(lambda: query_from_json(data))
    if query is not None:
        assert str(query)


@fuzz
@given(VALUES | damaged(RELEASE["guarantee"]))
def test_guarantees(data: Any) -> None:
    guarantee = ends_well(lambda: Guarantee.from_json(data))
    if guarantee is not None:
        assert str(guarantee)


@fuzz
@given(VALUES | damaged(RELEASE))
def test_releases(data: Any) -> None:
    found = ends_well(lambda: odp.Release.from_json(data))
    if found is not None:
        assert json.dumps(found.to_json())


@fuzz
@given(damaged_bytes(json.dumps(RELEASE).encode()) | st.binary(max_size=40))
@example(b"[" * 100_000)
def test_release_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "release.json"
    path.write_bytes(content)
    ends_well(lambda: odp.Release.load(path))


@slow_fuzz
@given(VALUES | damaged(SYNTHETIC))
def test_synthetic_models(data: Any) -> None:
    ends_well(lambda: SyntheticModel.from_json(data))


@pytest.fixture(scope="module")
def saved_model(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("model") / "model.json"
    X = pd.DataFrame({"a": [0.0, 1.0] * 50, "b": [0.0, 0.0, 1.0, 1.0] * 25})
    model = ConjunctionClassifier(epsilon=5, random_state=0, classes=[0, 1]).fit(X, X["a"].astype(int).to_numpy())
    model.save(path)
    data: dict[str, Any] = json.loads(path.read_text())
    return data


@slow_fuzz
@given(st.data())
def test_saved_learners(tmp_path: Path, saved_model: dict[str, Any], data: st.DataObject) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(data.draw(damaged(saved_model) | VALUES)))
    ends_well(lambda: load_model(path))


HEADER = b'{"oracledp-ledger": 1, "epsilon": "1", "delta": "0", "neighbours": "replace-one"}\n'
LINE = b'{"epsilon": "1/2", "delta": "0", "mechanism": "rspm", "assumes": [], "private": true}\n'


@fuzz
@given(damaged_bytes(HEADER + LINE + LINE))
@example(HEADER + b'{"epsilon": "-1", "delta": "0", "mechanism": "rspm", "assumes": [], "private": true}\n')
def test_ledgers_never_gain_budget(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ledger"
    path.write_bytes(content)
    remaining = ends_well(lambda: Ledger(path).remaining)
    budget = ends_well(lambda: Ledger(path).budget)
    if remaining is not None:
        assert remaining[0] <= budget[0]
        assert remaining[1] <= budget[1]


# ---- the command line ---------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    FRAME.to_csv(folder / "data.csv", index=False)
    (folder / "schema.yaml").write_text(yaml.safe_dump(SCHEMA))
    return folder


WORDS = st.sampled_from(
    [
        *("learn", "schema", "check", "draft", "budget", "show", "create", "--json", "--quiet", "--help", "--version"),
        *(
            "data.csv",
            "schema.yaml",
            "--schema",
            "--target",
            "sick",
            "age >= 30",
            "colour=red",
            "colour=",
            "pay=1",
            "--",
        ),
        *("--epsilon", "1", "0", "-1", "nan", "1e999", "1/3", "--model", "parity", "halfspace", "--size", "2", "99"),
        *(
            "--mechanism",
            "rspm",
            "rspm:separator",
            "--oracle",
            "exhaustive",
            "--neighbours",
            "add-remove",
            "--seed",
            "7",
        ),
        *("--insecure-seed", "--holdout", "--out", "model.json", ".", "--ledger", "none.json", "--public", "--delta"),
    ]
) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
LEARN = ["learn", "data.csv", "--schema", "schema.yaml", "--target", "sick", "--epsilon", "1"]


def run_command(folder: Path, arguments: list[str]) -> tuple[object, str]:
    """The exit code and what was said on standard error."""
    err, before = io.StringIO(), sys.argv
    sys.argv = ["oracledp", *arguments]
    code: object = 0
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
            main()
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        sys.argv = before
    return code, err.getvalue()


@slow_fuzz
@given(st.lists(WORDS, max_size=10) | st.lists(WORDS, max_size=5).map(lambda more: LEARN + more))
def test_command_line(folder: Path, arguments: list[str]) -> None:
    """Any arguments end in exit code 0, 2, 3 or 4, and a failure has said something."""
    code, said = run_command(folder, arguments)
    assert code in (0, 2, 3, 4)
    assert code == 0 or said
