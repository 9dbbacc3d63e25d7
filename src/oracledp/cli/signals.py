"""Ctrl-C, termination and a closed terminal: one sentence, an exit code, nothing half done.

The first signal becomes a KeyboardInterrupt, so that blocks clean up after themselves. Compiled code may be long in
noticing: after a while the process ends at once, which is safe because being killed at any point is (see
``oracledp.scratch`` and ``oracledp.whole_files``).
"""

from __future__ import annotations

import os
import signal
import sys
from threading import Thread
from time import sleep
from types import FrameType

CAUGHT = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
PATIENCE = 5.0  # seconds that compiled code has to return
_received: list[int] = []


def catch_signals() -> None:
    """Watch for signals from now on; call it once, in the main thread."""
    reader, writer = os.pipe()
    if hasattr(os, "set_blocking"):
        os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in CAUGHT:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup stays nohup
            signal.signal(number, _interrupt)
    Thread(target=_end_at_last, args=(reader,), daemon=True).start()


def stopped() -> bool:
    """Whether a signal came: what fails from then on fails of it, as queries that are broken off do."""
    return bool(_received)


def exit_code() -> int:
    """128 and the number of the signal, as shells have it."""
    return 128 + (_received[0] if _received else signal.SIGINT)


def say_goodbye() -> None:
    """The sentence on standard error."""
    name = signal.Signals(exit_code() - 128).name
    text = f"oracledp: stopped by {name}; no partial file is left, and budget that was charged stays spent\n"
    os.write(sys.__stderr__.fileno() if sys.__stderr__ is not None else 2, text.encode())


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise once: a second signal must not break into the clean-up."""
    _received.append(number)
    if len(_received) == 1:
        raise KeyboardInterrupt


def _end_at_last(reader: int) -> None:
    """The pipe is written to the moment a signal comes, whatever the main thread is doing."""
    number = os.read(reader, 1)
    while number and number[0] not in CAUGHT:
        number = os.read(reader, 1)
    sleep(PATIENCE)
    if number:
        _received.append(number[0])
        say_goodbye()
    os._exit(exit_code())
