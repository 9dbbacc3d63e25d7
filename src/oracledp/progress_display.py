"""One progress display: on a terminal, in a notebook, or silent; a message, the time and shares of public steps."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from oracledp.errors import ParameterError

Advance = Callable[[int, int], None]
PLACES = ("auto", "terminal", "notebook", "silent")


@contextmanager
def progress(message: str, place: str = "auto") -> Iterator[Advance]:
    """A bar that moves once ``(done, total)`` is reported; pass what you get as ``progress`` to ``fit`` or ``prsma``.

    By default it appears on a terminal's standard error and in notebooks, and nowhere else: logs and pipes stay clean.

    >>> with progress("measuring", "silent") as advance:
    ...     advance(1, 2)
    """
    if place not in PLACES:
        raise ParameterError(f"progress is shown in one of {', '.join(PLACES)}, got {place!r}")
    where = _here() if place == "auto" else place
    if where == "silent":
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(force_jupyter=True) if where == "notebook" else Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task(message, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


def _here() -> str:
    """Where this process shows things."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if type(shell).__name__ == "ZMQInteractiveShell":
        return "notebook"
    return "terminal" if sys.stderr is not None and sys.stderr.isatty() else "silent"
