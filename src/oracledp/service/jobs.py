"""Releases in the making: each is one run of the command line in a process of its own, queued, watched, cancelled.

What the process prints and refuses is decided by public numbers (docs/threat-model.md), so analysts may see it. A
cancelled run keeps its charge: noise may have been drawn. How long a run takes depends on the data, so its end is
shown at fixed times only.
"""

from __future__ import annotations

import os
import secrets
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import time

from oracledp.errors import OracleDPError, ParameterError
from oracledp.service.people import Person
from oracledp.service.store import Console, Job

RUNNING_AT_ONCE = 2
LONGEST_VALUE = 1000  # characters of an option
MOST_WAITING = 20  # jobs in the queue per person
MOST_WAITING_IN_ALL = 500
MOST_ROWS = 10_000_000  # of a synthetic table: more would fill the disk that budgets are kept on
_PAUSE = 0.2  # seconds between two looks at the queue
_ENDS = {0: "done", 2: "refused", 3: "over budget", 4: "nothing released"}
COMMAND = (sys.executable, "-c", "from oracledp.cli import main; main()")

# The options that an analyst may set, per kind; everything else is the officer's or the console's.
OPTIONS = {
    "learn": ("target", "epsilon", "delta", "model", "size", "purpose"),
    "synth": ("epsilon", "delta", "rows", "purpose"),
}
FILES = {
    "learn": {"out": "rule.json", "report": "report.html"},
    "synth": {"out": "synthetic.csv", "model": "model.json", "report": "report.html"},
}


