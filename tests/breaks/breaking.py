"""How shipped code is broken in one place for the time of a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Break = Callable[[pytest.MonkeyPatch], None]
Breaks = dict[str, tuple[str, Break]]


def wrapped(owner: Any, name: str, change: Callable[..., Any]) -> Break:
    """The attribute's value passed on to ``change(original, *arguments)``."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        original = getattr(owner, name)
        patch.setattr(owner, name, lambda *args, **kwargs: change(original, *args, **kwargs))

    return apply


def as_property(owner: Any, name: str, change: Callable[[Any, Any], Any]) -> Break:
    def apply(patch: pytest.MonkeyPatch) -> None:
        original = owner.__dict__[name].fget
        patch.setattr(owner, name, property(lambda self: change(original(self), self)))

    return apply


def value(owner: Any, name: str, wrong: Any) -> Break:
    return lambda patch: patch.setattr(owner, name, wrong)


def together(*breaks: Break) -> Break:
    def apply(patch: pytest.MonkeyPatch) -> None:
        for one in breaks:
            one(patch)

    return apply
