"""``oracledp audit``: claimed against exact, for every mechanism on every small data set."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.table import Table as Grid

from oracledp.audit.catalogue import catalogue
from oracledp.audit.mutants import EXACT_MUTANTS
from oracledp.cli.common import emit, json_option, progress, quiet_option
from oracledp.errors import ParameterError


@click.command()
@click.argument("mechanisms", nargs=-1)
@click.option("--mutants", is_flag=True, help="Audit the deliberately broken mechanisms: all must be caught.")
@quiet_option
@json_option
def audit(mechanisms: tuple[str, ...], mutants: bool, quiet: bool, as_json: bool) -> None:
    """Compute the exact law of the named MECHANISMS (all by default) and compare it with what they claim."""
    if mutants:
        _audit_mutants(mechanisms, quiet, as_json)
        return
    entries = catalogue()
    unknown = sorted(set(mechanisms) - {entry.name for entry in entries})
    if unknown:
        raise ParameterError(f"no mechanism {unknown[0]!r} to audit; known: {', '.join(e.name for e in entries)}")
    findings = []
    with progress("summing exact laws", quiet):
        for entry in entries:
            if not mechanisms or entry.name in mechanisms:
                findings += entry.findings()
    rows = [finding.to_json() for finding in findings]
    grid = Grid("mechanism", "neighbours", "claimed ε", "exact ε", "claimed δ", "exact δ", "pairs", "holds")
    for row in rows:
        exact_epsilon = "∞" if row["exact_epsilon"] is None else f"{row['exact_epsilon']:.10f}"
        grid.add_row(
            row["name"],
            row["neighbours"],
            f"{row['claimed_epsilon']:g}",
            exact_epsilon,
            f"{row['claimed_delta']:.3g}",
            f"{row['delta']:.3g}",
            str(row["pairs"]),
            "yes" if row["holds"] else "NO",
        )
    _print(as_json, {"mechanisms": rows}, grid)
    sys.exit(0 if all(finding.holds for finding in findings) else 1)


def _audit_mutants(names: tuple[str, ...], quiet: bool, as_json: bool) -> None:
    chosen = [mutant for mutant in EXACT_MUTANTS if not names or mutant.name in names]
    with progress("auditing broken mechanisms", quiet):
        rows = [{"name": m.name, "caught": m.caught, "tier": m.tier, "wrong": m.wrong} for m in chosen]
    grid = Grid("mutant", "what is wrong with it", "caught by", "caught")
    for row in rows:
        grid.add_row(str(row["name"]), str(row["wrong"]), str(row["tier"]), "yes" if row["caught"] else "NO")
    _print(as_json, {"mutants": rows}, grid)
    sys.exit(0 if all(row["caught"] for row in rows) else 1)


def _print(as_json: bool, data: dict[str, object], grid: Grid) -> None:
    if as_json:
        emit(True, data, "")
    else:
        Console(width=None if sys.stdout.isatty() else 140).print(grid)
