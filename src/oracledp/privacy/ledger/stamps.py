"""What a charge says by itself: when, who, and by which version."""

from __future__ import annotations

import getpass
import os
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version


def now() -> str:
    """This second, in UTC."""
    return stamp(datetime.now(UTC))


def stamp(moment: datetime) -> str:
    """A moment as charges have it: in UTC, so that texts are in the order of times.

    >>> stamp(datetime.fromisoformat("2026-05-03T12:00:00.5+02:00"))
    '2026-05-03T10:00:00+00:00'
    """
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def user() -> str | None:
    """The user of the operating system, if there is a name for it."""
    try:
        return os.environ.get("ORACLEDP_ACTOR") or getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container's user may have no name
        return None


def library() -> str | None:
    """The library's version."""
    try:
        return version("oracledp")
    except PackageNotFoundError:
        return None
