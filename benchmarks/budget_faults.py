"""What happens to a budget when things go wrong, counted: crowds, kills at every line, dying servers, damaged files.

    python -m benchmarks.budget_faults [--processes 200] [--only crowd,lines,…]

Every fault is followed by the same question: does the ledger hold every charge that was answered, and at most one more
for each that was not? The figures of docs/budget.md come from here.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import pwd
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import quote

from oracledp.errors import BudgetExceeded, OracleDPError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger

ONE = Guarantee(epsilon=Fraction(1, 1000), neighbours=Neighbours.DEFAULT, proof="noise")
FORK = multiprocessing.get_context("fork")
Place = str | Path


# ---- a server of our own -------------------------------------------------------------------------------
class Server:
    """PostgreSQL on a private socket, which can be made to crash."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder, self.programs = folder, programs
        self.servant: dict[str, Any] = {}
        if os.getuid() == 0:  # it refuses to run as root
            known = {entry.pw_name: entry for entry in pwd.getpwall()}
            entry = known.get("postgres") or known["nobody"]
            self.servant = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
            os.chown(folder, entry.pw_uid, entry.pw_gid)
        options = ["--auth=trust", "--username=tester", "--encoding=UTF8", "--locale=C"]
        self._run(programs / "initdb", "-D", folder / "data", *options)
        self.start()

    def _run(self, *command: Any) -> None:
        subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.DEVNULL, **self.servant)

    def start(self) -> None:
        """Start, and wait for it."""
        flags = f"-c listen_addresses= -c unix_socket_directories={self.folder} -c max_connections=400"
        self._run(
            self.programs / "pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-o", flags, "-w", "start"
        )

    def stop(self, how: str = "immediate") -> None:
        """An immediate stop is a crash: the server recovers from its log at the next start."""
        self._run(self.programs / "pg_ctl", "-D", self.folder / "data", "-m", how, "-w", "stop")

    def ledger(self, name: str) -> str:
        """The address of a ledger."""
        return f"postgresql://tester@/postgres?host={quote(str(self.folder), safe='')}&ledger={name}"


