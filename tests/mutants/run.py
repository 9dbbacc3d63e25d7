"""The mutation run: every source on the privacy path is changed in one place at a time, and the tests must notice.

    python tests/mutants/run.py --find-judges          # once: which tests execute which line
    python tests/mutants/run.py --find-judges tests/unit/test_noise.py   # again for tests that are new or changed
    python tests/mutants/run.py --count 400            # then: a fixed sample of the mutants of every file
    python tests/mutants/run.py --only mechanisms/perturbed_min.py
    python tests/mutants/run.py --count 300 --by-imports   # without coverage: tests whose files import the module

A run that was stopped goes on where it was: verdicts in ``--out`` stand while the line that they speak of does.

A mutant is caught when a test that executes the changed line fails, or never ends. Survivors are listed; those that
change nothing that can be observed are kept, with the reason, in equivalent.json. docs/mutants.md has the results.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from math import inf
from pathlib import Path
from queue import Queue
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from importers import Importers
from judges import Judges, collected, find_judges
from operators import Change, changes
from privacy_path import ROOT, SOURCE, component, privacy_path, skipped
from warm import BEGIN, Warm

CACHE = ROOT / "build" / "mutants"
EQUIVALENT = Path(__file__).with_name("equivalent.json")
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


def sample(count: int | None, only: str | None) -> list[Mutant]:
    """A fixed sample: every file gives its share, at least two."""
    by_file = {path: mutants_of(path) for path in privacy_path() if only is None or only in str(path)}
    total = sum(map(len, by_file.values()))
    if count is None or count >= total:
        return [mutant for mutants in by_file.values() for mutant in mutants]
    shares = {path: max(2, round(count * len(mutants) / total)) for path, mutants in by_file.items()}
    return [mutant for path, mutants in by_file.items() for mutant in mutants[: shares[path]]]


def judge_all(mutants: list[Mutant], judges: Judges | Importers, workers: int, out: Path) -> list[Verdict]:
    """All verdicts, those of an earlier run that was stopped among them, written down as they come."""
    free: Queue[Worker] = Queue()
    experience, known = Experience(), explained()
    verdicts = earlier(mutants, out)
    for verdict in verdicts:
        experience.caught[verdict.file][verdict.by] += verdict.by.startswith("tests")
    judged = {verdict.key for verdict in verdicts}
    for number in range(workers):
        free.put(Worker(CACHE / f"worker-{number}", experience))
    if isinstance(judges, Judges):
        judges = judges.among(collected(CACHE / "worker-0"))

    def one(mutant: Mutant) -> None:
        worker = free.get()
        try:
            verdicts.append(_explained_away(mutant) if mutant.key in known else worker.judge(mutant, judges))
        finally:
            free.put(worker)
        done, left = verdicts[-1], sum(not (verdict.caught or verdict.key in known) for verdict in verdicts)
        mark = "caught  " if done.caught else "nothing " if done.key in known else "SURVIVED"
        print(
            f"{len(verdicts)}/{len(mutants)} {mark} {done.seconds:6.1f} s  {done.name}  ({left} survived)", flush=True
        )
        out.write_text(json.dumps([asdict(verdict) for verdict in verdicts], indent=1))

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, (mutant for mutant in mutants if mutant.key not in judged)))
    return verdicts


def earlier(mutants: list[Mutant], out: Path) -> list[Verdict]:
    """The verdicts that stand in a file, as far as they are about mutants of this run."""
    asked = {mutant.key for mutant in mutants}
    rows = json.loads(out.read_text()) if out.exists() else []
    return [verdict for verdict in map(Verdict.read, rows) if verdict.key in asked]


def _explained_away(mutant: Mutant) -> Verdict:
    """The verdict on a mutant that is known to change nothing."""
    file = str(mutant.path.relative_to(ROOT))
    return Verdict(mutant.name, file, mutant.change.line, mutant.change.operator, False, "", 0.0, mutant.key)


def explained() -> set[tuple[str, ...]]:
    """The mutants that change nothing, by their keys; the file says why of each."""
    return {tuple(entry["key"]) for entry in json.loads(EQUIVALENT.read_text())}


def summary(verdicts: list[Verdict]) -> str:
    """A table by component, and the survivors that nobody has explained."""
    known = explained()
    rows: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    unexplained = []
    for verdict in verdicts:
        row = rows[component(ROOT / verdict.file)]
        row[0] += 1
        row[1] += verdict.caught
        row[2] += not verdict.caught and verdict.key in known
        if not verdict.caught and verdict.key not in known:
            unexplained.append(verdict.name)
    lines = ["| part | mutants | caught | change nothing | survived |", "|---|---|---|---|---|"]
    for name, (total, caught, equivalent) in sorted(rows.items()):
        lines.append(f"| {name} | {total} | {caught} | {equivalent} | {total - caught - equivalent} |")
    sums = [sum(row[i] for row in rows.values()) for i in range(3)]
    lines.append(f"| **all** | {sums[0]} | {sums[1]} | {sums[2]} | {sums[0] - sums[1] - sums[2]} |")
    return "\n".join([*lines, "", *unexplained])


def main() -> None:
    """Find judges, or judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--find-judges", nargs="*", metavar="TESTS", help="all suites, or these files only")
    parser.add_argument("--count", type=int, help="about how many mutants; all of them if left out")
    parser.add_argument("--first", type=int, help="judge only so many of the sample")
    parser.add_argument("--only", help="files whose path contains this")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--again", type=Path, help="judge the survivors of an earlier run again")
    parser.add_argument("--out", type=Path, default=CACHE / "verdicts.json")
    parser.add_argument("--by-imports", action="store_true", help="judges by what tests import, not by coverage")
    parser.add_argument("--most", type=float, default=inf, help="seconds of work of all its judges")
    asked = parser.parse_args()
    stored = CACHE / "judges.json"
    if asked.find_judges is not None:
        found = find_judges(CACHE, *asked.find_judges, workers=asked.workers)
        (Judges.load(stored).updated(found) if asked.find_judges else found).save(stored)
        return
    gone = explained() - {mutant.key for mutant in sample(None, None)}
    if gone:
        print(f"explained, but no longer a mutant: {sorted(gone)}")
    judges: Judges | Importers = Importers() if asked.by_imports else Judges.load(stored)
    found_at = time.time() if asked.by_imports else stored.stat().st_mtime
    newer = [str(path.relative_to(SOURCE)) for path in privacy_path() if path.stat().st_mtime > found_at]
    if newer:
        print(f"changed since their judges were found, so perhaps judged by others: {', '.join(newer)}")
    mutants = sorted(
        sample(asked.count, asked.only), key=lambda mutant: mutant.order
    )  # a run cut short is a sample too
    if asked.again is not None:
        survived = {tuple(row["key"]) for row in json.loads(asked.again.read_text()) if not row["caught"]}
        mutants = [mutant for mutant in sample(None, None) if mutant.key in survived]
    Worker.most = asked.most
    verdicts = judge_all(mutants[: asked.first], judges, asked.workers, asked.out)
    print(summary(verdicts))
    worked = sum(verdict.worked for verdict in verdicts)
    print(f"{len(verdicts)} mutants, {worked / 60:.0f} minutes of the processor")
    sys.exit(not all(verdict.caught or verdict.key in explained() for verdict in verdicts))


if __name__ == "__main__":
    main()
