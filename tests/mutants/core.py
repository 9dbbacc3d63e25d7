"""The same for the compiled core: one comparison, sign or constant is changed, and the core built again.

    python tests/mutants/core.py --count 60

Every mutant is one file compiled again without optimisation and linked with the others.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from math import ceil, inf
from pathlib import Path
from queue import Queue

sys.path.insert(0, str(Path(__file__).parent))
from operators import Change
from privacy_path import ROOT, SOURCE
from run import CACHE, explained, summary
from worker import Experience, Key, Verdict, Worker

SWAPS = {
    " < ": (" <= ", " > "), " <= ": (" < ",), " > ": (" >= ",), " >= ": (" > ",), " == ": (" != ",), " != ": (" == ",),
    " + 1": (" + 2",), " - 1": ("",), " && ": (" || ",), " || ": (" && ",), " += ": (" -= ",), " -= ": (" += ",),
    "++": ("--",), " - ": (" + ",), " * ": (" + ",), " << ": (" >> ",), " >> ": (" << ",), "std::min": ("std::max",),
    "std::max": ("std::min",), "break;": (";",), "continue;": (";",),
}  # fmt: skip
JUDGES = {  # what runs a file's code, quickest first
    "sampling/noise": "unit/noise statistical/samplers",
    "sampling/selection": "unit/selection unit/noise statistical/samplers",
    "sampling/partition": "unit/partition unit/prsma_runs statistical/prsma_statistics",
    "trees/score_tree": "property/engine_halfspaces audit/broken_trees",
    "trees/score_table": "property/engine_halfspaces audit/broken_trees",
    "trees/support_scan": "property/engine_sampler property/engine_halfspaces property/engine_decision_lists",
    "trees/support_search": "property/engine_halfspaces property/engine_decision_lists",
    "subsets/subset_forest": "property/engine_tree unit/tree_sampler statistical/tree_sampler_law",
    "subsets/subset_table": "property/engine_transforms property/transforms",
    "subsets/conjunction_index": "property/engine_subsets property/engine_limits",
    "parities/parity_forest": "property/engine_parity_sampler unit/tree_sampler",
    "parities/parity_sums": "property/engine_parities property/engine_parity_sampler",
    "sampling/support_forest": "property/engine_sampler audit/broken_trees statistical/support_sampler_law",
    "halfspaces/halfspace_sampler": "property/engine_sampler audit/broken_trees statistical/support_sampler_law",
    "lists/list_sampler": "property/engine_sampler audit/broken_trees statistical/support_sampler_law",
    "rows/row_merger": "property/merging property/engine_subsets property/engine_limits",
    "rows/bit_rows": "property/packed_records property/merging property/engine_subsets",
    "rows/equal_runs": "property/packed_records property/merging",
    "rows/row_table": "property/merging property/engine_subsets property/engine_parities",
    "rows/cover_sums": "property/engine_parities property/engine_subsets property/engine_long_lists",
    "rows/pair_cells": "unit/synthesis_fit",
    "rows/cell_index": "property/engine_subsets",
    "rows/cell_list": "property/engine_subsets",
    "subsets/cell_solver": "property/engine_subsets property/certificates",
    "subsets/cell_list_solver": "property/engine_subsets property/certificates",
    "subsets/subset_screen": "property/engine_limits property/transforms",
    "subsets/conjunction_search": "property/engine_subsets property/engine_limits",
    "checking/proof_checker": "property/certificates property/engine_subsets",
    "checking/weighted_rows": "property/certificates property/engine_subsets",
    "halfspaces/halfspace_search": "property/engine_halfspaces property/engine_limits",
    "lists/list_search": "property/engine_decision_lists property/engine_limits",
    "lists/list_problem": "property/engine_decision_lists property/engine_sampler",
    "lists/list_rows": "property/engine_long_lists property/engine_decision_lists",
    "lists/mask_solver": "property/engine_decision_lists property/engine_limits",
    "lists/subcube_solver": "property/engine_decision_lists property/engine_limits",
    "lists/prefix_costs": "property/engine_long_lists",
    "lists/prefix_search": "property/engine_long_lists",
    "dual/dual_search": "property/engine_dual game/game_dual_oracle",
    "decision_trees/label_counts": "unit/decision_trees",
    "decision_trees/perfect_tree": "unit/perfect_trees",
    "decision_trees/tree_search": "unit/decision_trees",
    "decision_trees/tree_weights": "unit/decision_trees",
}  # fmt: skip


def changes(source: str) -> list[Change]:
    """Every swap of one token outside comments, strings and includes, in a fixed order that prefers none."""
    found, start = [], 0
    for number, line in enumerate(source.splitlines(keepends=True), 1):
        code = re.sub(r'"(\\.|[^"\\])*"', lambda text: " " * len(text[0]), line.split("//")[0])
        if not code.lstrip().startswith(("#", "*", "/*", "template")):
            for token, others in SWAPS.items():
                for place in re.finditer(re.escape(token), code):
                    for text in others:
                        at = start + place.start()
                        found.append(Change(number, at, at + len(token), text, f"{token.strip()} -> {text.strip()}"))
        start += len(line)
    return sorted(
        found, key=lambda c: hashlib.sha256(f"{c.start}|{c.text}|{source[c.start - 40 : c.end]}".encode()).hexdigest()
    )


def key_of(path: Path, change: Change) -> Key:
    """What identifies a mutant: its file, line of code, operator, new text; a number where there are several such."""
    source = path.read_text()
    lines = [line.strip() for line in source.splitlines()]
    kind = (lines[change.line - 1], change.operator, change.text)
    alike = sorted(c.start for c in changes(source) if (lines[c.line - 1], c.operator, c.text) == kind)
    number = alike.index(change.start)
    return str(path.relative_to(SOURCE)), *kind[:2], f"{change.text} #{number + 1}" if number else change.text


def _name(source: Path) -> str:
    """A source by its room and stem, as in ``JUDGES``."""
    return f"{source.parent.name}/{source.stem}"


def judges_of(path: Path) -> list[str]:
    """The files of tests that run a source's code."""
    parted = (judge.partition("/") for judge in JUDGES[_name(path)].split())
    return [f"tests/{suite}/test_{name}.py" for suite, _, name in parted]


