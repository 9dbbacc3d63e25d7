"""Ordered columns of a released model on an axis of their values, with intervals; and bins that hide too much."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal
from oracledp.data.schema import Moment, Ordered
from oracledp.data.schema.ordered import exactly, shown
from oracledp.report.charts import figure
from oracledp.synthesis.answers import Answer, answer_conjunction
from oracledp.synthesis.model import SyntheticModel

POINTS = 12  # of a curve
_HEAVY, _WIDE = 0.1, 0.1  # shares of the records and of the column's range
_WIDTH, _HEIGHT, _BASE = 300, 130, 112
Floats = NDArray[np.float64]


def value_curve(model: SyntheticModel, place: int, confidence: float = 0.95) -> str:
    """The share of records below each of a few values, each with its interval; nothing where no value can be asked."""
    column = model.schema.columns[place]
    assert isinstance(column, Ordered)
    points = _points(column, model.marginals[place])
    if len(points) < 2:
        return ""
    answers = [answer_conjunction(model, [literal], confidence) for _, literal in points]
    places = [number for number, _ in points]
    names = [str(literal.value) for _, literal in points]
    note = f"share of records below a value, with its {100 * confidence:g} % interval"
    return figure(column.name, note, _picture(places, names, answers))


def _points(column: Ordered, mass: Floats) -> list[tuple[float, Literal]]:
    """Where cells begin, at about even quantiles: their places on the axis, and what is asked there."""
    held = np.cumsum(np.asarray(mass, dtype=np.float64)[: column.value_size])
    if not held[-1] > 0:
        return []
    wanted = held[-1] * np.arange(1, POINTS + 1) / (POINTS + 1)
    codes = sorted({int(code) for code in np.searchsorted(held, wanted, side="right")} - {0})
    found = []
    for code in codes:
        if code >= column.value_size:
            continue
        start = _starts(column)[code]
        value = column.shown(int(start)) if isinstance(column, Moment) else _number(shown(float(start)))
        found.append((float(start), Literal(column.name, ">=", value)))
    return [(at, literal) for at, literal in found if column.codes_where(literal) is not None]


def _number(text: str) -> int | float:
    return float(text) if "." in text or "e" in text else int(text)


def _starts(column: Ordered) -> list[float]:
    """The number at which each cell or bin begins."""
    if column.grid is None:
        return [column.lo, *column.cuts]
    lo, step = exactly(column.lo), column.grid.resolution
    return [float(lo + step * int(start)) for start in column.grid.starts]


def _picture(places: list[float], names: list[str], answers: list[Answer]) -> str:
    low, spread = places[0], max(places[-1] - places[0], 1e-300)
    across = [round(12 + (_WIDTH - 24) * (place - low) / spread, 1) for place in places]
    marks = [f'<path d="M0 {_BASE}H{_WIDTH}" stroke="var(--line)" fill="none"/>']
    line = []
    for x, name, answer in zip(across, names, answers, strict=True):
        value, top, bottom = (_up(1 - share) for share in (answer.value, answer.low, answer.high))
        line.append(f"{x} {value}")
        words = f"below {name}: {100 * (1 - answer.value):.1f} % "
        words += f"({100 * (1 - answer.high):.1f} to {100 * (1 - answer.low):.1f})"
        marks.append(
            f"<g><title>{escape(words)}</title>"
            f'<path d="M{x} {bottom}V{top}M{x - 3:.1f} {bottom}h6M{x - 3:.1f} {top}h6" fill="none" '
            f'stroke="var(--two)"/>'
            f'<circle cx="{x}" cy="{value}" r="2.5" fill="var(--one)"/></g>'
        )
    marks.append(f'<path d="M{" L".join(line)}" stroke="var(--one)" fill="none"/>')
    marks.append(f'<text x="0" y="{_HEIGHT - 4}">{escape(names[0])}</text>')
    marks.append(f'<text x="{_WIDTH}" y="{_HEIGHT - 4}" text-anchor="end">{escape(names[-1])}</text>')
    label = "Share of records below each value, with intervals"
    return f'<svg role="img" aria-label="{label}" viewBox="0 0 {_WIDTH} {_HEIGHT}">{"".join(marks)}</svg>'


def _up(share: float) -> float:
    return round(_BASE - (_BASE - 8) * share, 1)


def wide_bins(model: SyntheticModel) -> list[tuple[str, str, float]]:
    """Bins of columns without a resolution that hold much of the records and of the range: column, bin, share."""
    found = []
    for column, mass in zip(model.schema.columns, model.marginals, strict=True):
        if not isinstance(column, Ordered) or column.grid is not None:
            continue
        edges = np.array([column.lo, *column.cuts, column.hi], dtype=np.float64)
        shares = np.asarray(mass, dtype=np.float64) / max(float(np.sum(mass)), 1e-300)
        for code, width in enumerate(np.diff(edges).tolist()):
            single = column.kind == "integer" and width <= 1
            if not single and shares[code] >= _HEAVY and width >= _WIDE * (column.hi - column.lo):
                found.append((column.name, column.labels[code], float(shares[code])))
    return found
