"""The pictures of docs/synthesis.md."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

Line = dict[str, Any]
COLOURS = ("#2f6da8", "#b4552f", "#2b7a4b", "#7a4fa0")


def draw_curves(lines: list[Line], path: Path) -> None:
    """Error against epsilon, error against rows, cost against rows."""
    figure, axes = plt.subplots(2, 2, figsize=(9, 6.4), layout="constrained")
    for axis, name in zip(axes[0], ("generated", "adult-bin24"), strict=True):
        found = [line for line in lines if line["curve"] == "epsilon" and line["table"] == name]
        for colour, key in zip(COLOURS, ("tv3", "max3", "tv2", "conj_mean"), strict=True):
            _line(axis, found, lambda line: float(line["epsilon"]), key, colour)
        _finish(axis, f"{name}: error against ε", "ε", "error")
    found = [line for line in lines if line["curve"] == "rows"]
    for colour, key in zip(COLOURS, ("tv3", "max3", "tv2", "conj_mean"), strict=True):
        _line(axes[1, 0], found, lambda line: line["size"], key, colour)
    _finish(axes[1, 0], "generated: error against rows, ε = 1", "rows", "error")
    for colour, key in zip(COLOURS, ("cpu_seconds", "megabytes"), strict=False):
        _line(axes[1, 1], found, lambda line: line["size"], key, colour)
    _finish(axes[1, 1], "generated: CPU seconds and peak megabytes", "rows", "")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw_conjunctions(lines: list[Line], path: Path) -> None:
    """The largest error over all conjunctions against the number of rows."""
    figure, axis = plt.subplots(figsize=(6, 3.8), layout="constrained")
    for colour, d in zip(COLOURS, sorted({line["columns"] for line in lines}), strict=False):
        found = [line for line in lines if line["columns"] == d and line["epsilon"] == "1"]
        _line(axis, found, lambda line: line["rows"], "all_3d", colour, f"all 3^{d}")
        _line(axis, found, lambda line: line["rows"], "all_2d", colour, f"all 2^{d}", style="--")
    _finish(axis, "largest error over all conjunctions, ε = 1", "rows", "error")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _line(
    axis: Any,
    lines: list[Line],
    place: Callable[[Line], float],
    key: str,
    colour: str,
    label: str = "",
    style: str = "-",
) -> None:
    """The mean over runs, with every run as a dot."""
    if not lines:
        return
    places = sorted({place(line) for line in lines})
    means = [np.mean([line[key] for line in lines if place(line) == x]) for x in places]
    axis.plot(places, means, style, color=colour, label=label or key.replace("_", " "), linewidth=1.4)
    axis.plot([place(line) for line in lines], [line[key] for line in lines], ".", color=colour, markersize=4)


def _finish(axis: Any, title: str, across: str, up: str) -> None:
    axis.set(title=title, xlabel=across, ylabel=up, xscale="log", yscale="log")
    axis.title.set_fontsize(10)
    axis.grid(alpha=0.3)
    if axis.lines:
        axis.legend(fontsize=8)
