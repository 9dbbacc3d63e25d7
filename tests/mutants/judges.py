"""Which tests execute a line, quickest first: they judge a mutant of it."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from privacy_path import ROOT, SOURCE

SUITES = (
    "tests/unit", "tests/audit", "tests/estimators", "tests/game", "tests/property/test_exact_numbers.py",
    "tests/property/test_merging.py", "tests/property/test_oracles.py", "tests/property/test_classes.py",
    "tests/property/test_engine_subsets.py",
)  # fmt: skip
SLOW = 60.0  # seconds: a single test that takes longer judges nobody


@dataclass(frozen=True)
class Judges:
    """For each file and line the tests that execute it, with their seconds."""

    by_line: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def of(self, path: Path, line: int) -> list[str]:
        """The tests that execute a line, quickest first; of one parametrised test not more than a few instances.

        A line that runs only when its module is imported (a default, a constant) is judged by all tests of the file.
        """
        lines = self.by_line.get(str(path.relative_to(SOURCE)), {})
        found = lines.get(line) or sorted({test for tests in lines.values() for test in tests})
        known = [test for test in found if self.seconds.get(test, SLOW) < SLOW]
        ordered = sorted(known, key=lambda test: (self.seconds[test], test))
        taken: dict[str, int] = defaultdict(int)
        kept = []
        for test in ordered:
            function = test.partition("[")[0]
            taken[function] += 1
            if taken[function] <= 6:
                kept.append(test)
        return kept

    def save(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps({"by_line": self.by_line, "seconds": self.seconds}))

    @classmethod
    def load(cls, path: Path) -> Judges:
        """Read what :meth:`save` wrote."""
        data = json.loads(path.read_text())
        lines = {name: {int(line): tests for line, tests in of.items()} for name, of in data["by_line"].items()}
        return cls(lines, data["seconds"])


def find_judges(folder: Path, suites: tuple[str, ...] = SUITES, workers: int = 2) -> Judges:
    """Run the tests once with coverage by test."""
    folder.mkdir(parents=True, exist_ok=True)
    report, data = folder / "tests.xml", folder / "coverage"
    settings = folder / "coveragerc"
    settings.write_text(f"[run]\ndata_file = {data}\nsource = {SOURCE}\n")
    command = [
        sys.executable, "-m", "pytest", "-q", "-n", str(workers), f"--junitxml={report}", "-o", "junit_family=xunit1",
        f"--cov={SOURCE}", f"--cov-config={settings}", "--cov-context=test", "--cov-report=", "-W", "ignore",
        "-p", "no:unraisableexception", "--deselect=tests/audit/test_formal_proof.py",
        f"--basetemp={folder / 'scratch'}", *suites,
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=False)
    return Judges(_by_line(data), _seconds(report))


def _by_line(data: Path) -> dict[str, dict[int, list[str]]]:
    from coverage import CoverageData

    covered = CoverageData(str(data))
    covered.read()
    found: dict[str, dict[int, list[str]]] = {}
    for name in covered.measured_files():
        contexts = covered.contexts_by_lineno(name)
        lines = {line: sorted({c.partition("|")[0] for c in tests if "::" in c}) for line, tests in contexts.items()}
        found[str(Path(name).relative_to(SOURCE))] = {line: tests for line, tests in lines.items() if tests}
    return found


def _seconds(report: Path) -> dict[str, float]:
    seconds = {}
    for case in ET.parse(report).iter("testcase"):
        if case.find("failure") is None and case.find("error") is None and case.find("skipped") is None:
            seconds[f"{case.get('file')}::{case.get('name')}"] = float(case.get("time") or 0)
    return seconds
