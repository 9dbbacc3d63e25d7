"""A plan as a table that fits a terminal."""

from __future__ import annotations

from io import StringIO
from math import isnan
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table as Grid

if TYPE_CHECKING:
    from oracledp.planning.options import Option, Plan

PUBLIC = "on public data"
TINY = 1e-6  # errors below it say no more than that they are
_INNER = ("hot", "parts", "elements", "log_domain")


def describe(plan: Plan) -> str:
    """The options, the recommendation and the design, as text."""
    stream = StringIO()
    console = Console(file=stream, width=150, highlight=False)
    settings = ", ".join(f"{name} = {value}" for name, value in _told(plan.parameters).items())
    console.print(f"plan for {plan.task}: {settings}", soft_wrap=True)
    if plan.options:
        console.print(_grid(plan))
    for option in plan.options:
        if option.note:
            console.print(f"{option.mechanism}: {option.note}", soft_wrap=True)
    if plan.design is not None:
        console.print(_design(plan))
    console.print(plan.reason, soft_wrap=True)
    return stream.getvalue().rstrip()


def _told(parameters: dict[str, object]) -> dict[str, object]:
    """What a reader asked for; the numbers of the class's noise are in the JSON."""
    shown = {name: value for name, value in parameters.items() if value is not None and name not in _INNER}
    return {name: _number(value) if isinstance(value, int | float) else value for name, value in shown.items()}


def _grid(plan: Plan) -> Grid:
    """One line for each option, and no column that nobody fills."""
    beta = plan.parameters.get("beta", 0.05)
    stand_in = "on planted rows" if any(option.planted_error is not None for option in plan.options) else PUBLIC
    names = ["expected error", f"error (prob. {1 - float(beta):g})", stand_in, "⊥"]
    names += ["rows needed", "ε needed", "oracle calls", "seconds"]
    cells = [_cells(option) for option in plan.options]
    filled = [place for place in range(len(names)) if any(line[place] for line in cells)]
    grid = Grid("mechanism", *(names[place] for place in filled), "privacy")
    grid.columns[0].no_wrap = True
    for option, line in zip(plan.options, cells, strict=True):
        mark = " ←" if option.mechanism == plan.recommended else ""
        grid.add_row(option.mechanism + mark, *(line[place] for place in filled), option.privacy)
    return grid


def _cells(option: Option) -> list[str]:
    return [
        _share(option.mean_error),
        _share(option.error),
        _share(option.planted_error if option.public_error is None else option.public_error),
        "" if option.silence is None else f"{option.silence:.2g}",
        "" if option.rows_needed is None else f"{option.rows_needed:,}",
        "" if option.epsilon_needed is None else f"{option.epsilon_needed:.3g}",
        "" if option.oracle_calls is None else f"{option.oracle_calls:,}",
        "" if option.seconds is None else f"{option.seconds:.2g}",
    ]


def _share(value: float | None) -> str:
    """An error; a share above one promises nothing and says so."""
    if value is None or isnan(value):
        return ""
    if 0 < value < TINY:
        return f"< {TINY:g}"
    return f"{value:.3g} (vacuous)" if value >= 1 else f"{value:.3g}"


def _design(plan: Plan) -> Grid:
    assert plan.design is not None
    grid = Grid("design", "here")
    for name, value in plan.design.items():
        if isinstance(value, dict):
            for term, amount in value.items():
                grid.add_row(f"{name}: {term}", _number(amount))
        else:
            grid.add_row(name, _number(value))
    return grid


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
