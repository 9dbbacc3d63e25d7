"""The console when things go wrong, counted: its server killed in the middle of jobs, and fifty analysts at once.

    python -m benchmarks.console_faults [--kills 10] [--analysts 50]

After every kill the server is started again, and each job must be one of: done, verified and charged; or not done, with
at most its own charge.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from oracledp.errors import OracleDPError
from oracledp.privacy.cards import Card
from oracledp.service.store import Console

SERVE = [sys.executable, "-c", "from oracledp.cli import main; main()", "serve"]
SCHEMA = (
    "columns: {smoker: {kind: boolean}, age: {kind: integer, lo: 0, hi: 99, thresholds: [40]}, ill: {kind: boolean}}"
)
ENDED = ("done", "refused", "over budget", "nothing released", "failed", "lost", "cancelled")
WANTED = {"learn": {"target": "ill", "epsilon": "0.01"}, "synth": {"epsilon": "0.01", "delta": "1e-9", "rows": "100"}}


def call(site: str, token: str, place: str, body: dict[str, Any] | None = None) -> Any:
    """One call of the REST interface."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urlopen(Request(site + place, data, headers), timeout=120) as answer:
        return json.load(answer)


@contextmanager
def running(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server on a free port, killed at the end if it still runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [*SERVE, str(folder), "--port", str(port), "--answer-every", "0"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", server
    finally:
        with suppress(OSError):
            os.kill(server.pid, signal.SIGTERM)
        server.wait()


def console_of(folder: Path) -> tuple[Console, str]:
    """A console with one data set and one analyst."""
    rows = "".join(f"{i % 2},{i % 97},{int(i % 97 >= 60)}\n" for i in range(2000))
    (folder / "visits.csv").write_text("smoker,age,ill\n" + rows)
    made = Console(folder / "console")
    made.register("visits", str(folder / "visits.csv"), SCHEMA, epsilon="50", delta="1e-3", accountant="plain")
    return made, made.add_person("ada", "analyst")


def settled(site: str, token: str, jobs: list[str]) -> list[dict[str, Any]]:
    """What became of jobs, once all have ended."""
    while True:
        found = [call(site, token, f"/api/jobs/{job}") for job in jobs]
        if all(one["status"] in ENDED for one in found):
            return found
        time.sleep(0.3)


def kills(folder: Path, count: int) -> dict[str, Any]:
    """The server is killed some time after a job was asked for, later each time; both kinds of job."""
    console, token = console_of(folder)
    counts: Counter[str] = Counter()
    released = 0
    for number in range(count):
        kind = ("learn", "synth")[number % 2]
        with running(console.folder) as (site, server):
            job = call(site, token, "/api/jobs", {"dataset": "visits", "kind": kind, "options": WANTED[kind]})["id"]
            time.sleep(0.4 * number)
            os.kill(server.pid, signal.SIGKILL)
            server.wait()
        time.sleep(10)  # a run may outlive its server
        with running(console.folder) as (site, _):
            time.sleep(1)
            (found,) = settled(site, token, [job])
        counts[found["status"]] += 1
        release = console.folder / "releases" / job
        released += any((release / name).exists() for name in ("rule.json", "synthetic.csv"))
        try:
            if found["status"] == "done":
                Card.load(release / "card.json").check(release, ledger=console.ledger("visits"))
        except OracleDPError:
            counts["WRONG"] += 1
    charged = len(console.ledger("visits").charges)
    right = released <= charged <= count and counts["WRONG"] == 0
    return {**counts, "kills": count, "released": released, "charges": charged, "right": right}


def load(folder: Path, analysts: int) -> dict[str, Any]:
    """So many analysts ask at once; how many runs there ever are at a time, and how long asking takes."""
    console, _ = console_of(folder)
    tokens = [console.add_person(f"analyst {number}", "analyst") for number in range(analysts)]
    jobs: list[str] = []
    waits: list[float] = []
    most = 0
    with running(console.folder) as (site, _):

        def ask(token: str) -> None:
            began = time.perf_counter()
            wanted = {"dataset": "visits", "kind": "learn", "options": WANTED["learn"]}
            jobs.append(call(site, token, "/api/jobs", wanted)["id"])
            waits.append(time.perf_counter() - began)

        threads = [threading.Thread(target=ask, args=(token,)) for token in tokens]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        while left := len(console.jobs("queued")) + len(console.jobs("running")):
            most = max(most, len(console.jobs("running")))
            time.sleep(0.1 if left > 4 else 0.3)
        statuses = Counter(job.status for job in console.jobs())
    seconds, answered = time.perf_counter() - began, sorted(waits)
    right = statuses["done"] == analysts == len(console.ledger("visits").charges) and most <= 2
    times = {"seconds": seconds, "median answer": answered[len(answered) // 2], "slowest answer": answered[-1]}
    return {**statuses, "runs at once": most, **{name: round(t, 2) for name, t in times.items()}, "right": right}


def main() -> None:
    """Both, one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--analysts", type=int, default=50)
    asked = parser.parse_args()
    for title, fault, count in (("server killed", kills, asked.kills), ("load", load, asked.analysts)):
        if count:
            with tempfile.TemporaryDirectory() as name:
                print(json.dumps({"fault": title, **fault(Path(name), count)}), flush=True)


if __name__ == "__main__":
    main()
