"""What every tier of the audit ends in: a claim that holds, or one that is broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


class Verdict(Protocol):
    """The result of one audit."""

    @property
    def name(self) -> str:
        """What was audited."""
        ...

    @property
    def holds(self) -> bool:
        """Whether the claim survived."""
        ...

    @property
    def broken(self) -> bool:
        """Whether the claim is refuted beyond rounding and chance."""
        ...

    def to_json(self) -> dict[str, Any]:
        """A row of the audit table."""
        ...


@dataclass(frozen=True)
class Fact:
    """A claim that is true or false, with what was found in plain words."""

    name: str
    holds: bool
    found: str

    @property
    def broken(self) -> bool:
        """The opposite of holding: there is no rounding here."""
        return not self.holds

    def to_json(self) -> dict[str, Any]:
        """A row of the audit table."""
        return {"name": self.name, "found": self.found, "holds": self.holds}
