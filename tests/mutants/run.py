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
import json
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from math import inf
from pathlib import Path
from queue import Queue

sys.path.insert(0, str(Path(__file__).parent))
from importers import Importers
from judges import Judges, collected, find_judges
from privacy_path import ROOT, SOURCE, component, privacy_path
from worker import Experience, Mutant, Verdict, Worker, mutants_of

CACHE = ROOT / "build" / "mutants"
EQUIVALENT = Path(__file__).with_name("equivalent.json")


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
    gone = {key for key in explained() if not key[0].startswith("_core")}  # those are mutants of core.py
    gone -= {mutant.key for mutant in sample(None, None)}
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
