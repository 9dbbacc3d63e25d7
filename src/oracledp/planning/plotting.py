"""Error against rows, one line per mechanism, as a picture."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oracledp.errors import ParameterError
from oracledp.showing import figure as empty_figure
from oracledp.whole_files import whole_file

if TYPE_CHECKING:
    from oracledp.planning.options import Plan


def plot(plan: Plan, path: str | None) -> Any:
    """The figure, written too if there is a path: the format follows from its name."""
    lines = [option for option in plan.options if option.curve is not None]
    if not lines:
        raise ParameterError("this plan has no error that depends on rows: give a query class")
    figure, axes = empty_figure(6.4, 4.2)
    rows, epsilon = float(plan.parameters["rows"]), float(plan.parameters["epsilon"])
    grid = np.geomspace(rows / 100, rows * 100, 25)
    for option, style in zip(lines, cycle(("-", "--", "-.", ":")), strict=False):
        assert option.curve is not None
        values = [min(1.0, option.curve(float(n), epsilon)) for n in grid]
        axes.loglog(grid, values, linestyle=style, label=option.mechanism)
    axes.axvline(rows, color="grey", linewidth=0.8, linestyle=":")
    target = plan.parameters.get("target_error")
    if target is not None:
        axes.axhline(float(target), color="grey", linewidth=0.8, linestyle="--")
    axes.set(xlabel="rows", ylabel="error above the best query", title=f"plan for {plan.task}, ε = {epsilon:g}")
    axes.legend(fontsize=8)
    if path is not None:
        with whole_file(path) as file:
            figure.savefig(file, dpi=110, format=Path(path).suffix[1:] or None)
    return figure
