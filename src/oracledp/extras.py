"""Optional dependencies: imported when needed, named when missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from oracledp.errors import MissingDependency


def optional(module: str, *, extra: str) -> Any:
    """Import an optional module, or say which extra brings it.

    >>> optional("json", extra="none").dumps(1)
    '1'
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingDependency(f'{module} is not installed: pip install "oracledp[{extra}]"') from None
