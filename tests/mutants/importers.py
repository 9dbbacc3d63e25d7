"""Judges without a run for coverage: the tests whose files import the changed module, the narrowest first.

Less sharp than coverage by line (judges.py), but there at once; what survives here is judged again by more.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from judges import SUITES
from privacy_path import ROOT, SOURCE

NEAR, FAR = 1, 2  # imported by the test, or by what it imports
LATER = ("tests/audit",)  # whole laws: sharp, and slow

ALSO = {  # what imports do not tell
    "learning/feature_maps.py": ("tests/unit/test_gradients.py",),
    "learning/gradient_cards.py": ("tests/unit/test_gradients.py", "tests/estimators/test_small_cards.py"),
    "learning/sparse_cards.py": ("tests/estimators/test_small_cards.py",),
    "mechanisms/growing_gradients.py": ("tests/unit/test_growing_gradients.py", "tests/estimators/test_small_cards.py"),
    "learning/trees.py": ("tests/estimators/test_trees.py",),
    "learners/chances.py": ("tests/estimators/test_probabilities.py",),
    "learners/bands.py": ("tests/estimators/test_probabilities.py",),
    "learners/fitting.py": ("tests/estimators/test_probabilities.py", "tests/estimators/test_total_encoding.py"),
    "learners/base.py": ("tests/estimators/test_total_encoding.py", "tests/estimators/test_learners.py"),
    "privacy/cards.py": ("tests/ledger/test_cards.py",),
    "privacy/signing.py": ("tests/ledger/test_cards.py",),
    "privacy/ledger/file_store.py": ("tests/ledger/test_ledger.py", "tests/ledger/test_faults.py"),
    "privacy/ledger/old_file.py": ("tests/ledger/test_old_files.py",),
    "privacy/ledger/server_store.py": ("tests/ledger/test_ledger.py",),
    **dict.fromkeys(
        (f"data/table/{name}.py" for name in ("texts", "text_columns", "text_files", "text_frames", "frame_values")),
        ("tests/unit/test_raw_texts.py", "tests/unit/test_private_schema.py", "tests/unit/test_number_marks.py"),
    ),
    "data/schema/text_kinds.py": ("tests/unit/test_private_schema.py", "tests/unit/test_number_marks.py"),
    "data/table/values.py": ("tests/unit/test_table.py", "tests/estimators/test_total_encoding.py"),
    "mechanisms/gradients.py": ("tests/unit/test_gradients.py",),
    "privacy/loss_law.py": ("tests/unit/test_loss_law.py", "tests/ledger/test_year.py"),
}
_UNIT = "tests/unit/test_"
_LAST, _SAID = f"{_UNIT}last_numbers.py", f"{_UNIT}said_beforehand.py"
_FIT, _READ = f"{_UNIT}steps_of_a_fit.py", f"{_UNIT}who_reads_which_rows.py"
SHARP = {  # a second of work each, and something about most files; by the first part of the library that fits
    "privacy/ledger": ("tests/ledger/test_small_entries.py", _LAST, _SAID),
    "learn": (_FIT, _READ, _LAST, _SAID),
    "synthesis": (_FIT, _READ, _LAST, _SAID),
    "": (f"{_UNIT}single_steps.py", _READ, _LAST, _SAID, _FIT),
}
AT_LAST = ("tests/audit/test_front_door.py",)  # whole laws of every public entry point


@dataclass(frozen=True)
class Importers:
    """For each source the test files that import it, directly or by one step."""

    @cached_property
    def seconds(self) -> dict[str, float]:
        """Nothing is known of how long they take: the run itself is ended when its time is over."""
        return defaultdict(float)

    @cached_property
    def modules(self) -> dict[str, Path]:
        """Every module by its dotted name, and every public name by where it is defined."""
        return {_dotted(path): path for path in SOURCE.rglob("*.py")}

    @cached_property
    def exported(self) -> dict[str, Path]:
        """Names that a package hands on (``oracledp.prsma``), by the file that they come from."""
        found: dict[str, Path] = {}
        for _ in range(3):  # packages hand on what packages hand on
            for package, path in self.modules.items():
                if path.name == "__init__.py":
                    for module, name in _names(path.read_text()):
                        source = found.get(f"{module}.{name}") or self.modules.get(f"{module}.{name}")
                        found[f"{package}.{name}"] = source or self.modules.get(module, path)
        return found

    @cached_property
    def tests(self) -> dict[str, set[Path]]:
        """The sources that each test file imports."""
        files = [path for suite in SUITES if suite != "src" for path in _tests(ROOT / suite)]
        return {str(path.relative_to(ROOT)): self.imported(path) for path in files}

    @cached_property
    def second(self) -> dict[Path, set[Path]]:
        """The sources that each source imports."""
        return {path: self.imported(path) for path in self.modules.values()}

    def imported(self, path: Path) -> set[Path]:
        """The sources that a file imports, or reaches by ``odp.name``."""
        text = path.read_text()
        wanted = [f"{module}.{name}" for module, name in _names(text)] + [module for module, _ in _names(text)]
        wanted += [f"oracledp.{name}" for name in _attributes(text)]
        found = {self.exported.get(name) or self.modules.get(name) for name in wanted}
        return {source for source in found if source is not None and source.name != "__init__.py"}

    def of(self, path: Path, line: int) -> list[str]:
        """The module's own examples, then tests by how near they are and how little else they import."""
        ranked = []
        for test, sources in self.tests.items():
            far = any(path in self.second[source] for source in sources)
            if path in sources or far:
                named = path.stem in test or test.removesuffix(".py").rpartition("test_")[2] in path.stem
                distance = NEAR if path in sources else FAR
                ranked.append((not named, distance, test.startswith(LATER), len(sources), test))
        name = str(path.relative_to(SOURCE))
        sharp = next(tests for part, tests in SHARP.items() if name.startswith(part))
        also = (*sharp, *ALSO.get(name, ()))
        return list(
            dict.fromkeys((str(path.relative_to(ROOT)), *also, *(test for *_, test in sorted(ranked)), *AT_LAST))
        )


def _dotted(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _tests(suite: Path) -> list[Path]:
    return [suite] if suite.is_file() else sorted(suite.glob("test_*.py"))


def _names(text: str) -> list[tuple[str, str]]:
    return [
        (node.module, name.name)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("oracledp")
        for name in node.names
        if node.module
    ]


def _attributes(text: str) -> set[str]:
    return {
        node.attr
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("odp", "oracledp")
    }
