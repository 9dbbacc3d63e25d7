"""CORELS as its own repository builds it: the Python package does not build on a current stack, the program does."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.engine.labelled import Bits, Flags

MOST_NODES = 10**9


def corels_command() -> str | None:
    """The program, as ``$CORELS`` or ``corels`` on the path; none if it is not there."""
    return os.environ.get("CORELS") or shutil.which("corels")


def minority(features: Bits, label: Flags) -> Flags:
    """The rows that every list over the features has wrong: those of the rarer label among equal rows.

    >>> minority(np.array([[0], [0], [0], [1]], dtype=np.uint8), np.array([True, True, False, True])).tolist()
    [False, False, True, False]
    """
    group = np.unique(features, axis=0, return_inverse=True)[1].ravel()
    ones, rows = np.bincount(group, label)[group], np.bincount(group)[group]
    return np.where(2 * ones <= rows, label, ~label)


def run_corels(features: Bits, label: Flags, per_thousand: int, limit: float) -> tuple[float, float, int] | None:
    """CPU seconds, objective and rules of one run with all its bounds, best bound first; None if it was stopped."""
    rare = minority(features, label)
    order = np.argsort(~rare, kind="stable")  # it loses rows without a mark at the start of that file
    both = np.concatenate([features, 1 - features], axis=1)[order]
    columns = {
        "out": {f"x{place}:1": column for place, column in enumerate(both.T)},
        "label": {"label:0": ~label[order], "label:1": label[order]},
        "minor": {"minor:1": rare[order]},
    }
    with tempfile.TemporaryDirectory() as folder:
        for ending, named in columns.items():
            lines = (f"{{{name}}} {' '.join(map(str, bits.astype(int)))}\n" for name, bits in named.items())
            (Path(folder) / f"table.{ending}").write_text("".join(lines))
        (Path(folder) / "logs").mkdir()
        work = Path(folder) / "work"
        work.mkdir()
        options = ["-r", str(per_thousand / 1000), "-n", str(MOST_NODES), "-c", "2", "-p", "1", "-v", "progress"]
        files = [f"../table.{ending}" for ending in columns]
        seconds = int(np.ceil(limit))
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [str(corels_command()), *options, *files],
            cwd=work,
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1)),
        )
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        return None
    found = re.search(r"minimum objective: ([\d.]+)", done.stdout)
    spent = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    return spent, float(found[1]) if found else float("nan"), done.stdout.count(" then (")
