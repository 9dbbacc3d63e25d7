"""Shipped code broken in one place, as an edit of its source would break it, seen through the front door."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from oracledp.audit.doors import patched
from oracledp.audit.front_door import looks
from oracledp.audit.verdict import Verdict

TIER = "front-door"
Change = tuple[Any, str, Any]  # whose attribute, its name, what takes its place


def wrapped(owner: Any, name: str, change: Callable[..., Any]) -> Change:
    """A function whose arguments go to ``change(original, *arguments)``."""
    original = getattr(owner, name)
    return owner, name, lambda *args, **kwargs: change(original, *args, **kwargs)


def seen(where: str, *changes: Change) -> Verdict:
    """What the look of this name finds while the code is changed."""
    look = next(look for look in looks() if look.name == where)
    with ExitStack() as stack:
        for change in changes:
            stack.enter_context(patched(*change))
        return look.finding()
