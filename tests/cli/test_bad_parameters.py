"""Every option of every command with every bad value: one clear line, the documented exit code, no charge, no hang."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from oracledp.cli import COMMANDS

SCHEMA = "columns: {age: {kind: integer, lo: 0, hi: 99, thresholds: [30, 60]}, sick: {kind: boolean}}\n"
NASTY = (
    "", " ", "0", "-1", "-5", "nan", "inf", "-inf", "1e400", "1e-400", "1e-5000", "1e5000", "9" * 5000, "1/0", "0/1",
    "1/" + "9" * 200, "5000000", "100000000000000", "1.5", "0.1.2", "٣", "é" * 200, "None", "null", "-", "/dev/null/x",
    "../../../../", "x" * 300, "a;b", "a b", "{}", "[]", "--json", "$(id)", "%s%n", "true", "=", ">= 3",
)  # fmt: skip
DOCUMENTED = {0, 2, 3, 4}
CHOSEN = 24  # pairs of a place and a value for each command


class Shell:
    """Command lines, run one after the other by forks of one process."""

    def __init__(self, folder: Path) -> None:
        script = Path(__file__).with_name("forking_shell.py")
        self.process = subprocess.Popen(
            [sys.executable, str(script)], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, arguments: list[str]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(arguments), file=self.process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    age = np.random.default_rng(0).integers(0, 100, 60)
    for name, of in (("data", age), ("made", 99 - age)):
        pd.DataFrame({"age": of, "sick": of >= 60}).to_csv(folder / f"{name}.csv", index=False)
    (folder / "schema.yaml").write_text(SCHEMA)
    return folder


@pytest.fixture(scope="module")
def shell(folder: Path) -> Iterator[Shell]:
    (folder / "here").mkdir()  # where outputs with strange names go
    shell = Shell(folder / "here")
    for relation in ("replace-one", "add-remove"):
        path = str(folder / f"{relation}.json")
        made = shell(["budget", "create", path, "--epsilon", "9999", "--delta", "0.99", "--neighbours", relation])
        assert made["code"] == 0, made
    for more in (
        ["budget", "create", str(folder / "limits.json"), "--epsilon", "1"],
        ["budget", "key", str(folder / "key")],
    ):
        assert shell(more)["code"] == 0
    for name, option, saved in (
        ("synth", "--model", "model.json"),
        ("synth by a game", "--model", "game.json"),
        ("learn", "--out", "rule.json"),
    ):
        card = ["--card", str(folder / "rule.card")] if name == "learn" else []
        made = shell([*commands(folder)[name], option, str(folder / saved), *card])
        assert made["code"] == 0, made
    yield shell
    assert shell.process.stdin is not None
    shell.process.stdin.close()
    shell.process.wait()
    assert shell.process.stdout is not None
    shell.process.stdout.close()


def commands(folder: Path) -> dict[str, list[str]]:
    data, schema = str(folder / "data.csv"), str(folder / "schema.yaml")
    learn = ["learn", data, "--schema", schema, "--target", "sick", "--epsilon", "1", "--quiet"]
    synth = ["synth", data, "--schema", schema, "--epsilon", "1", "--delta", "1e-6", "--out", str(folder / "out.csv")]
    replace, add = (["--ledger", str(folder / f"{name}.json")] for name in ("replace-one", "add-remove"))
    size, robust = ["--size", "2", "--model", "conjunction"], ["--robust", "--delta", "1e-2", "--rows", "60"]
    sample = ["--out", str(folder / "more.csv"), "--rows", "20", "--where", "sick", "--seed", "1"]
    plan = ["--epsilon", "1", "--rows", "1000", "--neighbours", "replace-one", "--beta", "0.05"]
    return {
        "learn": [*learn, *add, "--rows", "60", "--report", str(folder / "page.html"), "--memory", "1GB"],
        "learn by replace-one": [*learn, *replace, *size, "--neighbours", "replace-one"],
        "learn with a mechanism": [*learn, *add, *size, "--mechanism", "rspm", "--oracle", "auto"],
        "learn robustly": [*learn, *add, *robust, "--size", "1", "--model", "conjunction"],
        "synth": [*synth, *add, "--rows", "20", "--workload", "marginals:2", "--neighbours", "add-remove"],
        "synth by a game": [
            *synth, *replace, "--method", "oracle-query", "--workload", "conjunctions:1", "--rows", "20",
            "--player", "exponential",
        ],
        "plan learn": ["plan", "learn", *plan, "--literals", "5", "--size", "2", "--target-error", "0.1"],
        "plan prsma": ["plan", "prsma", *plan, "--delta", "1e-2", "--max-calls", "1000"],
        "plan synth": ["plan", "synth", *plan, "--delta", "1e-6", "--columns", "4", "--workload", "marginals:2"],
        "plan rspm": ["plan", "rspm", *plan, "--schema", schema, "--target", "sick", "--delta", "1e-6"],
        "predict": [
            "predict", str(folder / "rule.json"), data, "--out", str(folder / "told.csv"), "--schema", schema,
            "--column", "told", "--memory", "1GB",
        ],
        "sample": ["sample", str(folder / "model.json"), *sample],
        "sample a game": ["sample", str(folder / "game.json"), *sample],
        "example": ["example", str(folder / "made"), "--rows", "10"],
        "demo": ["demo", "--epsilon", "1", "--quiet"],
        "audit": ["audit", "exponential", "report-noisy-min", "--tier", "exact", "--quiet"],
        "schema check with a table": [
            "schema", "check", data, "--schema", schema, "--epsilon", "1", "--neighbours", "replace-one", *replace,
        ],
        "schema draft": ["schema", "draft", data, "--out", str(folder / "draft.yaml"), "--public"],
        "quality": [
            "quality", data, str(folder / "made.csv"), "--schema", schema, "--target", "sick", "--seed", "1", "--quiet",
            "--page", str(folder / "internal.html"), "--memory", "1GB",
        ],
        "answer": ["answer", str(folder / "model.json"), "sick", "--confidence", "0.9"],
        "budget create": ["budget", "create", str(folder / "new.json"), "--epsilon", "1", "--delta", "1e-6"],
        "budget limit": [
            "budget", "limit", str(folder / "limits.json"), "--epsilon", "1", "--delta", "1e-6", "--actor", "ada",
            "--dataset", "each", "--purpose", "care", "--period", "year",
        ],
        "budget register": ["budget", "register", str(folder / "limits.json"), "visits", "--note", "2026"],
        "budget key": ["budget", "key", str(folder / "new.key")],
        "budget verify": ["budget", "verify", str(folder / "add-remove.json")],
        "budget export": ["budget", "export", str(folder / "add-remove.json")],
        "learn with a card": [
            *learn, *add, "--card", str(folder / "carded.card"), "--out", str(folder / "carded.json"),
            "--sign", str(folder / "key"), "--actor", "ada", "--purpose", "care", "--dataset", "visits",
        ],
        "verify": [
            "verify", str(folder / "rule.card"), "--key", "0" * 64, "--ledger", str(folder / "add-remove.json"),
        ],
        "serve": ["serve", str(folder / "console"), "--token-for", "olga"],
        "budget show": ["budget", "show", str(folder / "add-remove.json")],
        "schema check": ["schema", "check", schema],
    }  # fmt: skip


def places(command: list[str]) -> list[int]:
    """Where a value stands: behind an option, or by itself."""
    start = 2 if command[0] in ("plan", "budget", "schema") else 1
    return [place for place in range(start, len(command)) if not command[place].startswith("--")]


def tried(command: list[str]) -> list[tuple[int, str]]:
    """A fixed choice of values for every place, all of them with ORACLEDP_ALL_VALUES=1."""
    every = [(place, value) for place in places(command) for value in NASTY]
    if os.environ.get("ORACLEDP_ALL_VALUES"):
        return every
    order = sorted(every, key=lambda pair: sha256(f"{command[pair[0] - 1]}|{pair[1]}".encode()).hexdigest())
    return order[:CHOSEN]


def ledgers(folder: Path) -> dict[str, bytes]:
    return {name: (folder / f"{name}.json").read_bytes() for name in ("replace-one", "add-remove")}


def test_every_command_is_tried() -> None:
    assert {command[0] for command in commands(Path()).values()} == set(COMMANDS)


@pytest.mark.parametrize("name", commands(Path()))
def test_a_bad_value_is_one_clear_line(name: str, folder: Path, shell: Shell) -> None:
    command = commands(folder)[name]
    wrong = []
    for place, value in tried(command):
        before = ledgers(folder)
        result = shell([*command[:place], value, *command[place + 1 :]])
        lines = [line for line in result["err"].splitlines() if line and not line.startswith(("Usage", "Try"))]
        problem = (
            "hangs" if result["hung"]
            else "traceback" if "Traceback" in result["err"]
            else f"exit code {result['code']}: {result['err'][-300:]}" if result["code"] not in DOCUMENTED
            else f"{len(lines)} lines: {lines}" if result["code"] == 2 and len(lines) != 1
            else "charged" if result["code"] == 2 and ledgers(folder) != before
            else None
        )  # fmt: skip
        if problem is not None:
            wrong.append((command[place - 1 : place], value[:40], problem))
    assert wrong == []
