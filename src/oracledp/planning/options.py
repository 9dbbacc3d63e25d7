"""A plan: what each mechanism would cost and give, before any budget is spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import ceil, isfinite
from typing import Any


@dataclass(frozen=True)
class Option:
    """One mechanism at the planned parameters. Errors are shares of the rows, above the best query of the class.

    ``mean_error`` and ``error`` hold for every table: the expected error, and the error with probability 1 - β.
    ``public_error`` is the mean error on a public table of the same kind, if one was given.
    ``curve`` gives ``error`` as a function of (rows, epsilon); None where it takes too long.
    """

    mechanism: str
    error: float
    privacy: str
    mean_error: float | None = None
    public_error: float | None = None
    rows_needed: int | None = None
    epsilon_needed: float | None = None
    oracle_calls: int | None = None
    seconds: float | None = None
    available: bool = True
    note: str = ""
    curve: Callable[[float, float], float] | None = field(default=None, compare=False, repr=False)

    def aimed_at(self, target: float | None, rows: float, epsilon: float) -> Option:
        """The same with the rows and the epsilon that a target error needs, where error falls as 1/(rows·epsilon)."""
        if target is None or not isfinite(self.error):
            return self
        factor = self.error / target
        return replace(self, rows_needed=max(1, ceil(rows * factor)), epsilon_needed=epsilon * factor)

    def to_json(self) -> dict[str, Any]:
        """Plain numbers; an error that is not finite is null."""
        numbers = ("error", "mean_error", "public_error", "epsilon_needed", "seconds")
        return {
            "mechanism": self.mechanism,
            "privacy": self.privacy,
            **{name: _finite(getattr(self, name)) for name in numbers},
            "rows_needed": self.rows_needed,
            "oracle_calls": self.oracle_calls,
            "available": self.available,
            "note": self.note,
        }


@dataclass(frozen=True)
class Plan:
    """All options of a task and the recommended one: only figures that are proved.

    ``str(plan)`` is a table; :meth:`to_json` has the same; :meth:`plot` draws error against rows.
    """

    task: str
    parameters: dict[str, Any]
    options: tuple[Option, ...]
    recommended: str | None
    reason: str
    design: dict[str, Any] | None = None

    def option(self, mechanism: str) -> Option:
        """The option of a mechanism."""
        return next(option for option in self.options if option.mechanism == mechanism)

    def to_json(self) -> dict[str, Any]:
        """The whole plan as plain JSON."""
        data: dict[str, Any] = {
            "task": self.task,
            **self.parameters,
            "recommended": self.recommended,
            "reason": self.reason,
            "options": [option.to_json() for option in self.options],
        }
        if self.design is not None:
            data |= {"design": self.design}
        return data

    def plot(self, path: str) -> None:
        """Write a picture of error against rows (PNG or SVG by the name); needs the ``plots`` extra."""
        from oracledp.planning.plotting import plot

        plot(self, path)

    def __str__(self) -> str:
        from oracledp.planning.words import describe

        return describe(self)


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
