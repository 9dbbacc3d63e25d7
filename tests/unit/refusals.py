"""Whether a call is refused, as a value that tests compare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oracledp.errors import CapacityError, OracleDPError


def refused(call: Callable[[], Any], kind: type[OracleDPError] = CapacityError) -> bool:
    """True where the call ends in an error of this kind; any other error is a failure of the test."""
    try:
        call()
    except kind:
        return True
    return False
