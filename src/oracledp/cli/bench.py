"""``oracledp bench``: how fast the oracles are here, against CP-SAT on the same instances."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table as Grid

from oracledp.benchmarking import oracle_rows
from oracledp.cli.common import emit, json_option, progress, quiet_option


@click.group()
def bench() -> None:
    """Measure speed on this machine."""


@bench.command()
@click.option("--quick", is_flag=True, help="Small instances: seconds instead of minutes.")
@quiet_option
@json_option
def oracles(quick: bool, quiet: bool, as_json: bool) -> None:
    """Seconds to a proven optimum, and how many times longer CP-SAT takes."""
    with progress("solving the same problems twice", quiet):
        rows = oracle_rows(quick=quick)
    if as_json:
        emit(True, {"rows": rows}, "")
        return
    grid = Grid("class", "queries", "n", "d", "oracle", "seconds", "CP-SAT", "ratio", "same value")
    for row in rows:
        numbers = [f"{row['seconds']:.4f}", f"{row['cp_sat_seconds']:.2f}", f"{row['ratio_to_cp_sat']:.0f}"]
        same = "yes" if row["same_value"] else "no"
        grid.add_row(row["class"], f"{row['queries']:,}", str(row["n"]), str(row["d"]), row["oracle"], *numbers, same)
    Console(width=120).print(grid)