@contextmanager
def server() -> Iterator[Server | None]:
    """A server, or None where PostgreSQL is not installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    programs = (
        [Path(found).resolve().parent] if found else [folder for folder in folders if (folder / "initdb").exists()]
    )
    if not programs:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="oracledp-faults-"))
    try:
        running = Server(folder, programs[0])
        try:
            yield running
        finally:
            with suppress(subprocess.CalledProcessError):
                running.stop()
    finally:
        shutil.rmtree(folder)


# ---- processes -----------------------------------------------------------------------------------------
def in_processes(count: int, work: Callable[[Any], None], meanwhile: Callable[[], None] = lambda: None) -> list[str]:
    """Everything that so many processes said, each on a pipe of its own, however they ended."""
    pipes, processes = [], []
    for _ in range(count):
        reader, writer = FORK.Pipe(duplex=False)
        process = FORK.Process(target=_alone, args=(work, reader, writer))
        process.start()
        writer.close()
        pipes.append(reader)
        processes.append(process)
    meanwhile()
    said: list[str] = []
    for reader, process in zip(pipes, processes, strict=True):
        with suppress(EOFError):
            while True:
                said.append(reader.recv())
        process.join()
    return said


def _alone(work: Callable[[Any], None], reader: Any, writer: Any) -> None:
    reader.close()
    work(writer)
    os._exit(0)


def until_refused(place: Place) -> Callable[[Any], None]:
    """Charge until the budget is spent, and say of each charge what was answered."""

    def work(pipe: Any) -> None:
        ledger = Ledger.at(place)
        while True:
            try:
                ledger.charge(ONE, "x")
            except BudgetExceeded:
                pipe.send("spent")
                return
            except OracleDPError as error:
                pipe.send("failed" if "nothing is sampled" in str(error) or "reached" in str(error) else "ODD")
                time.sleep(0.05)
            else:
                pipe.send("charged")

    return work


def crowd(place: Place, processes: int) -> dict[str, Any]:
    """More processes than budget, all at once."""
    ledger = Ledger.create(place, epsilon=Fraction(2 * processes, 1000))
    began = time.perf_counter()
    said = Counter(in_processes(processes, until_refused(place)))
    right = said["charged"] == 2 * processes == ledger.verify() and ledger.remaining[0] == 0
    return {**said, "entries": ledger.verify(), "seconds": round(time.perf_counter() - began, 1), "right": right}


# ---- kill -9 at every line ------------------------------------------------------------------------------
def at_every_line(place_of: Callable[[int], Place]) -> dict[str, Any]:
    """The second charge of a ledger in a process that kills itself before its n-th line of ledger code, for every n."""
    counts: Counter[str] = Counter()
    line, ended = 0, False
    while not ended:
        line += 1
        place = place_of(line)
        ledger = Ledger.create(place, epsilon=100)
        ledger.charge(ONE, "x")
        before = ledger.verify()
        said = in_processes(1, _charge_and_die(place, line))
        gained = ledger.verify() - before
        ended = "released" in said
        counts["kills"] += not ended
        counts["charged, not answered"] += gained == 1 and not ended
        counts["not charged"] += gained == 0
        counts["WRONG"] += gained not in (0, 1) or (ended and gained != 1)
        ledger.charge(ONE, "x")
    return {**counts, "right": counts["WRONG"] == 0}


def _charge_and_die(place: Place, last: int) -> Callable[[Any], None]:
    def work(pipe: Any) -> None:
        seen = 0

        def trace(frame: Any, event: str, _: Any) -> Any:
            nonlocal seen
            if "ledger" not in frame.f_code.co_filename and "locks" not in frame.f_code.co_filename:
                return None
            if event == "line":
                seen += 1
                if seen == last:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace

        ledger = Ledger.at(place)
        sys.settrace(trace)
        ledger.charge(ONE, "x")
        sys.settrace(None)
        pipe.send("released")

    return work


def at_any_time(place: Place, kills: int) -> dict[str, Any]:
    """A process that charges without end, killed after a random time: also inside the store's own code."""
    ledger = Ledger.create(place, epsilon=100)
    counts: Counter[str] = Counter()
    for _ in range(kills):
        before = ledger.verify()
        reader, writer = FORK.Pipe(duplex=False)
        process = FORK.Process(target=_alone, args=(until_refused(place), reader, writer))
        process.start()
        writer.close()
        time.sleep(random.uniform(0, 0.08))
        process.kill()
        process.join()
        answered = 0
        with suppress(EOFError):
            while True:
                answered += reader.recv() == "charged"
        gained = ledger.verify() - before
        counts["kills"] += 1
        counts["charged, not answered"] += gained - answered
        counts["WRONG"] += not answered <= gained <= answered + 1
    return {**counts, "right": counts["WRONG"] == 0}


def crashes(running: Server, times: int, processes: int) -> dict[str, Any]:
    """Processes charge while the server crashes and comes back."""
    place = running.ledger("crashes")
    ledger = Ledger.create(place, epsilon=Fraction(processes * 40, 1000))

    def restart() -> None:
        for _ in range(times):
            time.sleep(0.5)
            running.stop()
            running.start()

    said = Counter(in_processes(processes, until_refused(place), restart))
    entries = ledger.verify()
    unanswered = entries - said["charged"]
    right = 0 <= unanswered <= said["failed"] and ledger.remaining[0] == 0 and not said["ODD"]
    return {**said, "crashes": times, "charged, not answered": unanswered, "right": right}


# ---- damage --------------------------------------------------------------------------------------------
def full_disk(folder: Path) -> dict[str, Any]:
    """No file may grow beyond a size, for sizes from what the ledger has to four pages more."""
    counts: Counter[str] = Counter()
    for extra in range(0, 4 * 4096 + 1, 512):
        place = folder / f"full-{extra}"
        ledger = Ledger.create(place, epsilon=100)

        def work(pipe: Any, place: Path = place, extra: int = extra) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            most = place.stat().st_size + extra
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            for _ in range(60):
                try:
                    Ledger.at(place).charge(ONE, "x")
                except OracleDPError:
                    pipe.send("refused")
                    return
                pipe.send("charged")

        said = Counter(in_processes(1, work))
        counts["disks"] += 1
        counts["refused"] += said["refused"]
        counts["WRONG"] += ledger.verify() != said["charged"]
    return {**counts, "right": counts["WRONG"] == 0}


