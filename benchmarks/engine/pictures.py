"""The pictures of docs/engine.md: peers on the same instances, growth, and where the oracles cross."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.engine.report import Rows, of, readable
from oracledp.extras import optional

COLOURS = {"search": "#1b6ca8", "CP-SAT": "#b3471d", "RC2": "#7a9a01", "HiGHS": "#8d5fa8", "enumeration": "#888888"}
ORACLES = {
    "transform": "#2a9d8f", "search": "#1b6ca8", "exhaustive": "#888888", "cp-sat": "#b3471d", "maxsat": "#7a9a01"
}  # fmt: skip
AXES = {
    "rows": "rows (50 literals, ε = 10)",
    "literals": "literals (all rows, ε = 10)",
    "width": "width (60 literals, no noise)",
    "noise": "ε of the noise (60 literals)",
    "density": "density of random columns (10,000 rows)",
}


def draw(folder: Path, results: dict[str, Any]) -> list[Path]:
    """Write the pictures and say which."""
    made = []
    for name, picture in (("peers", peers), ("growth", growth), ("threads", threads), ("crossover", crossover)):
        figure = picture(results["rows"])
        made.append(folder / f"engine-{name}.png")
        figure.savefig(made[-1], dpi=110)
    return made


def _figure(width: float, height: float) -> Any:
    return optional("matplotlib.figure", extra="plots").Figure(figsize=(width, height), layout="constrained")


def peers(rows: Rows) -> Any:
    """A line per instance: our search and every peer on one axis of seconds."""
    shown = [row for row in rows if row.get("peers") and "first" in row]
    figure = _figure(9, 1 + 0.27 * len(shown))
    axes = figure.subplots()
    for place, row in enumerate(reversed(shown)):
        axes.plot(row["first"], place, "o", color=COLOURS["search"])
        for name, one in row["peers"].items():
            axes.plot(one["seconds"], place, "o" if one["finished"] else ">", color=COLOURS[name])
    axes.set_yticks(
        range(len(shown)), [f"{row['section']}: {readable(row['case'])}" for row in reversed(shown)], fontsize=8
    )
    axes.set_xscale("log")
    axes.set_xlabel("CPU seconds to a proof (triangle: stopped without one)")
    axes.grid(axis="x", alpha=0.3)
    handles = [axes.plot([], [], "o", color=colour, label=name)[0] for name, colour in COLOURS.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), fontsize=8)
    return figure


def growth(rows: Rows) -> Any:
    """One small picture per axis."""
    figure = _figure(11, 6)
    for place, (axis, title) in enumerate(AXES.items()):
        axes = figure.add_subplot(2, 3, place + 1)
        found = [row for row in of(rows, "growth", axis=axis) if "again" in row]
        for kind in dict.fromkeys(row["kind"] for row in found):
            line = sorted((row["at"], row["again"]) for row in found if row["kind"] == kind)
            axes.plot(*zip(*line, strict=True), "o-", markersize=4, label=kind)
        if axis in ("rows", "noise"):
            axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(title, fontsize=9)
        axes.set_ylabel("CPU seconds", fontsize=9)
        axes.grid(alpha=0.3)
        if found:
            axes.legend(fontsize=8)
    _depths(figure.add_subplot(2, 3, len(AXES) + 1), rows)
    return figure


def _depths(axes: Any, rows: Rows) -> None:
    """Trees of the table that was measured at several depths."""
    names = [row["name"] for row in of(rows, "trees")]
    found = [row for row in of(rows, "trees") if names.count(row["name"]) > 1]
    for key, label in (("first", "least tree"), ("draw", "first private draw"), ("next_draw", "next draw")):
        line = sorted((row["depth"], row[key]) for row in found)
        if line:
            axes.plot(*zip(*line, strict=True), "o-", markersize=4, label=label)
    axes.set_yscale("log")
    axes.set_xticks(sorted({row["depth"] for row in found}))
    axes.set_xlabel("depth of trees (all rows, 43 literals)", fontsize=9)
    axes.set_ylabel("CPU seconds", fontsize=9)
    axes.grid(alpha=0.3)
    if found:
        axes.legend(fontsize=8)


def threads(rows: Rows) -> Any:
    """Seconds of one thread beside those of the busier of two."""
    figure = _figure(7, 2.6)
    axes = figure.subplots()
    found = of(rows, "threads")
    for place, row in enumerate(reversed(found)):
        axes.barh(place + 0.2, 1.0, 0.35, color="#888888", label="one thread" if place == 0 else None)
        share = row["busier"] / row["again"]
        axes.barh(place - 0.2, share, 0.35, color="#1b6ca8", label="the busier of two" if place == 0 else None)
    axes.axvline(1 / 1.7, color="#b3471d", linestyle=":")
    axes.set_yticks(range(len(found)), [readable(row["case"]) for row in reversed(found)], fontsize=8)
    axes.set_xlabel("CPU seconds as a share of one thread's (dotted: 1.7 times as fast)", fontsize=9)
    if found:
        figure.legend(loc="outside upper center", ncols=2, fontsize=8)
    return figure


def crossover(rows: Rows) -> Any:
    """Seconds against literals for three classes and all rows that were measured."""
    figure = _figure(11, 3.6)
    kinds = (("conjunctions", 48_842), ("parities", 48_842), ("halfspaces", 1000))
    for place, (kind, n) in enumerate(kinds):
        axes = figure.add_subplot(1, 3, place + 1)
        found = [row for row in of(rows, "crossover", n=n) if row["class"] == f"{kind}, {row['literals']} literals"]
        for name, colour in ORACLES.items():
            done = [(row["literals"], row["oracles"][name]) for row in found if name in row["oracles"]]
            line = sorted((literals, one["first"]) for literals, one in done if one["finished"])
            if line:
                axes.plot(*zip(*line, strict=True), "o-", markersize=4, color=colour, label=name)
        axes.set_yscale("log")
        axes.set_title(f"{kind}, {n:,} rows", fontsize=10)
        axes.set_xlabel("literals", fontsize=9)
        axes.set_ylabel("CPU seconds, preparation included", fontsize=9)
        axes.grid(alpha=0.3)
        if found:
            axes.legend(fontsize=8)
    return figure