class Workers:
    """The queue of a console and the processes that empty it."""

    def __init__(self, console: Console, answer_every: float) -> None:
        self.console = console
        self._answer_every = answer_every
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._delivered: dict[str, frozenset[str]] = {}  # by data set, as of the last time that anything was shown
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Settle what an earlier server left behind, then work."""
        for job in self.console.jobs("running"):
            done = self._has_card(job)
            said = "" if done else "the server stopped during this run; its charge stays if it was made"
            self.console.set_status(job.id, "done" if done else "lost", said)
        for known in self.console.datasets():
            self._show_delivered(known.name)
        self._thread.start()

    def delivered(self, dataset: str) -> frozenset[str]:
        """The releases whose files a ledger knows, as far as it may be known that their runs have ended."""
        return self._delivered.get(dataset, frozenset())

    def stop(self) -> None:
        """End every run and the thread that starts them."""
        self._stop.set()
        for process in list(self._processes.values()):
            _end(process)
        self._thread.join(timeout=30)

    def submit(self, person: Person, dataset: str, kind: str, given: dict[str, str]) -> str:
        """Queue a release; what is wrong with its parameters, the run itself says before it charges."""
        if kind not in OPTIONS:
            raise ParameterError(f"a release is one of {', '.join(OPTIONS)}")
        unknown = set(given) - set(OPTIONS[kind])
        if unknown:
            raise ParameterError(f"{sorted(unknown)[0]!r} is not an option of {kind}")
        refuse_long(given)
        _refuse_many_rows(given.get("rows", ""))
        queued = self.console.jobs("queued")
        if sum(job.actor == person.name for job in queued) >= MOST_WAITING:
            raise ParameterError(f"{MOST_WAITING} of your jobs are waiting already")
        if len(queued) >= MOST_WAITING_IN_ALL:
            raise ParameterError(f"{MOST_WAITING_IN_ALL} jobs are waiting already: try again later")
        job_id = secrets.token_hex(8)
        self.console.add_job(job_id, person.name, dataset, kind, {k: v for k, v in given.items() if v != ""})
        return job_id

    def cancel(self, person: Person, job_id: str) -> None:
        """Stop a job of one's own, or any as an officer; a charge that was made stays."""
        job = self.console.job(job_id)
        if job.actor != person.name and not person.may("officer"):
            raise ParameterError("this is somebody else's job")
        if self.console.set_status(job_id, "cancelled", "", only="queued"):
            return
        if self.console.set_status(job_id, "cancelled", "its charge stays if it was made", only="running"):
            process = self._processes.get(job_id)
            if process is not None:
                _end(process)

    def release_folder(self, job: Job) -> Path:
        """Where the files of a job are."""
        return self.console.folder / "releases" / job.id

    def ahead(self, job: Job) -> int:
        """How many jobs are before this one in the queue."""
        return sum(other.made < job.made for other in self.console.jobs("queued"))

    def _has_card(self, job: Job) -> bool:
        """Whether a run wrote its last file."""
        return (self.release_folder(job) / "card.json").exists()

    def command(self, job: Job) -> list[str]:
        """The command line of a job; a value can never become an option, since it is joined to one by '='."""
        own = dict(FILES[job.kind])  # in the folder of the release, where the command runs: its own place tells nothing
        own |= {
            "schema": str(self.console.schema_path(job.dataset)),
            "ledger": str(self.console.ledger(job.dataset).path),
        }
        own |= {"dataset": job.dataset, "actor": job.actor, "card": "card.json"}
        own |= {"sign": str(self.console.key)}
        known = self.console.dataset(job.dataset)
        own |= {} if known.person is None else {"person": known.person, "rows-per-person": str(known.rows_per_person)}
        options = [f"--{name}={value}" for name, value in {**job.parameters, **own}.items()]
        return [*COMMAND, job.kind, *options, "--quiet", "--", known.address]

    def _work(self) -> None:
        answered = time()
        while not self._stop.wait(_PAUSE):
            with suppress(sqlite3.Error, OSError):  # a full disk, no memory: the queue waits, and goes on after it
                if self._answer_every == 0 or time() // self._answer_every != answered // self._answer_every:
                    answered = time()  # only now may anybody see that a run has ended
                    self._answer()
                self._begin_next()

    def _begin_next(self) -> None:
        for job in reversed(self.console.jobs("queued")):
            if len(self._processes) < RUNNING_AT_ONCE and self.console.set_status(job.id, "running", only="queued"):
                try:
                    self._begin(job)
                except (OSError, ValueError, OracleDPError):
                    self.console.set_status(job.id, "failed", "the run could not be started; nothing was charged")

    def _answer(self) -> None:
        """Show which runs have ended, and with what."""
        ended = [job_id for job_id, process in list(self._processes.items()) if process.poll() is not None]
        for job_id in ended:
            self._finish(job_id, self._processes[job_id])
            del self._processes[job_id]
        lost = [job for job in self.console.jobs("lost") if self._has_card(job)]
        for job in lost:  # a run may outlive the server that began it
            self.console.set_status(job.id, "done", "", only="lost")
        for name in {self.console.job(job_id).dataset for job_id in ended} | {job.dataset for job in lost}:
            self._show_delivered(name)

    def _show_delivered(self, dataset: str) -> None:
        with suppress(OracleDPError):  # a ledger that cannot be read says so on its own page
            self._delivered[dataset] = frozenset(self.console.ledger(dataset).delivered)

    def _begin(self, job: Job) -> None:
        folder = self.release_folder(job)
        folder.mkdir(mode=0o700, exist_ok=True)
        with (folder / "said").open("wb") as said:
            self._processes[job.id] = subprocess.Popen(
                self.command(job),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                cwd=folder,
                start_new_session=True,
            )

    def _finish(self, job_id: str, process: subprocess.Popen[bytes]) -> None:
        said = (self.console.folder / "releases" / job_id / "said").read_text(encoding="utf-8", errors="replace")
        told = self.console.cleared(said.strip()[-4000:])
        self.console.set_status(job_id, _ENDS.get(process.returncode, "failed"), told, only="running")


def _refuse_many_rows(rows: str) -> None:
    """What is no number, the run itself refuses."""
    if rows.isascii() and rows.isdecimal() and int(rows) > MOST_ROWS:
        raise ParameterError(f"rows: at most {MOST_ROWS:,} are made here")


def refuse_long(given: Mapping[str, str]) -> None:
    """No value that a command line could not hold."""
    if any(len(value) > LONGEST_VALUE or "\0" in value for value in given.values()):
        raise ParameterError("a value is too long or holds a zero byte")
    refuse_unwritable(given)


def refuse_unwritable(given: Mapping[str, str]) -> None:
    """No half of a character: it could be neither passed on nor shown again."""
    for name, value in given.items():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ParameterError(f"{name!r} holds what is no character") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the whole group of a run to end, then make it."""
    for how in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with suppress(OSError):
            os.killpg(process.pid, how) if hasattr(os, "killpg") else process.send_signal(how)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
            return
