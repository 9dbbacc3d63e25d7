"""A mutant, the copy of the project in which it is judged, and what became of it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from importers import Importers
from judges import Judges
from operators import Change, changes
from privacy_path import ROOT, SOURCE, skipped
from warm import BEGIN, Warm

FEW = 3  # tests or files of tests that are tried first
MOST = 45.0  # seconds of tests that judge one mutant
PATIENCE, GRACE = 10, 30.0  # a test may work so many times its seconds, and so many seconds more (effort.py)

Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Mutant:
    """One change to one file; ``twin`` counts those before it with the same line of code, operator and text."""

    path: Path
    change: Change
    code: str
    twin: int = 0

    @property
    def name(self) -> str:
        """Where and what, readable."""
        return f"{self.path.relative_to(SOURCE)}:{self.change.line} {self.change.operator}: {self.change.text[:60]}"

    @property
    def key(self) -> Key:
        """What identifies it while other lines come and go: file, line of code, operator, new text."""
        text = f"{self.change.text} #{self.twin + 1}" if self.twin else self.change.text
        return str(self.path.relative_to(SOURCE)), self.code, self.change.operator, text

    @property
    def order(self) -> str:
        """A fixed order that prefers no operator and no place."""
        return hashlib.sha256("|".join(self.key).encode()).hexdigest()


def mutants_of(path: Path) -> list[Mutant]:
    """All of one file, in their fixed order."""
    source = path.read_text()
    lines, twins, found = source.splitlines(), Counter[tuple[str, str, str]](), []
    for change in changes(source, skipped(path)):
        code = lines[change.line - 1].strip()
        found.append(Mutant(path, change, code, twins[code, change.operator, change.text]))
        twins[code, change.operator, change.text] += 1
    return sorted(found, key=lambda mutant: mutant.order)


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant."""

    name: str
    file: str
    line: int
    operator: str
    caught: bool
    by: str
    seconds: float
    key: Key
    worked: float = 0.0  # seconds of the processor

    @classmethod
    def read(cls, row: dict[str, Any]) -> Verdict:
        """What ``asdict`` wrote."""
        file, code, operator, text = row["key"]
        return cls(**{**row, "key": (file, code, operator, text)})


@dataclass
class Experience:
    """What the workers have learned: which tests caught mutants of a file, and which fail without any."""

    caught: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    sound: dict[str, bool] = field(default_factory=dict)
    needs: dict[str, float] = field(default_factory=dict)  # seconds of work after which a test will never end

    def order(self, file: str, tests: list[str]) -> list[str]:
        """Those first that caught most mutants of the file; the order is kept among the others."""
        return sorted((test for test in tests if self.sound.get(test, True)), key=lambda test: -self.caught[file][test])

    def best(self, file: str) -> list[str]:
        """The tests that caught mutants of the file before; those that fail by themselves are passed over."""
        return [test for test, _ in self.caught[file].most_common(6) if test and self.sound.get(test, True)]


class Worker:
    """A copy of the project in which one file at a time is changed."""

    most = inf  # seconds of work of all judges of a mutant

    def __init__(self, folder: Path, experience: Experience) -> None:
        self.folder, self.experience, self.warm = folder, experience, Warm()
        self.worked = 0.0
        shutil.rmtree(folder, ignore_errors=True)
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in [*listed.stdout.splitlines(), *(str(p.relative_to(ROOT)) for p in SOURCE.glob("_engine*.so"))]:
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)

    def judge(self, mutant: Mutant, judges: Judges | Importers) -> Verdict:
        """Run the tests that execute the line, the best first."""
        self.worked = 0.0
        begin, target = time.monotonic(), self.folder / mutant.path.relative_to(ROOT)
        file, change, original = str(mutant.path.relative_to(ROOT)), mutant.change, target.read_text()
        limits = {test: GRACE + PATIENCE * seconds for test, seconds in judges.seconds.items()}
        while True:
            tests = self._chosen(file, judges.of(mutant.path, change.line), judges)
            target.write_text(change.apply(original))
            try:
                by = self.first_of(tests, limits)
            finally:
                target.write_text(original)
            if not by or self._sound(by, limits):
                break
        self.experience.caught[file][by] += by.startswith("tests")
        seconds, worked = round(time.monotonic() - begin, 1), round(self.worked, 1)
        return Verdict(mutant.name, file, change.line, change.operator, by != "", by, seconds, mutant.key, worked)

    def _chosen(self, file: str, tests: list[str], judges: Judges | Importers) -> list[str]:
        """As many as fit into the time, and one at least."""
        if isinstance(judges, Importers):
            return [*self.experience.best(file), *tests]
        chosen, spent = [], 0.0
        for test in self.experience.order(file, tests):
            spent += judges.seconds[test]
            if spent <= MOST or not chosen:
                chosen.append(test)
        return chosen

    def _sound(self, by: str, limits: dict[str, float]) -> bool:
        """Whether the test that caught a mutant passes without it, and soon enough to say that it never ends with it.

        Asked once for each. A test that may need longer than it was given is given that, and judges again.
        """
        test = by.removeprefix("no end: ")
        if "::" not in test or test.startswith("exit code"):
            return True  # the mutant cannot even be imported, or ends the process
        if test not in self.experience.sound:
            before = self.worked
            failed = self.fails([test], limits)
            self.experience.sound[test] = not failed
            self.experience.needs[test] = GRACE + PATIENCE * (self.worked - before)
            if failed:
                print(f"judges nobody, as it fails by itself: {test}", flush=True)
        given, needed = limits.get(test, BEGIN), self.experience.needs[test]
        if by != test and given < needed:
            limits[test] = needed
            return False
        return self.experience.sound[test]

    def first_of(self, tests: list[str], limits: dict[str, float]) -> str:
        """The same in groups that grow: pytest reads all files that it is given before it runs one."""
        size, worked = FEW if self.most < inf else len(tests), self.worked
        while tests and self.worked - worked <= self.most:
            by = self.fails(tests[:size], limits)
            if by:
                return by
            tests, size = tests[size:], 2 * size
        return ""

    def fails(self, tests: list[str], limits: dict[str, float]) -> str:
        """The first test that fails, or "no end: ..."; nothing if all pass."""
        unsound = [f"--deselect={test}" for test, sound in self.experience.sound.items() if not sound]
        by, worked = self.warm.first_failure(self.folder, [*tests, *unsound], limits, self.most)
        self.worked += worked
        return by
