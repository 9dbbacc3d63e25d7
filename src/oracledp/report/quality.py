"""How good synthetic rows are, in figures: values, correlations, groups, models trained on them, nearest neighbours.

**Not private.** Every figure is an exact function of the private rows: INTERNAL – NOT PRIVATE.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.output.rows import PlainRows
from oracledp.data.schema import Column, Moment, Ordered, Schema
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.report.downstream import Downstream, downstream
from oracledp.report.neighbours import Neighbourhood, neighbourhood
from oracledp.report.value_comparison import ValueGap, middles, value_gaps

BANNER = "INTERNAL – NOT PRIVATE"
MOST_ROWS = 20_000  # of each table, for ranks, models and neighbours
_FEW = 12  # values of a column that makes groups
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TextGap:
    """A column without numbers: total variation distance, and how many of its values occur in each table."""

    column: str
    distance: float
    distinct: tuple[int, int]


@dataclass(frozen=True)
class Correlations:
    """Mean and largest distance of the correlations of two columns of numbers."""

    pearson: float
    pearson_most: float
    spearman: float
    spearman_most: float


@dataclass(frozen=True)
class GroupGap:
    """The medians of a number in the groups of another column: their mean distance, in interquartile ranges."""

    column: str
    by: str
    error: float
    groups: int


@dataclass(frozen=True)
class Quality:
    """A synthetic table beside the real one. **Not private: never release it.**"""

    values: tuple[ValueGap, ...]
    texts: tuple[TextGap, ...]
    correlations: Correlations | None
    groups: tuple[GroupGap, ...]
    models: tuple[Downstream, ...]
    neighbours: Neighbourhood
    marking: str = BANNER

    def to_json(self) -> dict[str, Any]:
        """Plain figures, marked as not private."""
        found = asdict(self)
        return {"marking": found.pop("marking"), "private": False, **found}

    def __str__(self) -> str:
        lines = [f"{self.marking}: exact figures of the private table. Real → synthetic."]
        for gap in self.values:
            figures = [("mean", gap.real.mean, gap.made.mean), ("median", gap.real.quantiles[2], gap.made.quantiles[2])]
            figures += [("deviation", gap.real.deviation, gap.made.deviation), ("distinct", *gap.distinct)]
            shown = ", ".join(f"{name} {a:,.5g} → {b:,.5g}" for name, a, b in figures)
            lines.append(f"{gap.column}: {shown}, Wasserstein {gap.wasserstein:.3f} deviations")
        lines += [f"{gap.column}: total variation {gap.distance:.4f}, values {gap.distinct}" for gap in self.texts]
        if self.correlations is not None:
            found = self.correlations
            lines.append(
                f"correlations off by {found.pearson:.3f} (Pearson), {found.spearman:.3f} (Spearman) on average"
            )
        if self.groups:
            worst = max(self.groups, key=lambda gap: gap.error)
            mean = sum(gap.error for gap in self.groups) / len(self.groups)
            lines.append(f"medians by group off by {mean:.3f} interquartile ranges, worst {worst.column} by {worst.by}")
        lines += [str(found) for found in self.models]
        return "\n".join([*lines, str(self.neighbours)])


def quality_of(real: Any, synthesizer: Any, *, target: str | None = None, seed: int = 0) -> Quality:
    """Compare real rows, a frame or table, with as many of a fitted synthesizer's."""
    schema: Schema = synthesizer.schema
    if target is not None:
        schema.position(target)
    table = real if isinstance(real, Table) else Table.from_frame(real, schema)
    if table.schema.columns != schema.columns:
        raise ParameterError("the table was encoded with another schema")
    if not table.rows:
        raise ParameterError("there are no rows to compare with")
    made = synthesizer.sample(min(table.rows, 1_000_000), seed=seed)
    rows = Table.from_columns(made.columns, schema) if isinstance(made, PlainRows) else Table.from_frame(made, schema)
    return quality(table, rows, target=target, seed=seed)


def quality(real: Table, made: Table, *, target: str | None = None, seed: int = 0) -> Quality:
    """The figures for two tables of one schema."""
    generator = np.random.default_rng(seed)
    columns = real.schema.columns
    both = [_some_rows(table, generator) for table in (real, made)]
    numbers = [place for place, column in enumerate(columns) if _is_number(column)]
    values = [_numbers(columns, rows, numbers) for rows in both]
    texts = tuple(_text_gap(real, made, at) for at in range(len(columns)) if at not in numbers)
    return Quality(
        tuple(value_gaps(real, made)),
        texts,
        _correlations(*values) if len(numbers) > 1 else None,
        _group_gaps(columns, both, numbers, values),
        downstream(columns, both, target, seed),
        neighbourhood(columns, both, generator),
    )


