"""The picture of docs/synthesis.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

Line = dict[str, Any]
COLOURS = ("#2f6da8", "#b4552f", "#2b7a4b", "#7a4fa0")


ERRORS = ("tv3", "max3", "tv2", "conj_mean")


def draw(curves: list[Line], conjunctions: list[Line], path: Path) -> None:
    """Error against epsilon, rows and rounds, cost against rows, and the largest error over all conjunctions."""
    figure, axes = plt.subplots(3, 2, figsize=(9, 9.6), layout="constrained")
    for axis, name in zip(axes[0], ("generated", "adult-bin24"), strict=True):
        found = [line for line in curves if line["curve"] == "epsilon" and line["table"] == name]
        _lines(axis, found, lambda line: float(line["epsilon"]), ERRORS)
        _finish(axis, f"{name}: error against ε", "ε", "error")
    rows = [line for line in curves if line["curve"] == "rows"]
    _lines(axes[1, 0], rows, lambda line: line["size"], ERRORS)
    _finish(axes[1, 0], "generated: error against rows, ε = 1", "rows", "error")
    _lines(axes[1, 1], rows, lambda line: line["size"], ("cpu_seconds", "megabytes"))
    _finish(axes[1, 1], "generated: CPU seconds and peak megabytes", "rows", "")
    rounds = [line for line in curves if line["curve"] == "rounds"]
    _lines(axes[2, 0], rounds, lambda line: line["rounds"], ("conj_max", "max3", "tv3", "conj_mean"))
    _finish(axes[2, 0], "adult-bin24: error against rounds, ε = 1", "rounds", "error", scale="linear")
    _conjunctions(axes[2, 1], conjunctions)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _conjunctions(axis: Any, lines: list[Line]) -> None:
    for colour, d in zip(COLOURS, sorted({line["columns"] for line in lines}), strict=False):
        found = [line for line in lines if line["columns"] == d and not line["searched"]]
        _line(axis, found, lambda line: line["rows"], "all_3d", colour, f"all 3^{d}")
        _line(axis, found, lambda line: line["rows"], "all_2d", colour, f"all 2^{d}", style="--")
    _finish(axis, "largest error over all conjunctions, ε = 1", "rows", "error")


def _lines(axis: Any, lines: list[Line], place: Callable[[Line], float], keys: Sequence[str]) -> None:
    for colour, key in zip(COLOURS, keys, strict=False):
        _line(axis, lines, place, key, colour)


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


def _finish(axis: Any, title: str, across: str, up: str, scale: str = "log") -> None:
    axis.set(title=title, xlabel=across, ylabel=up, xscale=scale, yscale="log")
    axis.title.set_fontsize(10)
    axis.grid(alpha=0.3)
    if axis.lines:
        axis.legend(fontsize=8)
