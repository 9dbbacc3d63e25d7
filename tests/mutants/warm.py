"""A process that has imported what never changes, and forks one child per run of tests.

Importing numpy, pandas, scikit-learn and pytest takes longer than most judges do. The child writes down which test it
begins and which one fails; whoever waits for it ends a test that works far longer than it ever did.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any

from effort import Effort

NEVER_CHANGES = (
    "numpy", "numpy.testing", "pandas", "scipy.stats", "scipy.optimize", "sklearn.base",
    "sklearn.utils.estimator_checks", "hypothesis", "hypothesis.strategies", "pytest", "sqlite3", "decimal",
    "narwhals", "duckdb", "mpmath", "click", "click.testing", "yaml", "joblib", "cloudpickle", "sklearn.metrics",
    "sklearn.linear_model", "pyarrow", "_pytest.doctest",
)  # fmt: skip
MOST_MEMORY = 12 << 30  # bytes of address space: a mutant that asks for more fails
BEGIN = 60.0  # seconds of work until the first test begins, and between tests
OPTIONS = (
    "-x", "-q", "-p", "no:cacheprovider", "-p", "no:unraisableexception",
    "-W", "ignore::pytest.PytestAssertRewriteWarning",
)  # fmt: skip


@dataclass
class Warm:
    """The process, from outside."""

    process: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        threads = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")}
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **threads, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        )  # fmt: skip

    def first_failure(
        self, folder: Path, tests: list[str], limits: dict[str, float], most: float = inf
    ) -> tuple[str, float]:
        """The first test that fails, or "no end: ..."; nothing if all pass within ``most`` seconds of work.

        With the seconds of the processor that it took. ``limits`` are those of single tests.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([str(folder), tests, limits, most]), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("the process that runs the tests has died")
        by, worked = json.loads(answer)
        return str(by), float(worked)


class Teller:
    """A pytest plugin that tells which test begins and which one fails."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe

    def tell(self, mark: str, test: str) -> None:
        os.write(self.pipe, f"{mark}{test}\n".encode())

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.tell(">", nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.tell("!", report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.tell("<", nodeid)


def child(folder: str, tests: list[str], pipe: int) -> int:
    """Run the tests of a folder; everything they print is thrown away."""
    os.setsid()
    with suppress(OSError, AttributeError):  # Linux: end with the process that watches, whatever ends it
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.chdir(folder)
    os.environ["PYTHONPATH"] = f"{folder}/src"
    sys.path[:] = [f"{folder}/src", *(entry for entry in sys.path if Path(entry) != Path(__file__).parent)]
    import pytest

    return int(pytest.main([*OPTIONS, f"--basetemp={folder}/scratch", *tests], plugins=[Teller(pipe)]))


def watch(pid: int, pipe: int, limits: dict[str, float], most: float) -> str:
    """What became of a child: it is ended when it, or one test, works too long."""
    heard, running, failed = b"", "", ""
    effort, limit = Effort(pid), BEGIN
    while True:
        ready, _, _ = select.select([pipe], [], [], 1.0)
        if not ready:
            if effort.look() > limit:
                return f"no end: {running}"
            if effort.worked > most:
                return ""
            continue
        piece = os.read(pipe, 65536)
        if not piece:
            break
        *lines, heard = (heard + piece).split(b"\n")
        for line in lines:
            mark, test = chr(line[0]), line[1:].decode()
            running = test if mark == ">" else ""
            failed = failed or (test if mark == "!" else "")
            limit = limits.get(test, BEGIN) if mark == ">" else BEGIN
            effort.begin()
        if not failed and effort.worked > most:
            return ""
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return failed or ("" if code == 0 else f"exit code {code}{running and ': ' + running}")


def run(folder: str, tests: list[str], limits: dict[str, float], most: float) -> tuple[str, float]:
    """Fork, watch, and leave nothing behind."""
    before = _worked()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            os.close(reading)
            code = child(folder, tests, writing)
        finally:
            os._exit(code)
    os.close(writing)
    try:
        found = watch(pid, reading, limits, most)
    finally:
        os.close(reading)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
    return found, _worked() - before


def _worked() -> float:
    """Processor seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def serve() -> None:
    """Answer requests, one line each, until there are no more."""
    for name in NEVER_CHANGES:
        with suppress(ImportError):
            import_module(name)
    for line in sys.stdin:
        print(json.dumps(run(*json.loads(line))), flush=True)


if __name__ == "__main__":
    serve()
