"""The console when things go wrong, counted: its server killed at every point of a job, and fifty analysts at once.

    python -m benchmarks.console_faults [--rounds 2] [--analysts 50]

A kill (-9) takes the server alone, whose run may live on, or the run as well, as if the machine had died. After every
kill the server is started again, and each job must be one of: done, verified, delivered and charged once; or not done,
with at most its own charge. Every wait is bounded.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import ProxyHandler, Request, build_opener

from oracledp.errors import OracleDPError
from oracledp.privacy.cards import Card
from oracledp.service.store import Console

SERVE = [sys.executable, "-c", "from oracledp.cli import main; main()", "serve"]
SCHEMA = (
    "columns: {smoker: {kind: boolean}, age: {kind: integer, lo: 0, hi: 99, thresholds: [40]}, ill: {kind: boolean}}"
)
ENDED = ("done", "refused", "over budget", "nothing released", "failed", "lost", "cancelled")
KINDS: dict[str, tuple[str, dict[str, str]]] = {
    "scoring card": ("learn", {"target": "ill", "epsilon": "0.01"}),
    "tree": ("learn", {"target": "ill", "epsilon": "0.01", "model": "tree", "size": "2"}),
    "synthetic table": ("synth", {"epsilon": "0.01", "delta": "1e-9", "rows": "100"}),
}
POINTS = ("asked for", "begun", "charged", "first file", "card written")
LONGEST = 300.0  # seconds of waiting for anything
_LOCAL = build_opener(ProxyHandler({}))


def call(site: str, token: str, place: str, body: dict[str, Any] | None = None) -> Any:
    """One call of the REST interface."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with _LOCAL.open(Request(site + place, data, headers), timeout=LONGEST) as answer:
        return json.load(answer)


def until(ready: Callable[[], Any], what: str, pause: float = 0.02) -> Any:
    """Wait for something, at most so long."""
    last = time.monotonic() + LONGEST
    while time.monotonic() < last:
        if found := ready():
            return found
        time.sleep(pause)
    raise TimeoutError(f"waited {LONGEST:g} seconds for {what}")


