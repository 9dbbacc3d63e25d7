"""INTERNAL – NOT PRIVATE: real and synthetic rows side by side, for the eyes of those who may see the real ones.

The page shows exact figures of the private table. No guarantee covers it. It is never written unless asked for, never
part of a release, and its file name has to say that it is internal.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from oracledp.data.output.rows import PlainRows
from oracledp.data.schema import Column, Schema
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.game.oracle_query import OracleQuery
from oracledp.report import charts
from oracledp.report.comparison import Comparison, Floats, cell_shares, compare
from oracledp.report.page import box, grid, page, section
from oracledp.report.quality import BANNER, Quality, quality
from oracledp.synthesis import Synthesizer
from oracledp.whole_files import write_whole

FILE_NAME = "INTERNAL-NOT-PRIVATE-comparison.html"
_BARS = 12  # labels of a bar chart
_GROUPS = 12  # groups per side of a pair's picture
_MAP = 30  # columns of the map of pairs


def internal_comparison(
    real: Any, synthetic: Any, path: str | Path = FILE_NAME, *, schema: Schema | None = None, seed: int = 0
) -> Path:
    """Write the page that compares private rows with synthetic ones. **The page is not private.**

    ``real`` is a frame or :class:`~oracledp.data.table.Table`; ``synthetic`` likewise, or a fitted
    :class:`~oracledp.synthesis.Synthesizer` or :class:`~oracledp.OracleQuery`, which is then sampled. Frames alone
    need the ``schema``. The file's name must contain "internal", so that nobody hands it on by mistake.
    """
    target = internal_path(path)
    if isinstance(synthetic, Synthesizer | OracleQuery):
        schema, synthetic = synthetic.schema, synthetic.sample(seed=seed)
    write_whole(target, comparison_page(real, synthetic, schema=schema, seed=seed))
    return target


def comparison_page(real: Any, synthetic: Any, *, schema: Schema | None = None, seed: int = 0) -> str:
    """The page itself, for two tables or frames. **It is not private.**"""
    tables = [_table(rows, schema) for rows in (real, synthetic)]
    return internal_page(compare(*tables, seed=seed))


def internal_path(path: str | Path) -> Path:
    """A path whose file name says what it holds, or an error."""
    target = Path(path)
    if "internal" not in target.name.lower():
        raise ParameterError(
            f"{target.name}: the name of a page that is not private must contain 'internal', such as {FILE_NAME}"
        )
    return target


def _table(rows: Any, schema: Schema | None) -> Table:
    if isinstance(rows, Table):
        return rows
    if schema is None:
        raise ParameterError("frames alone do not say what their values could be: pass schema=")
    return Table.from_columns(rows.columns, schema) if isinstance(rows, PlainRows) else Table.from_frame(rows, schema)


def internal_page(comparison: Comparison) -> str:
    """The page as HTML."""
    warning = (
        "This page shows exact figures of the private table. No privacy guarantee covers it. "
        "Show it only to those who may see the table itself, and never release it with the synthetic rows."
    )
    found = quality(comparison.real, comparison.made)
    sections = [
        box(warning, kind="warning"),
        section("Error by workload", _workloads(comparison)),
        section("Values", _values(found)),
        section("Groups, models, neighbours", _uses(found)),
        section("Worst queries", _worst(comparison)),
        section("Columns", charts.legend("real", "synthetic") + _columns(comparison)),
        section("Pairs of columns", _pairs(comparison)),
    ]
    return page("Real against synthetic", sections, footer=f"Made with oracledp. {BANNER}.", banner=BANNER)


def _workloads(comparison: Comparison) -> str:
    rows = [
        (found.workload, f"{found.queries:,}", _percent(found.mean), _percent(found.resampled), _percent(found.largest))
        for found in comparison.workloads
    ]
    note = (
        f'<p class="note">{comparison.real.rows:,} real and {comparison.made.rows:,} synthetic rows. An error is the '
        "distance of two shares, in percentage points. For marginals the mean is the total variation distance, "
        "averaged over sets of columns. “Luck alone” is the mean error of as many rows drawn from the real table with "
        "replacement: no synthetic table needs to be closer than that.</p>"
    )
    return grid(("workload", "how many", "mean", "luck alone", "largest"), rows, numbers=(1, 2, 3, 4)) + note


def _values(found: Quality) -> str:
    """Each figure as real → synthetic."""
    if not found.values:
        return "<p>No column holds numbers.</p>"
    rows = []
    for gap in found.values:
        pairs = [(gap.real.mean, gap.made.mean), *((gap.real.quantiles[i], gap.made.quantiles[i]) for i in (0, 2, 4))]
        figures = [f"{a:,.4g} → {b:,.4g}" for a, b in (*pairs, (gap.real.deviation, gap.made.deviation))]
        missing = f"{_percent(gap.real.missing)} → {_percent(gap.made.missing)}"
        distinct = f"{gap.distinct[0]:,} → {gap.distinct[1]:,}"
        rows.append((gap.column, *figures, distinct, missing, f"{100 * gap.error:.1f} %", f"{gap.wasserstein:.3f}"))
    header = (
        "column", "mean", "5 %", "median", "95 %", "standard deviation", "distinct values", "missing", "mean's error",
        "Wasserstein",
    )  # fmt: skip
    note = "Real → synthetic; the error of the mean in interquartile ranges, the Wasserstein distance in standard "
    note += "deviations. Bins count by their middles."
    if (tied := found.correlations) is not None:
        note += f" Correlations of two columns differ by {tied.pearson:.3f} (Pearson) and {tied.spearman:.3f} "
        note += f"(Spearman) on average, at most by {tied.pearson_most:.3f} and {tied.spearman_most:.3f}."
    return grid(header, rows, numbers=tuple(range(1, 10))) + f'<p class="note">{note}</p>'


def _uses(found: Quality, most: int = 10) -> str:
    """Medians by group, models trained on either table, and the nearest real rows."""
    worst = sorted(found.groups, key=lambda gap: -gap.error)[:most]
    groups = [(f"median of {gap.column} by {gap.by}", gap.groups, f"{100 * gap.error:.1f} %") for gap in worst]
    lines = [str(model) for model in found.models] + [str(found.neighbours)]
    listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
    table = grid(
        ("medians by group, the worst", "groups", "mean distance, in interquartile ranges"), groups, numbers=(1, 2)
    )
    return (table if groups else "") + f"<ul>{listed}</ul>"


def _worst(comparison: Comparison, most: int = 15) -> str:
    rows = [(gap.query, _percent(gap.real), _percent(gap.made), _percent(gap.error)) for gap in comparison.worst[:most]]
    return grid(("query", "real", "synthetic", "error"), rows, numbers=(1, 2, 3))


def _columns(comparison: Comparison) -> str:
    cards = []
    for place, column in enumerate(comparison.real.schema.columns):
        _, (real, made) = cell_shares((comparison.real, comparison.made), (place,))
        note = f"{column.size} values, distance {_percent(np.abs(real - made).sum() / 2)}"
        cards.append(charts.figure(column.name, note, _picture(column, real, made)))
    return f'<div class="cards">{"".join(cards)}</div>'


def _picture(column: Column, real: Floats, made: Floats) -> str:
    labels = column.labels
    if column.ordered and len(labels) > _BARS:
        missing = f"<p class=note>missing: {_percent(real[-1])} and {_percent(made[-1])}</p>" if column.nullable else ""
        inside = slice(column.value_size)
        return charts.curves(labels[inside], real[inside], made[inside]) + missing
    if len(labels) <= _BARS:
        return charts.paired_bars(labels, real, made)
    top = np.sort(np.argsort(-(real + made), kind="stable")[: _BARS - 1])
    rest = np.setdiff1d(np.arange(len(labels)), top)
    shown = [labels[i] for i in top] + [f"{len(rest)} others"]
    return charts.paired_bars(shown, np.append(real[top], real[rest].sum()), np.append(made[top], made[rest].sum()))


def _pairs(comparison: Comparison, pictures: int = 4) -> str:
    schema = comparison.real.schema
    width = len(schema.columns)
    distance = np.zeros((width, width))
    for r in range(width):
        for c in range(r + 1):
            _, (real, made) = cell_shares((comparison.real, comparison.made), (c, r) if c < r else (r,), grouped=True)
            distance[r, c] = distance[c, r] = np.abs(real - made).sum() / 2
    kept = np.sort(np.argsort(-distance.sum(axis=0), kind="stable")[:_MAP])
    note = f"The {_MAP} columns with the largest distances. " if width > _MAP else ""
    lower = np.where(np.tri(width, k=-1) > 0, distance, -1.0)
    worst = [divmod(int(place), width) for place in np.argsort(-lower, axis=None)[:pictures]]
    figures = [_pair_figure(comparison, c, r, distance[r, c]) for r, c in worst if lower[r, c] >= 0]
    return (
        f'<p class="note">{note}Total variation distance of each pair of columns, in percentage points; on the '
        "diagonal, of single columns. Differences of values that occur a few times add up here, so long columns look "
        "worst.</p>"
        + charts.matrix([schema.columns[i].name for i in kept], distance[np.ix_(kept, kept)])
        + "<h3>The pairs that differ most</h3>"
        + f'<p class="note">Sides of more than {_GROUPS} values are cut into groups of about equal mass.</p>'
        + "".join(figures)
    )


def _pair_figure(comparison: Comparison, first: int, second: int, distance: float) -> str:
    """Shades of the real table, of the synthetic one and of their difference."""
    tables = [_grouped(comparison, table, first, second) for table in (comparison.real, comparison.made)]
    most = float(max(table.max() for table in tables))
    names = [comparison.real.schema.columns[c].name for c in (first, second)]
    gap = tables[1] - tables[0]
    parts = (
        '<div class="triple">'
        + charts.shades(tables[0], most, "real")
        + charts.shades(tables[1], most, "synthetic")
        + charts.shades(gap, most, f"difference, at most {_percent(np.abs(gap).max())}", signed=True)
        + "</div>"
    )
    return charts.figure(
        f"{names[0]} (down), {names[1]} (across)", f"distance {_percent(distance)}", parts, kind="across"
    )


def _grouped(comparison: Comparison, table: Table, first: int, second: int) -> Floats:
    """The pair's table with each side cut into a few groups of about equal mass in the real table."""
    sides = [_groups(comparison.real, column) for column in (first, second)]
    out = np.zeros((int(sides[0].max()) + 1, int(sides[1].max()) + 1))
    np.add.at(out, (sides[0][table.codes[:, first]], sides[1][table.codes[:, second]]), table.counts / table.rows)
    return out


def _groups(table: Table, column: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    mass = cell_shares((table,), (column,))[1][0]
    if len(mass) <= _GROUPS:
        return np.arange(len(mass))
    order = np.arange(len(mass)) if table.schema.columns[column].ordered else np.argsort(-mass, kind="stable")
    middle = np.cumsum(mass[order]) - mass[order] / 2
    group = np.empty(len(mass), dtype=np.int64)
    group[order] = np.unique(np.minimum((middle * _GROUPS).astype(np.int64), _GROUPS - 1), return_inverse=True)[1]
    return group


def _percent(share: float) -> str:
    return f"{100 * float(share):.2f} %"
