"""``python -m benchmarks.engine``: how fast the oracles are here, beside general solvers on the same instances."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.engine import results
from benchmarks.engine.data import generated, load
from benchmarks.engine.measure import Settings
from benchmarks.engine.suite import SECTIONS, run
from oracledp.cli.common import emit, json_option, progress, quiet_option
from oracledp.cli.outputs import refuse_unwritable
from oracledp.errors import OracleDPError

QUICK_ROWS, QUICK_LIMIT = 1000, 2.0


@click.command()
@click.option("--quick", is_flag=True, help="Small instances of a generated table: a minute instead of an hour.")
@click.option("--only", multiple=True, type=click.Choice(list(SECTIONS)), help="Only this section; may be repeated.")
@click.option("--peers/--no-peers", default=True, show_default=True, help="Also CP-SAT, RC2, HiGHS and enumeration.")
@click.option(
    "--specialist", "specialists", multiple=True, type=click.Choice(Settings.specialists),
    default=Settings.specialists, help="Learners of trees to run; all that are installed.",
)  # fmt: skip
@click.option("--limit", default=60.0, show_default=True, help="CPU seconds after which a peer is stopped.")
@click.option(
    "--data", default="../shared/data", show_default=True, help="Folder with the Adult table, if there is one."
)
@click.option("--results", "results_path", type=click.Path(dir_okay=False), help="Keep the rows in this JSON file.")
@quiet_option
@json_option
def bench(
    quick: bool,
    only: tuple[str, ...],
    peers: bool,
    specialists: tuple[str, ...],
    limit: float,
    data: str,
    results_path: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """CPU seconds to a proven optimum, and how many times longer general solvers take."""
    refuse_unwritable(results_path)
    table = generated(QUICK_ROWS) if quick else load(Path(data))
    settings = Settings(
        quick=quick, limit=min(limit, QUICK_LIMIT) if quick else limit, peers=peers, specialists=specialists
    )
    rows: list[dict[str, Any]] = []
    with progress("solving the same problems with several solvers", quiet):
        for section in only or SECTIONS:
            for row in run(section, table, settings):
                rows.append(row)
                if results_path is not None:
                    path = Path(results_path)
                    results.write(path, results.merge(results.read(path), [row]))
    if as_json:
        emit(True, {"table": table.name, "rows": rows}, "")
    else:
        Console(width=140).print(_grid(rows))


def _grid(rows: list[dict[str, Any]]) -> Grid:
    names = ("CP-SAT", "RC2", "HiGHS", "enumeration")
    grid = Grid("section", "case", "oracle", "prepared", *names)
    for row in rows:
        peers = [_peer(row.get("peers", {}).get(name), row.get("again")) for name in names]
        grid.add_row(row["section"], row["case"], row.get("oracle", ""), _own(row), *peers)
    return grid


def _own(row: dict[str, Any]) -> str:
    """Seconds of our own search; of every oracle where they are compared."""
    if "oracles" in row:
        done = [f"{name} {one['first']:.2g} s" for name, one in row["oracles"].items() if one["finished"]]
        return ", ".join(done)
    return str(row["failed"]) if "failed" in row else row.get("version") or f"{row['again']:.2g} s"


def _peer(outcome: dict[str, Any] | None, seconds: float | None) -> str:
    """Seconds of a peer, and how many times longer that is."""
    if outcome is None or seconds is None:
        return ""
    longer = f"{outcome['seconds'] / max(seconds, 1e-6):,.0f} times"
    mark = "" if outcome["finished"] else ">"
    return f"{mark}{outcome['seconds']:.2g} s ({mark}{longer}){'' if outcome.get('same', True) else ' other value'}"


def main() -> None:
    """The command, with errors as one line."""
    try:
        bench(prog_name="python -m benchmarks.engine")
    except OracleDPError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
