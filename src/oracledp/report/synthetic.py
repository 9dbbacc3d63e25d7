"""What a synthetic table's release may say: the guarantee, the schema, what was measured and how precisely."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from oracledp.data.schema import Ordered
from oracledp.report.about import About, summary
from oracledp.report.fit import fit_quality, parity_words, query_share
from oracledp.report.page import bar, box, contents, grid, page, section
from oracledp.report.value_axis import value_curve, wide_bins
from oracledp.report.words import promise
from oracledp.synthesis.model import SyntheticModel

_TITLES = ("What it promises", "Columns", "What was measured", "How the fit went", "The columns, as released")


def synthetic_page(model: SyntheticModel, *, rows: int | None = None, about: About | None = None) -> str:
    """The page for one fitted synthesizer; everything on it was released already, ``rows`` of them as a file."""
    released = [("Rows released", f"{rows:,}")] if rows is not None else []
    facts = [("What it is", f"A synthetic table of {len(model.schema.columns)} columns"), *released]
    sections = [
        summary(facts, model.guarantee, about or About()),
        contents(*_TITLES),
        section("What it promises", promise(model.guarantee)),
        section("Columns", columns_of(model)),
        section("What was measured", measured_of(model)),
        section("How the fit went", fit_of(model)),
        section("The columns, as released", marginals_of(model)),
    ]
    return page("A private synthetic table", sections, footer="Made with oracledp. Nothing here is unreleased.")


# ---- sections, for some of a model's columns ---------------------------------------------------------
def columns_of(model: SyntheticModel, places: Sequence[int] | None = None, caption: str = "") -> str:
    """What the columns are, all of them unless places are named."""
    rows = [
        (column.name, type(column).__name__.lower(), column.size, binning.size)
        for column, binning in ((model.schema.columns[place], model.bins[place]) for place in _chosen(model, places))
    ]
    return grid(("column", "kind", "values", "bins in the model"), rows, numbers=(2, 3), caption=caption)


def _chosen(model: SyntheticModel, places: Sequence[int] | None) -> Sequence[int]:
    return range(len(model.schema.columns)) if places is None else places


def measured_of(model: SyntheticModel, counted: str = "records", unit: str = "records") -> str:
    """What was counted and how precisely; ``counted`` and ``unit`` say what one is."""
    by_order: dict[int, list[float]] = {}
    for table in model.tables:
        by_order.setdefault(len(table.columns), []).append(sqrt(float(table.variance)))
    rows = [
        (f"{order}-way tables", len(noise), f"{min(noise):.1f} – {max(noise):.1f}")
        for order, noise in sorted(by_order.items())
    ]
    rows += [(parity_words(found), len(found.values), f"{found.deviation:.1f}") for found in model.parities]
    queries = [(len(group.queries), group.deviation / 2) for group in model.queries]
    if queries:
        noise = [deviation for _, deviation in queries]
        rows.append(("single queries", sum(n for n, _ in queries), f"{min(noise):.1f} – {max(noise):.1f}"))
    total = f"<p>Noisy number of {counted}: {model.total:,.0f}.</p>"
    return total + grid(("counts of", "how many", f"standard deviation of the noise, in {unit}"), rows, numbers=(1, 2))


def fit_of(model: SyntheticModel) -> str:
    """How close the model is to what was measured."""
    rows = [(name, f"{count:,}", f"{distance:.2f}") for name, count, distance in fit_quality(model)]
    note = (
        f'<p class="note">The model is a mixture of {len(model.mixture.weights):,} products of independent columns. '
        "Its distance from the noisy counts is given in standard deviations of their noise (root mean square). At "
        "about 1 or less, what is left between model and counts is noise.</p>"
    )
    return grid(("counts of", "numbers", "distance"), rows, numbers=(1, 2)) + note + _queries(model)


def _queries(model: SyntheticModel, most: int = 40) -> str:
    """The single queries in the order in which they were counted: each round of the game leaves one."""
    rows = []
    for group in model.queries:
        reach = 1.96 * group.deviation / 2 / max(model.total, 1.0)
        for query, value in zip(group.queries, group.values.tolist(), strict=True):
            share = (value / max(model.total, 1.0) + 1) / 2
            measured = (f"{100 * share:.2f} %", f"{100 * reach:.2f}", f"{100 * query_share(model, query):.2f} %")
            rows.append((str(query.query), *measured))
    if not rows:
        return ""
    more = f'<p class="note">The first {most} of {len(rows):,}.</p>' if len(rows) > most else ""
    header = ("query, in the order counted", "measured", "± (95 %)", "in the model")
    return "<h3>Single queries</h3>" + grid(header, rows[:most], numbers=(1, 2, 3)) + more


def marginals_of(model: SyntheticModel, places: Sequence[int] | None = None, most: int = 12) -> str:
    """The released shares of each column, all of them unless places are named."""
    reach, chosen, blocks = _reach(model), _chosen(model, places), []
    for place in chosen:
        column, mass = model.schema.columns[place], model.marginals[place]
        shares = np.asarray(mass, dtype=np.float64) / max(float(np.sum(mass)), 1e-300)
        top = np.argsort(-shares, kind="stable")[:most]
        shown = sorted(top.tolist()) if column.ordered else top.tolist()
        error = f"{100 * reach[place]:.1f}" if place in reach else ""
        rows = [(column.labels[i], f"{100 * shares[i]:.1f} %", error, bar(float(shares[i]))) for i in shown]
        caption = f"{column.name}, by released share"
        blocks.append(grid((column.name, "share", "±" if error else "", ""), rows, numbers=(1, 2), caption=caption))
    note = '<p class="note">±: how far a measured share may be off, in percentage points, with 95 % confidence.</p>'
    return _warning(model, chosen) + _curves(model, chosen) + note + "<br>".join(blocks)


def _curves(model: SyntheticModel, places: Sequence[int]) -> str:
    """Every ordered column on an axis of its values."""
    ordered = [place for place in places if isinstance(model.schema.columns[place], Ordered)]
    curves = "".join(value_curve(model, place) for place in ordered)
    return f'<div class="cards">{curves}</div>' if curves else ""


def _warning(model: SyntheticModel, places: Sequence[int]) -> str:
    """Which bins are so wide and so heavy that the values inside them are made up."""
    names = {model.schema.columns[place].name for place in places}
    found = [f"{name} {label} ({100 * share:.0f} %)" for name, label, share in wide_bins(model) if name in names]
    if not found:
        return ""
    said = "Wide bins that hold many records, whose values are spread evenly inside them: "
    return box(f"{said}{'; '.join(found)}. A resolution in the schema keeps the values themselves.", kind="warning")


def _reach(model: SyntheticModel) -> dict[int, float]:
    """For each column counted value by value, the half width of a 95 % interval of one share."""
    return {
        table.columns[0]: 1.96 * table.deviation / max(model.total, 1.0)
        for table in model.tables
        if len(table.columns) == 1 and table.levels[0] < 0
    }
