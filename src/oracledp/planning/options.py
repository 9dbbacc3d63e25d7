"""A plan: what each mechanism would cost and give, before any budget is spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import ceil, isfinite
from typing import Any

from oracledp.showing import html_table


@dataclass(frozen=True)
class Option:
    """One mechanism at the planned parameters. Errors are shares of the rows, above the best query of the class.

    ``mean_error`` and ``error`` hold for every table: the expected error, and the error with probability 1 - β.
    ``public_error`` is the mean error on a public table of the same kind, if one was given, ``planted_error`` that on
    a random table whose label follows a rule of the class but for a fifth. ``silence`` is the chance of ⊥.
    ``curve`` gives ``error`` as a function of (rows, epsilon); None where it takes too long.
    """

    mechanism: str
    error: float
    privacy: str
    mean_error: float | None = None
    public_error: float | None = None
    planted_error: float | None = None
    silence: float | None = None
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
        numbers = ("error", "mean_error", "public_error", "planted_error", "silence", "epsilon_needed", "seconds")
        return {
            "mechanism": self.mechanism,
            "privacy": self.privacy,
            **{name: _finite(getattr(self, name)) for name in numbers},
            "rows_needed": self.rows_needed,
            "oracle_calls": self.oracle_calls,
            "available": self.available,
            "note": self.note,
        }


@dataclass(frozen=True, repr=False)
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

    def plot(self, path: str | None = None) -> Any:
        """A figure of error against rows, written too if a path is given (PNG or SVG); needs the ``plots`` extra."""
        from oracledp.planning.plotting import plot

        return plot(self, path)

    def __repr__(self) -> str:
        return f"Plan({self.task}: {', '.join(option.mechanism for option in self.options)}; {self.reason})"

    def _repr_html_(self) -> str:
        rows = [
            (
                option.mechanism,
                option.privacy,
                _short(option.mean_error),
                _short(option.error),
                option.rows_needed or "",
            )
            for option in self.options
        ]
        header = ("mechanism", "privacy", "expected error", "error (prob. 1-β)", "rows needed")
        return html_table(header, rows, caption=f"Plan for {self.task}", note=self.reason)

    def __str__(self) -> str:
        from oracledp.planning.words import describe

        return describe(self)


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"
