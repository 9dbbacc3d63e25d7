"""Draw docs/scale.png from results.json: processor time and peak memory against rows, distinct records and columns.

Run: python -m benchmarks.scale.plot
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "docs" / "scale.png"
LINES = {
    "group_stored_codes": ("GROUP BY over stored codes", "#9aa5b1", "--"),
    "group_by_hand": ("encoding by hand + GROUP BY", "#5b6b7d", "--"),
    "table": ("Table.from_file", "#2b7a4b", "-"),
    "exponential": ("rule of 3 literals, exponential", "#c46a4a", "-"),
    "rspm": ("rule of 3 literals, RSPM", "#8a5a9e", "-"),
}
PANELS = {
    "rows": ("table_rows", "rows (at most 1 million distinct records)"),
    "records": ("distinct", "distinct records (10 million rows)"),
    "columns": ("columns", "columns (10 million rows)"),
}


def points(rows: list[dict[str, Any]], series: str, stage: str, across: str, value: str) -> tuple[list[Any], list[Any]]:
    """The measurements of one stage; the number of distinct records is the table's."""
    distinct = {
        (row["table_rows"], row["profiles"], row["columns"]): row["distinct"]
        for row in rows
        if row["stage"] == "table" and "failed" not in row
    }
    chosen = [row for row in rows if row["series"] == series and row["stage"] == stage and "failed" not in row]
    places = [distinct[row["table_rows"], row["profiles"], row["columns"]] for row in chosen]
    pairs = sorted(
        (place if across == "distinct" else row[across], row[value]) for place, row in zip(places, chosen, strict=True)
    )
    return [x for x, _ in pairs], [y for _, y in pairs]


def main() -> None:
    rows = json.loads((HERE / "results.json").read_text())
    figure, axes = plt.subplots(2, 3, figsize=(13, 7), constrained_layout=True)
    for column, (series, (across, label)) in enumerate(PANELS.items()):
        for line, (value, name) in enumerate({"cpu": "processor seconds", "peak_gib": "peak memory, GiB"}.items()):
            axis = axes[line][column]
            for stage, (title, colour, style) in LINES.items():
                x, y = points(rows, series, stage, across, value)
                axis.plot(x, y, style, color=colour, marker="o", markersize=4, label=title)
            if series != "columns":
                axis.set_xscale("log")
            if value == "cpu" and series != "columns":
                axis.set_yscale("log")
            else:
                axis.set_ylim(bottom=0)
            axis.set_xlabel(label)
            axis.grid(visible=True, color="#dde3ea")
            if column == 0:
                axis.set_ylabel(name)
    axes[0][0].legend(fontsize=8, frameon=False)
    figure.savefig(TARGET, dpi=110)


if __name__ == "__main__":
    main()
