"""What is installed on a user's machine: the library and its command line, and nothing that only developers run."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest
from setuptools import Distribution, find_packages

ROOT = Path(__file__).parents[2]
DEVELOPERS = ("bench", "benchmark", "experiment", "mutant", "hostile", "adversar", "broken", "conftest", "paper")


def wheel_files(root: Path) -> list[str]:
    """The files that setuptools copies into a wheel by this pyproject, besides the compiled core; none is written."""
    settings: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "setuptools"
    ]
    find = settings["packages"]["find"]
    assert settings["include-package-data"] is False, "or whatever an sdist holds would be in the wheel too"
    assert find == {"where": ["src"], "namespaces": False}, "read by find_packages as it stands here"
    distribution = Distribution(
        {
            "packages": find_packages(str(root / "src")),
            "package_dir": {"": str(root / "src")},
            "package_data": settings["package-data"],
            "include_package_data": False,
            "script_name": str(root / "setup.py"),
        }
    )
    build = distribution.get_command_obj("build_py")
    build.build_lib = "wheel"
    build.ensure_finalized()
    return sorted(Path(file).relative_to("wheel").as_posix() for file in build.get_outputs(include_bytecode=False))


FILES = wheel_files(ROOT)


def test_the_whole_library_is_there() -> None:
    source = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src/oracledp").rglob("*.py")}
    notes = {f"oracledp/proofs/{path.name}" for path in (ROOT / "proofs").glob("*.md")}
    assert set(FILES) - source == {"oracledp/_engine.pyi", "oracledp/py.typed"} | notes
    assert notes >= {f"oracledp/proofs/{name}.md" for name in ("noise", "row-count", "measured-synthesis")}
    assert source - set(FILES) == set(), "a folder without __init__.py is not installed"


@pytest.mark.parametrize("word", DEVELOPERS)
def test_nothing_of_the_developers_is_there(word: str) -> None:
    assert [file for file in FILES if any(word in part for part in Path(file).parts)] == []


def test_no_test_is_there() -> None:
    assert [file for file in FILES if Path(file).name.startswith("test_") or "tests" in Path(file).parts] == []


def test_nothing_that_is_installed_imports_what_is_not() -> None:
    """Imports by name; the audit finds mutants by their place in a source tree, and says so where there is none."""
    developers = {"benchmarks", "experiments", "broken", "tests", "pytest", "hypothesis"}
    wrong = [
        (file, name)
        for file in FILES
        if file.endswith(".py")
        for node in ast.walk(ast.parse((ROOT / "src" / file).read_text(encoding="utf-8")))
        for name in _imported(node)
        if name.split(".")[0] in developers
    ]
    assert wrong == []


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def test_a_mutant_in_the_package_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "src/oracledp/audit").mkdir(parents=True)
    for name in ("__init__.py", "audit/__init__.py", "audit/mutants.py", "audit/notes.txt"):
        (tmp_path / "src/oracledp" / name).write_text("")
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    found = wheel_files(tmp_path)
    assert found == ["oracledp/__init__.py", "oracledp/audit/__init__.py", "oracledp/audit/mutants.py"]
