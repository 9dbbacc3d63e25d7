"""What keeps the house in order by itself: any part of the tests runs alone, every change is checked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def workflow(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows" / name).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(
    "folders", [("tests/engines", "tests/browser", "tests/layers"), ("tests/experiments", "tests/benchmarks")]
)
def test_any_part_of_the_tests_can_be_collected(folders: tuple[str, ...]) -> None:
    """Two conftest files of one name, or a folder named as a package, once stopped such a run."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-qq", *folders]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-2000:]
    assert all(f"{folder}/" in result.stdout for folder in folders)


def test_every_compiler_system_and_python_is_tested() -> None:
    jobs = workflow("ci.yml")["jobs"]
    matrix = jobs["test"]["strategy"]["matrix"]
    tested = {
        (system, compiler, python)
        for system in matrix["os"]
        for compiler in matrix["compiler"]
        for python in matrix["python"]
    }
    tested |= {(one["os"], one["compiler"], one["python"]) for one in matrix["include"]}
    for system, compiler in (("ubuntu-latest", "gcc"), ("ubuntu-latest", "clang"), ("macos-latest", "clang")):
        assert [python for python in PYTHONS if (system, compiler, python) not in tested] == []
    assert jobs["windows"]["strategy"]["matrix"]["python"] == PYTHONS


@pytest.mark.parametrize("name", ["ci.yml", "weekly.yml", "wheels.yml"])
def test_a_workflow_runs_what_there_is(name: str) -> None:
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    runs = [step["run"] for job in workflow(name)["jobs"].values() for step in job["steps"] if "run" in step]
    for line in runs:
        words = line.split()
        if words[0] == "make":
            assert f"\n{words[1]}:" in targets, line
        for word in words:
            if word.startswith((".ci/", "tests/")):
                assert (ROOT / word).exists(), line


def test_the_hooks_run_what_make_check_runs() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    local = [hook["entry"] for repo in hooks if repo["repo"] == "local" for hook in repo["hooks"]]
    assert [entry.removeprefix(".venv/bin/") for entry in local] == [
        "ruff format",
        "ruff check --fix",
        "mypy",
        "clang-format -i",
        "codespell",
    ]
