"""The mutation run: every source on the privacy path is changed in one place at a time, and the tests must notice.

    python tests/mutants/run.py --find-judges          # once: which tests execute which line
    python tests/mutants/run.py --count 400            # then: a fixed sample of the mutants of every file
    python tests/mutants/run.py --only mechanisms/perturbed_min.py

A mutant is caught when a test that executes the changed line fails, or never ends. Survivors are listed; those that
change nothing that can be observed are kept, with the reason, in equivalent.json. docs/mutants.md has the results.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue

sys.path.insert(0, str(Path(__file__).parent))
from judges import Judges, find_judges
from operators import Change, changes
from privacy_path import ROOT, SOURCE, component, privacy_path

CACHE = ROOT / "build" / "mutants"
EQUIVALENT = Path(__file__).with_name("equivalent.json")
FIRST, ALL = 15.0, 240.0  # seconds of tests that judge first, and at the most
PATIENCE = 5  # a run may take so many times its tests' seconds, and a minute more


@dataclass(frozen=True)
class Mutant:
    """One change to one file."""

    path: Path
    change: Change

    @property
    def name(self) -> str:
        """Where and what, readable."""
        return f"{self.path.relative_to(SOURCE)}:{self.change.line} {self.change.operator}: {self.change.text[:60]}"

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What identifies it while other lines come and go: file, line of code, operator, new text."""
        line = self.path.read_text().splitlines()[self.change.line - 1].strip()
        return str(self.path.relative_to(SOURCE)), line, self.change.operator, self.change.text

    @property
    def order(self) -> str:
        """A fixed order that prefers no operator and no place."""
        return hashlib.sha256("|".join(self.key).encode()).hexdigest()


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
    key: tuple[str, str, str, str]


class Worker:
    """A copy of the project in which one file at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in [*listed.stdout.splitlines(), *(str(p.relative_to(ROOT)) for p in SOURCE.glob("_engine*.so"))]:
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)

    def judge(self, mutant: Mutant, judges: Judges) -> Verdict:
        """Run the tests that execute the line, the quick ones first."""
        begin, target = time.monotonic(), self.folder / mutant.path.relative_to(ROOT)
        original = target.read_text()
        target.write_text(mutant.change.apply(original))
        try:
            by = self._noticed(judges.of(mutant.path, mutant.change.line), judges)
        finally:
            target.write_text(original)
        file, change = str(mutant.path.relative_to(ROOT)), mutant.change
        seconds = round(time.monotonic() - begin, 1)
        return Verdict(mutant.name, file, change.line, change.operator, by != "", by, seconds, mutant.key)

    def _noticed(self, tests: list[str], judges: Judges) -> str:
        for batch in _batches(tests, judges):
            limit = 60 + PATIENCE * sum(judges.seconds[test] for test in batch)
            failed = self._fails(batch, limit)
            if failed:
                return failed
        return ""

    def _fails(self, tests: list[str], limit: float) -> str:
        """The first test that fails, or "no end"; nothing if all pass."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-n", "0"]
        command += ["-p", "no:unraisableexception", f"--basetemp={self.folder / 'scratch'}"]
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        process = subprocess.Popen(
            [*command, *tests], cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "no end"
        if process.returncode == 0:
            return ""
        named = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return named[0].split(" ", 1)[1].partition(" - ")[0] if named else f"exit code {process.returncode}"


def _batches(tests: list[str], judges: Judges) -> Iterator[list[str]]:
    """The quickest tests first; then all the others that fit into the time."""
    first, rest, spent = [], [], 0.0
    for test in tests:
        spent += judges.seconds[test]
        if spent <= FIRST or not first:
            first.append(test)
        elif spent <= ALL:
            rest.append(test)
    return (batch for batch in (first, rest) if batch)


def sample(count: int | None, only: str | None) -> list[Mutant]:
    """A fixed sample: every file gives its share, at least two."""
    by_file: dict[Path, list[Mutant]] = defaultdict(list)
    for path in privacy_path():
        if only is None or only in str(path):
            by_file[path] = sorted((Mutant(path, c) for c in changes(path.read_text())), key=lambda m: m.order)
    total = sum(map(len, by_file.values()))
    if count is None or count >= total:
        return [mutant for mutants in by_file.values() for mutant in mutants]
    shares = {path: max(2, round(count * len(mutants) / total)) for path, mutants in by_file.items()}
    return [mutant for path, mutants in by_file.items() for mutant in mutants[: shares[path]]]


def judge_all(mutants: list[Mutant], judges: Judges, workers: int, out: Path) -> list[Verdict]:
    """All verdicts, written down as they come."""
    free: Queue[Worker] = Queue()
    for number in range(workers):
        free.put(Worker(CACHE / f"worker-{number}"))
    verdicts: list[Verdict] = []

    def one(mutant: Mutant) -> None:
        worker = free.get()
        try:
            verdicts.append(worker.judge(mutant, judges))
        finally:
            free.put(worker)
        done, left = verdicts[-1], sum(not verdict.caught for verdict in verdicts)
        mark = "caught  " if done.caught else "SURVIVED"
        print(
            f"{len(verdicts)}/{len(mutants)} {mark} {done.seconds:6.1f} s  {done.name}  ({left} survived)", flush=True
        )
        out.write_text(json.dumps([asdict(verdict) for verdict in verdicts], indent=1))

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, mutants))
    return verdicts


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
    parser.add_argument("--find-judges", action="store_true")
    parser.add_argument("--count", type=int, help="about how many mutants; all of them if left out")
    parser.add_argument("--only", help="files whose path contains this")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--again", type=Path, help="judge the survivors of an earlier run again")
    parser.add_argument("--out", type=Path, default=CACHE / "verdicts.json")
    asked = parser.parse_args()
    if asked.find_judges:
        find_judges(CACHE, workers=asked.workers).save(CACHE / "judges.json")
        return
    mutants = sorted(
        sample(asked.count, asked.only), key=lambda mutant: mutant.order
    )  # a run cut short is a sample too
    if asked.again is not None:
        survived = {tuple(row["key"]) for row in json.loads(asked.again.read_text()) if not row["caught"]}
        mutants = [mutant for mutant in sample(None, None) if mutant.key in survived]
    begin = time.monotonic()
    verdicts = judge_all(mutants, Judges.load(CACHE / "judges.json"), asked.workers, asked.out)
    print(summary(verdicts))
    print(f"{len(verdicts)} mutants in {(time.monotonic() - begin) / 60:.0f} minutes")
    sys.exit(not all(verdict.caught or verdict.key in explained() for verdict in verdicts))


if __name__ == "__main__":
    main()
