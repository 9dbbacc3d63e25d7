"""How a suite says no."""

from __future__ import annotations

from oracledp.errors import OracleDPError


class NotConforming(OracleDPError):
    """A part does not do what the library relies on."""


def demand(holds: bool, line: str) -> None:
    """Raise with this line unless it holds."""
    if not holds:
        raise NotConforming(line)