def small_disk() -> dict[str, Any]:
    """Disks of our own that are truly full: charges until the last page is gone, then room again, then more charges.

    In a name space of its own, where a file system in memory may be mounted; nothing where that is not allowed.
    """
    command = ["unshare", "-rm", sys.executable, "-m", "benchmarks.budget_faults", "--on-small-disks"]
    try:
        return dict(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    except (OSError, subprocess.CalledProcessError):
        return {"not tried": "no file system can be mounted here", "right": True}


def on_small_disks() -> dict[str, Any]:
    """Inside that name space: a witness and a ledger on disks of 48 to 96 KiB, with a file that is taken away later."""
    counts: Counter[str] = Counter()
    for size in range(48, 97, 4):
        place = Path(tempfile.mkdtemp())
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", place], check=True)
        ledger = Ledger.create(place / "ledger", epsilon=100, witness=place / "witness")
        (place / "other").write_bytes(bytes(8192))
        answered = _until_full(ledger)
        counts["disks"] += 1
        counts["refused"] += 1
        counts["WRONG"] += not answered <= ledger.verify() <= answered + 1
        counts["charged, not answered"] += ledger.verify() - answered
        before = ledger.verify()
        (place / "other").unlink()  # room again
        ledger.charge(ONE, "x")
        counts["WRONG"] += ledger.verify() != before + 1
        subprocess.run(["umount", place], check=True)
        place.rmdir()
    return {**counts, "right": counts["WRONG"] == 0}


def _until_full(ledger: Ledger) -> int:
    answered = 0
    while True:
        try:
            ledger.charge(ONE, "x")
        except OracleDPError:
            return answered
        answered += 1


def damage(folder: Path) -> dict[str, Any]:
    """Cut, flipped, edited, deleted, swapped, put back: each must be refused, or leave every charge in its place."""
    place, witness = folder / "whole", folder / "witness"
    ledger = Ledger.create(place, epsilon=1, witness=witness)
    copies = []
    for _ in range(20):
        copies.append(place.read_bytes())
        ledger.charge(ONE, "x")
    whole, counts = place.read_bytes(), Counter[str]()

    def look(kind: str) -> None:
        try:
            same = ledger.spent[0] == 20 * ONE.epsilon and ledger.budget[0] == 1
            counts[f"{kind}: unharmed"] += same
            counts["UN-SPENT"] += not same
        except OracleDPError:
            counts[f"{kind}: refused"] += 1

    for size in range(0, len(whole), 64):
        place.write_bytes(whole[:size])
        look("cut")
    draw = random.Random(3)
    for _ in range(2000):
        flipped = bytearray(whole)
        flipped[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        place.write_bytes(flipped)
        look("bit flipped")
    for copy in copies:
        place.write_bytes(copy)
        look("rolled back")
    for number in range(21):
        for kind, change in {
            "deleted": "DELETE FROM entries WHERE number = {n}",
            "deleted and closed up": "DELETE FROM entries WHERE number = {n}; "
            "UPDATE entries SET number = number - 1 WHERE number > {n}",
            "edited": "UPDATE entries SET body = replace(body, '1/1000', '1/9000') WHERE number = {n} AND number > 0",
        }.items():
            place.write_bytes(whole)
            with sqlite3.connect(place) as database:
                database.executescript("DROP TRIGGER no_change; DROP TRIGGER no_refund; " + change.format(n=number))
            database.close()
            if number or kind != "edited":
                look(kind)
    return {**counts, "right": counts["UN-SPENT"] == 0}


def main() -> None:
    """Every fault, one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=200)
    parser.add_argument("--only", default="")
    parser.add_argument("--on-small-disks", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.on_small_disks:
        print(json.dumps(on_small_disks()))
        return
    wanted = set(filter(None, asked.only.split(",")))
    with tempfile.TemporaryDirectory() as name, server() as running:
        folder = Path(name)
        faults: dict[str, Callable[[], dict[str, Any]]] = {
            "crowd, file": lambda: crowd(folder / "crowd", asked.processes),
            "kill at every line, file": lambda: at_every_line(lambda line: folder / f"line-{line}"),
            "kill at any time, file": lambda: at_any_time(folder / "kills", 200),
            "full disk": lambda: full_disk(folder),
            "full disk, a file system of its own": small_disk,
            "damage": lambda: damage(folder),
        }
        if running is not None:
            faults |= {
                "crowd, server": lambda: crowd(running.ledger("crowd"), asked.processes),
                "kill at every line, server": lambda: at_every_line(lambda line: running.ledger(f"line-{line}")),
                "kill at any time, server": lambda: at_any_time(running.ledger("kills"), 200),
                "server crashes": lambda: crashes(running, 10, 20),
            }
        for title, fault in faults.items():
            if not wanted or any(word in title for word in wanted):
                print(json.dumps({"fault": title, **fault()}), flush=True)


if __name__ == "__main__":
    main()