class Server:
    """A server of a console on a free port."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [*SERVE, str(folder), "--port", str(self.port), "--answer-every", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        self.site = f"http://127.0.0.1:{self.port}"
        until(self._answers, "a server")

    def _answers(self) -> bool:
        if self.process.poll() is not None:
            raise RuntimeError("the server ended by itself")
        with suppress(URLError, OSError):
            _LOCAL.open(f"{self.site}/sign-in", timeout=LONGEST).close()
            return True
        return False

    def runs(self) -> list[int]:
        """The processes of its jobs."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(child) for task in tasks for child in task.read_text().split()]

    def kill(self, *, runs: bool) -> None:
        """Kill it at once, with its runs or without."""
        doomed = [self.process.pid, *(self.runs() if runs else [])]
        for process in doomed:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End it as an operator does."""
        with suppress(ProcessLookupError):
            self.process.terminate()
        self.process.wait(timeout=LONGEST)


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    """A server that ends with the block."""
    server = Server(folder)
    try:
        yield server
    finally:
        server.stop()


def console_of(folder: Path) -> tuple[Console, str]:
    """A console with one data set and one analyst."""
    rows = "".join(f"{i % 2},{i % 97},{int(i % 97 >= 60)}\n" for i in range(2000))
    (folder / "visits.csv").write_text("smoker,age,ill\n" + rows)
    made = Console(folder / "console")
    made.register("visits", str(folder / "visits.csv"), SCHEMA, epsilon="50", delta="1e-3", accountant="plain")
    return made, made.add_person("ada", "analyst")


def reached(console: Console, server: Server, job: str, point: str, before: int) -> bool:
    """Whether a job has come so far, or ended, since a fast one may pass a point between two looks."""
    folder = console.folder / "releases" / job
    state = {
        "asked for": lambda: True,
        "begun": lambda: bool(server.runs()),
        "charged": lambda: len(console.ledger("visits").charges) > before,
        "first file": lambda: any((folder / name).exists() for name in ("rule.json", "synthetic.csv")),
        "card written": lambda: (folder / "card.json").exists(),
    }
    return state[point]() or console.job(job).status in ENDED


def wrong(console: Console, job: str, before: int) -> str:
    """What must never be, of one job that has ended: charged twice, released unpaid, done and not verified."""
    folder, ledger, found = console.folder / "releases" / job, console.ledger("visits"), console.job(job)
    charged = len(ledger.charges) - before
    files = [name for name in ("rule.json", "synthetic.csv", "model.json", "report.html") if (folder / name).exists()]
    if charged not in (0, 1):
        return f"charged {charged} times"
    if files and not charged:
        return "released without a charge"
    if found.status == "done":
        try:
            Card.load(folder / "card.json").check(folder, ledger=ledger)
        except OracleDPError as error:
            return f"done, but {error}"
    return ""


def kills(folder: Path, kinds: tuple[str, ...], points: tuple[str, ...], rounds: int) -> dict[str, Any]:
    """Every kind of job, killed at every point, once with its run and once without, so many times."""
    console, token = console_of(folder)
    outcomes: Counter[str] = Counter()
    errors: list[str] = []
    unanswered = 0
    server = Server(console.folder)
    cases = [(kind, point, runs) for kind in kinds for point in points for runs in (False, True)] * rounds
    for kind, point, runs in cases:
        before = len(console.ledger("visits").charges)
        name, options = KINDS[kind]
        job = call(server.site, token, "/api/jobs", {"dataset": "visits", "kind": name, "options": options})["id"]
        until(partial(reached, console, server, job, point, before), point, 0.005)
        left = [] if runs else server.runs()
        server.kill(runs=runs)
        until(partial(_over, left), "a run that outlives its server")
        server = Server(console.folder)
        until(partial(_ended, console, job), "the job's end")
        time.sleep(0.5)  # for a lost job whose run has ended: it becomes done
        found = console.job(job).status
        outcomes[f"{found}, {'charged' if len(console.ledger('visits').charges) > before else 'not charged'}"] += 1
        unanswered += found != "done" and len(console.ledger("visits").charges) > before
        errors += [f"{kind} at '{point}': {what}"] if (what := wrong(console, job, before)) else []
    server.stop()
    counted = {"kills": len(cases), **dict(sorted(outcomes.items())), "charged, nothing delivered": unanswered}
    return {**counted, "errors": errors, "right": not errors}


def _over(processes: list[int]) -> bool:
    return not any(_alive(process) for process in processes)


def _ended(console: Console, job: str) -> bool:
    return console.job(job).status in ENDED


def _alive(process: int) -> bool:
    """Whether a process runs; one that ended and waits for its parent does not."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def load(folder: Path, analysts: int) -> dict[str, Any]:
    """So many analysts ask at once; how many runs there ever are at a time, and how long asking takes."""
    console, _ = console_of(folder)
    tokens = [console.add_person(f"analyst {number}", "analyst") for number in range(analysts)]
    waits: list[float] = []
    most = 0

    def ask(site: str, token: str, number: int) -> None:
        began = time.perf_counter()
        name, options = list(KINDS.values())[number % len(KINDS)]
        call(site, token, "/api/jobs", {"dataset": "visits", "kind": name, "options": options})
        waits.append(time.perf_counter() - began)

    with served(console.folder) as server:
        threads = [
            threading.Thread(target=ask, args=(server.site, token, number)) for number, token in enumerate(tokens)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONGEST)
        last = time.monotonic() + LONGEST + 20 * analysts
        while time.monotonic() < last and (console.jobs("queued") or console.jobs("running")):
            most = max(most, len(console.jobs("running")))
            time.sleep(0.1)
    statuses = Counter(job.status for job in console.jobs())
    ledger = console.ledger("visits")
    verified = sum(
        job.status == "done" and not wrong(console, job.id, len(ledger.charges) - 1) for job in console.jobs()
    )
    right = statuses["done"] == verified == analysts == len(ledger.charges) == len(ledger.delivered) and most <= 2
    answered = sorted(waits)
    times = {"median answer": answered[len(answered) // 2], "slowest answer": answered[-1]}
    counted = {**statuses, "verified": verified, "charges": len(ledger.charges), "runs at once": most}
    return {**counted, **{name: round(seconds, 2) for name, seconds in times.items()}, "right": right}


def main() -> None:
    """Both, one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--analysts", type=int, default=50)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        killed = kills(Path(name), tuple(KINDS), POINTS, asked.rounds) if asked.rounds else {}
        print(json.dumps({"fault": "server killed", **killed}), flush=True)
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps({"fault": "load", **load(Path(name), asked.analysts)}), flush=True)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps({"CPU seconds": round(sum(one.ru_utime + one.ru_stime for one in used))}))


if __name__ == "__main__":
    main()