class CoreWorker(Worker):
    """A copy of the project whose core is compiled file by file."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, Experience())
        self.core, self.objects = folder / "src/oracledp/_core", folder / "objects"
        self.objects.mkdir()
        for source in sorted(self.core.rglob("*.cpp")):
            self.compile(source)
        self.link()

    def output(self, source: Path) -> Path:
        """Where a source's object is."""
        return self.objects / f"{source.parent.name}-{source.stem}.o"

    def compile(self, source: Path) -> None:
        """One object, without optimisation."""
        import pybind11

        include = [f"-I{path}" for path in (self.core, sysconfig.get_path("include"), pybind11.get_include())]
        output = self.output(source)
        flags = ["-std=c++17", "-O0", "-fPIC", "-fvisibility=hidden", "-w"]
        subprocess.run(["c++", *flags, *include, "-c", str(source), "-o", str(output)], check=True, capture_output=True)

    def link(self) -> None:
        """The module, in place of the one that was there."""
        target = next(iter((self.folder / "src/oracledp").glob("_engine*.so")))
        objects = [str(path) for path in sorted(self.objects.glob("*.o"))]
        subprocess.run(["c++", "-shared", *objects, "-o", str(target)], check=True, capture_output=True)

    def judge_change(self, path: Path, change: Change) -> Verdict:
        """What becomes of a change; a test that fails without it too judges nobody."""
        key, begin, self.worked = key_of(path, change), time.monotonic(), 0.0
        by = "" if key in explained() else self.caught_by(path, change)
        while by and not self._sound(by, {}):
            by = self.caught_by(path, change)
        name, file = f"{path.name}:{change.line} {change.operator}: {key[1][:60]}", str(path.relative_to(ROOT))
        seconds, worked = round(time.monotonic() - begin, 1), round(self.worked, 1)
        return Verdict(name, file, change.line, change.operator, by != "", by, seconds, key, worked)

    def caught_by(self, path: Path, change: Change) -> str:
        """Compile the changed file, run its judges, put everything back."""
        target = self.folder / path.relative_to(ROOT)
        original, compiled = target.read_text(), self.output(target)
        kept = compiled.read_bytes()
        target.write_text(change.apply(original))
        try:
            self.compile(target)
            self.link()
            return self.first_of(judges_of(path), {})
        except subprocess.CalledProcessError:
            return "the compiler"
        finally:
            target.write_text(original)
            compiled.write_bytes(kept)
            self.link()


def main() -> None:
    """Judge a fixed sample of every file's mutants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--only")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=CACHE / "core.json", help="a run that was stopped goes on there")
    parser.add_argument("--most", type=float, default=inf, help="seconds of work of all judges of a mutant")
    asked = parser.parse_args()
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(CACHE / "hypothesis"))
    names = [name for name in JUDGES if asked.only is None or asked.only in name]
    each = max(1, ceil(asked.count / len(names)))
    paths = [SOURCE / "_core" / f"{name}.cpp" for name in names]
    found = {path: changes(path.read_text())[:each] for path in paths}
    jobs = [(path, found[path][turn]) for turn in range(each) for path in paths if turn < len(found[path])]
    rows = json.loads(asked.out.read_text()) if asked.out.exists() else []
    keys = {key_of(*job) for job in jobs}
    verdicts = [verdict for verdict in map(Verdict.read, rows) if verdict.key in keys]
    judged = {verdict.key for verdict in verdicts}
    Worker.most = asked.most
    free: Queue[CoreWorker] = Queue()
    for number in range(asked.workers):
        free.put(CoreWorker(CACHE / f"core-{number}"))

    def one(job: tuple[Path, Change]) -> None:
        worker = free.get()
        try:
            verdicts.append(worker.judge_change(*job))
        finally:
            free.put(worker)
        done = verdicts[-1]
        mark = "caught  " if done.caught else "nothing " if done.key in explained() else "SURVIVED"
        print(f"{len(verdicts)}/{len(jobs)} {mark} {done.seconds:6.1f} s  {done.name}  by {done.by[:60]}", flush=True)
        asked.out.write_text(json.dumps([asdict(verdict) for verdict in verdicts], indent=1))

    with ThreadPoolExecutor(asked.workers) as pool:
        list(pool.map(one, (job for job in jobs if key_of(*job) not in judged)))
    print(summary(verdicts))
    print(f"{len(verdicts)} mutants, {sum(verdict.worked for verdict in verdicts) / 60:.0f} minutes of tests")
    sys.exit(not all(verdict.caught or verdict.key in explained() for verdict in verdicts))


if __name__ == "__main__":
    main()
