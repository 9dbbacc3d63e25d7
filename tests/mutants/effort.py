"""How long processes have worked, as a busy machine does not change it.

A test that never ends catches a mutant, a test that a busy machine keeps waiting does not. So what counts is the
processor time of a session of processes, and the time in which all of them slept: a deadlock ends, too.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
WANTS_PROCESSOR = "RD"  # states of Linux: runs or could run; waits for a disk


@dataclass
class Effort:
    """Seconds of work of the session since the last :meth:`begin`; without /proc, seconds of the clock."""

    session: int
    seconds: float = 0.0
    worked: float = 0.0
    looked: float = field(default_factory=time.monotonic)

    def begin(self) -> None:
        """Count from here."""
        self.worked, _ = self._state()
        self.seconds, self.looked = 0.0, time.monotonic()

    def look(self) -> float:
        """The seconds so far; to be asked about once a second."""
        worked, awake = self._state()
        now = time.monotonic()
        self.seconds += max(0.0, worked - self.worked) if awake else now - self.looked
        self.worked, self.looked = worked, now
        return self.seconds

    def _state(self) -> tuple[float, bool]:
        """Processor seconds of all processes of the session, and whether one of them wants a processor."""
        ticks, awake = 0, False
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                state, _, _, session, *rest = entry.read_text().rpartition(")")[2].split()
                if int(session) == self.session:
                    ticks += sum(int(part) for part in rest[7:11])  # utime, stime, and those of children that ended
                    awake = awake or state in WANTS_PROCESSOR
        return ticks / TICKS, awake
