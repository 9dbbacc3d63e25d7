"""The main job of an installed oracledp, with none of its extras: run in an empty environment by .ci/wheel and CI."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path

SCHEMA = """
columns:
  age: {kind: integer, lo: 18, hi: 90, thresholds: [30, 40, 50, 60]}
  ward: {kind: categorical, values: [north, south, east]}
  smoker: {kind: boolean}
  ill: {kind: boolean}
"""
NOT_NEEDED = ("pandas", "polars", "pyarrow", "sklearn", "scipy", "ortools", "pysat", "matplotlib", "joblib")
RELEASES = ("--schema", "people.yaml", "--ledger", "study.ledger")
COMMAND = str(Path(sysconfig.get_path("scripts")) / "oracledp")
LEARN = ("learn", "people.csv", *RELEASES, "--target", "ill", "--epsilon", "1")


def main() -> None:
    """Rules, trees, lists, cards and synthetic tables from a CSV file, charged to a ledger and checked."""
    for compiler in ("gcc", "g++", "cc", "c++", "clang"):
        if shutil.which(compiler) is not None:
            print(f"note: {compiler} is on the path")
    present = [name for name in NOT_NEEDED if find_spec(name) is not None]
    print("extras present:", ", ".join(present) or "none")
    _write_people()
    run("--version")
    run("schema", "check", "people.yaml")
    run("plan", "learn", "--schema", "people.yaml", "--target", "ill", "--epsilon", "1", "--rows", "2000")
    run("budget", "create", "study.ledger", "--epsilon", "20", "--delta", "1e-5")
    for model in ("auto", "disjunction", "tree", "decision-list"):
        run(*LEARN, "--model", model, "--out", f"{model}.json", "--report", f"{model}.html")
        run("predict", f"{model}.json", "people.csv", "--out", f"{model}.csv")
    for form in ("csv", "parquet"):
        made = ("--epsilon", "1", "--delta", "1e-6", "--out", f"shared.{form}")
        run("synth", "people.csv", *RELEASES, *made, "--model", f"{form}.json", "--card", f"{form}.card.json")
    run("sample", "csv.json", "--where", "age >= 40", "--rows", "50", "--out", "more.parquet")
    run("predict", "tree.json", "more.parquet", "--out", "again.csv")
    run("answer", "csv.json", "age >= 40", "smoker")
    run("verify", "csv.card.json", "--ledger", "study.ledger")
    run("budget", "show", "study.ledger")
    _extras_are_named_before_anything_is_charged()
    _notes_are_there()
    print("the main job is done")


def run(*words: str, code: int = 0) -> str:
    """One command, as a user types it."""
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False)
    print("$ oracledp", *words)
    if done.returncode != code:
        raise SystemExit(f"ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def _extras_are_named_before_anything_is_charged() -> None:
    if find_spec("ortools") is not None:
        return
    before = run("budget", "show", "study.ledger", "--json")
    said = run(*LEARN, "--model", "conjunction", "--mechanism", "rspm", "--oracle", "cp-sat", code=2)
    if "oracledp[solvers]" not in said or run("budget", "show", "study.ledger", "--json") != before:
        raise SystemExit(f"a missing extra was charged for, or not named: {said}")


def _notes_are_there() -> None:
    saved = json.loads(Path("tree.json").read_text(encoding="utf-8"))
    note = saved["guarantee"]["proof"]
    import oracledp

    if not (Path(oracledp.__file__).parent / note).is_file():
        raise SystemExit(f"{note} is not installed")


def _write_people() -> None:
    Path("people.yaml").write_text(SCHEMA, encoding="utf-8")
    with Path("people.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["age", "ward", "smoker", "ill"])
        for i in range(2000):
            age, smoker = 18 + 7 * i % 73, i % 3 == 0
            rows.writerow([age, ("north", "south", "east")[i % 5 % 3], smoker, age >= 60 or (smoker and i % 7 > 0)])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
        os.chdir("/")
