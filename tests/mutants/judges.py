"""Which tests execute a line, the quick and narrow ones first: they judge a mutant of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from privacy_path import ROOT, SOURCE

SUITES = (
    "tests/unit", "tests/audit", "tests/estimators", "tests/game", "tests/ledger",
    "tests/property/test_exact_numbers.py", "tests/property/test_merging.py", "tests/property/test_oracles.py",
    "tests/property/test_classes.py", "tests/property/test_engine_subsets.py", "tests/property/test_certificates.py",
    "src",
)  # fmt: skip
SLOW = 30.0  # seconds: a single test that takes longer judges nobody


@dataclass(frozen=True)
class Judges:
    """For each file and line the tests that execute it, with their seconds."""

    by_line: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    @cached_property
    def breadth(self) -> Counter[str]:
        """How many lines each test executes."""
        return Counter(test for lines in self.by_line.values() for tests in lines.values() for test in tests)

    def of(self, path: Path, line: int) -> list[str]:
        """The tests that execute a line, the best first; of one parametrised test not more than a few instances.

        The best are quick and look at little else. A line that runs only when its module is imported (a default, a
        constant) is judged by all tests of the file.
        """
        lines = self.by_line.get(str(path.relative_to(SOURCE)), {})
        found = lines.get(line) or sorted({test for tests in lines.values() for test in tests})
        known = [test for test in found if self.seconds.get(test, SLOW) < SLOW]
        taken: dict[str, int] = defaultdict(int)
        kept = []
        for test in sorted(known, key=lambda test: ((self.seconds[test] + 0.05) * self.breadth[test], test)):
            function = test.partition("[")[0]
            taken[function] += 1
            if taken[function] <= 4:
                kept.append(test)
        return kept

    def among(self, present: set[str]) -> Judges:
        """Without tests that are no longer there: pytest would refuse to run any beside them."""
        return Judges(self.by_line, {test: seconds for test, seconds in self.seconds.items() if test in present})

    def updated(self, newer: Judges) -> Judges:
        """With what was found anew: tests that were run again count as they are now."""
        again = {test.partition("::")[0] for test in newer.seconds}

        def stays(test: str) -> bool:
            return test.partition("::")[0] not in again

        lines: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        for judges, keeps in ((self, stays), (newer, bool)):
            for name, by_line in judges.by_line.items():
                for line, tests in by_line.items():
                    lines[name][line] += filter(keeps, tests)
        return Judges(lines, {test: s for test, s in self.seconds.items() if stays(test)} | newer.seconds)

    def save(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps({"by_line": self.by_line, "seconds": self.seconds}))

    @classmethod
    def load(cls, path: Path) -> Judges:
        """Read what :meth:`save` wrote."""
        data = json.loads(path.read_text())
        lines = {name: {int(line): tests for line, tests in of.items()} for name, of in data["by_line"].items()}
        return cls(lines, data["seconds"])


def find_judges(folder: Path, *suites: str, workers: int = 2) -> Judges:
    """Run the tests once, all suites if none is named, with coverage by test."""
    folder.mkdir(parents=True, exist_ok=True)
    report, data = folder / "tests.xml", folder / "coverage"
    settings = folder / "coveragerc"
    settings.write_text(f"[run]\ndata_file = {data}\nsource = {SOURCE}\n")
    command = [
        sys.executable, "-m", "pytest", "-q", "-n", str(workers), f"--junitxml={report}", "-o", "junit_family=xunit1",
        f"--cov={SOURCE}", f"--cov-config={settings}", "--cov-context=test", "--cov-report=", "-W", "ignore",
        "-p", "no:unraisableexception", "--deselect=tests/audit/test_formal_proof.py",
        f"--basetemp={folder / 'scratch'}", *(suites or SUITES),
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=False)
    return Judges(_by_line(data), _seconds(report))


def collected(folder: Path) -> set[str]:
    """The tests that a copy of the project has."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", "-W", "ignore", *SUITES]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    output = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout
    return {line for line in output.splitlines() if "::" in line}


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
