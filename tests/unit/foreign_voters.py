"""Functions that fail in their own ways. They travel by name: this file imports next to nothing."""

import contextlib
import os
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MARKS: list[str] = []  # what a part would leave in memory
MARK = "oracledp-mark-of-a-part"


def hangs(records: Any, counts: Any) -> Any:
    time.sleep(600)


def nan(records: Any, counts: Any) -> Any:
    return float("nan")


def raises(records: Any, counts: Any) -> Any:
    raise RuntimeError(f"a secret of {len(records)} rows")


def exits(records: Any, counts: Any) -> Any:
    sys.exit("a secret")


def vanishes(records: Any, counts: Any) -> Any:
    os._exit(0)


def shouts(records: Any, counts: Any) -> Any:
    """Takes over its process: an answer named ten times, each with a hundred votes, and many more answers."""
    os.write(1, b'[["me", 800], ' + b'["me", 800], ' * 9 + b'["you", 800], ["they", 8]]')
    os._exit(0)


def foreign(records: Any, counts: Any) -> Any:
    return [object()]


def unhashable(records: Any, counts: Any) -> Any:
    return {"old": 1}


def nothing(records: Any, counts: Any) -> Any:
    return None


def remembers(records: Any, counts: Any) -> Any:
    """The marks that it finds, and leaves for the next part: in memory, the environment and every folder it knows."""
    folders = [Path(), Path(tempfile.gettempdir()), Path("/tmp"), Path("/dev/shm"), Path(__file__).parent]
    places = [folder / MARK for folder in folders]
    found = [str(place) for place in places if place.exists()] + MARKS + [name for name in os.environ if name == MARK]
    MARKS.append("memory")
    os.environ[MARK] = "environment"
    for place in places:
        with contextlib.suppress(OSError):
            place.write_text(MARK)
    return tuple(found), (Path(tempfile.gettempdir()) / MARK).exists()


def reaches_out(records: Any, counts: Any) -> Any:
    """The ways out of its process that are open to it."""
    here = Path(__file__)
    ways: dict[str, Any] = {
        "write": lambda: here.open("a").close(),
        "make": lambda: (Path("/tmp") / MARK).mkdir(),
        "remove": lambda: here.parent.rmdir(),  # not empty: allowed or not, it stays
        "truncate": lambda: os.truncate(here, here.stat().st_size),
        "move": lambda: here.rename(here),
        "connect": lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
        "the memory of its parent": lambda: Path(f"/proc/{os.getppid()}/mem").open("rb").close(),
    }
    open_ways = []
    for name, way in ways.items():
        try:
            way()
        except PermissionError:
            continue
        except OSError as error:
            open_ways.append(f"{name}: {type(error).__name__}")
        else:
            open_ways.append(name)
    return tuple(open_ways)


def columns(records: Any, counts: Any) -> Any:
    return frozenset({"smoker", "old"})


def word(records: Any, counts: Any) -> Any:
    return "red"


def numbers(records: Any, counts: Any) -> Any:
    return 1, 2.5