def _is_number(column: Column) -> bool:
    return isinstance(column, Ordered) and not isinstance(column, Moment)


def _some_rows(table: Table, generator: np.random.Generator) -> NDArray[np.int64]:
    """Rows of codes, each as often as it occurs; of many, a sample."""
    if table.rows <= MOST_ROWS:
        return np.repeat(table.codes.astype(np.int64), table.counts, axis=0)
    ends = np.cumsum(table.counts)
    picked = np.searchsorted(ends, generator.choice(table.rows, MOST_ROWS, replace=False), side="right")
    return table.codes[picked].astype(np.int64)


def _numbers(columns: tuple[Column, ...], rows: NDArray[np.int64], places: list[int]) -> Floats:
    """Rows × columns of numbers."""
    found = [_values(columns[at], rows[:, at]) for at in places]
    return np.stack(found, axis=1) if found else np.zeros((len(rows), 0))


def _values(column: Column, codes: NDArray[np.int64]) -> Floats:
    """The numbers of codes, NaN where one is missing."""
    assert isinstance(column, Ordered)
    found = np.append(middles(column), np.nan)
    return np.asarray(found[np.minimum(codes, column.value_size)])


def _text_gap(real: Table, made: Table, at: int) -> TextGap:
    column = real.schema.columns[at]
    counts = [np.bincount(t.codes[:, at], weights=t.counts, minlength=column.size) for t in (real, made)]
    shares = [held / max(held.sum(), 1.0) for held in counts]
    distinct = int(np.count_nonzero(shares[0])), int(np.count_nonzero(shares[1]))
    return TextGap(column.name, float(np.abs(shares[0] - shares[1]).sum() / 2), distinct)


def _correlations(real: Floats, made: Floats) -> Correlations:
    upper = np.triu_indices(real.shape[1], 1)
    found = []
    for ranked in (False, True):
        one, two = (_matrix(_ranks(table) if ranked else table) for table in (real, made))
        gaps = np.abs(one - two)[upper]
        found += [float(gaps.mean()), float(gaps.max())]
    return Correlations(*found)


def _matrix(values: Floats) -> Floats:
    filled = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
    centred = np.nan_to_num(filled - filled.mean(axis=0))
    spread = np.sqrt((centred**2).mean(axis=0))
    return np.asarray(centred.T @ centred / len(values) / np.maximum(np.outer(spread, spread), 1e-300))


def _ranks(values: Floats) -> Floats:
    """Middle ranks, NaN where a value is missing."""
    ranks = np.full_like(values, np.nan)
    for at in range(values.shape[1]):
        held = ~np.isnan(values[:, at])
        _, inverse, counts = np.unique(values[held, at], return_inverse=True, return_counts=True)
        ranks[held, at] = (np.cumsum(counts) - counts / 2)[inverse]
    return ranks


def _group_gaps(
    columns: tuple[Column, ...], both: list[NDArray[np.int64]], numbers: list[int], values: list[Floats]
) -> tuple[GroupGap, ...]:
    """The median of every number by every short column."""
    found = []
    for by, column in enumerate(columns):
        if by in numbers or column.size > _FEW:
            continue
        for place, at in enumerate(numbers):
            real, made = values[0][:, place], values[1][:, place]
            low, high = np.nanpercentile(real, [25, 75]) if not np.isnan(real).all() else (0.0, 0.0)
            scale = max(high - low, float(np.nanstd(real)) / 2, 1e-12) if not np.isnan(real).all() else 1.0
            gaps = [
                abs(_median(real[both[0][:, by] == code]) - _median(made[both[1][:, by] == code])) / scale
                for code in range(column.size)
            ]
            known = [gap for gap in gaps if not np.isnan(gap)]
            if known:
                found.append(GroupGap(columns[at].name, column.name, float(np.mean(known)), len(known)))
    return tuple(found)


def _median(values: Floats) -> float:
    """NaN where there are too few values for a median to mean anything."""
    held = values[~np.isnan(values)]
    return float(np.median(held)) if len(held) >= 20 else np.nan
