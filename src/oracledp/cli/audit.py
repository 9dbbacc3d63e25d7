"""``oracledp audit``: what is claimed against what is found, tier by tier, and the broken mechanisms."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table as Grid

from oracledp.audit.catalogue import catalogue
from oracledp.audit.curves import catalogue_curves, draw
from oracledp.audit.tiers import TIERS
from oracledp.cli.common import emit, json_option, progress, quiet_option
from oracledp.cli.outputs import refuse_unwritable
from oracledp.errors import ParameterError

Row = dict[str, Any]


@click.command()
@click.argument("mechanisms", nargs=-1)
@click.option(
    "--tier",
    type=click.Choice([*TIERS, "all"]),
    default="exact",
    show_default=True,
    help="How to look: exact laws, what ships, hostile oracles, samplers, from outside, what shows besides a release.",
)
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw exact privacy curves beside the claimed ones.")
@click.option("--mutants", is_flag=True, help="Audit the deliberately broken mechanisms: all must be caught.")
@quiet_option
@json_option
def audit(mechanisms: tuple[str, ...], tier: str, plot: str | None, mutants: bool, quiet: bool, as_json: bool) -> None:
    """Audit the named MECHANISMS (or mutants; all by default) and fail if a claim is broken."""
    if mutants:
        _audit_mutants(mechanisms, quiet, as_json)
        return
    if plot is not None:
        refuse_unwritable(plot)
        with progress("drawing exact curves", quiet):
            draw(catalogue_curves(), plot)
    if mechanisms and tier != "exact":
        raise ParameterError(f"the tier {tier} looks at everything: name no mechanism")
    rows: list[Row] = []
    for name in TIERS if tier == "all" else (tier,):
        with progress(f"auditing {TIERS[name].looks_at}", quiet):
            findings = _exact(mechanisms) if mechanisms else TIERS[name].findings()
        rows += [{"tier": name, **finding.to_json()} for finding in findings]
    if as_json:
        emit(True, {"mechanisms": rows}, "")
    else:
        _print_tiers(rows)
    sys.exit(0 if all(row["holds"] for row in rows) else 1)


def _exact(names: tuple[str, ...]) -> list[Any]:
    entries = catalogue()
    unknown = sorted(set(names) - {entry.name for entry in entries})
    if unknown:
        raise ParameterError(f"no mechanism {unknown[0]!r} to audit; known: {', '.join(e.name for e in entries)}")
    return [finding for entry in entries if not names or entry.name in names for finding in entry.findings()]


def _print_tiers(rows: list[Row]) -> None:
    for tier in dict.fromkeys(row["tier"] for row in rows):
        mine = [row for row in rows if row["tier"] == tier]
        columns = [key for key in dict.fromkeys(key for row in mine for key in row) if key != "tier"]
        grid = Grid(*(column.replace("_", " ") for column in columns), title=TIERS[tier].looks_at)
        for row in mine:
            grid.add_row(*(_cell(column, row.get(column, "")) for column in columns))
        _show(grid)


def _cell(column: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if value is None:
        return "∞"
    if isinstance(value, float):
        return f"{value:.10f}" if column == "exact_epsilon" else f"{value:.4g}"
    return str(value)


def _mutants() -> tuple[Any, ...]:
    """The broken mechanisms, which live beside the tests: no installed package holds them."""
    tests = Path(__file__).parents[3] / "tests"
    if not (tests / "broken" / "catalogue.py").is_file():
        raise ParameterError("--mutants needs the source tree: broken mechanisms are not installed")
    if str(tests) not in sys.path:
        sys.path.append(str(tests))
    return tuple(import_module("broken.catalogue").MUTANTS)


def _audit_mutants(names: tuple[str, ...], quiet: bool, as_json: bool) -> None:
    mutants = _mutants()
    unknown = sorted(set(names) - {mutant.name for mutant in mutants})
    if unknown:
        raise ParameterError(f"no mutant {unknown[0]!r}; 'oracledp audit --mutants' lists them")
    chosen = [mutant for mutant in mutants if not names or mutant.name in names]
    with progress("auditing broken mechanisms", quiet):
        rows = [{"name": m.name, "file": m.file, "caught": m.caught, "tier": m.tier, "wrong": m.wrong} for m in chosen]
    grid = Grid("mutant", "what is wrong with it", "caught by", "caught")
    for row in rows:
        grid.add_row(str(row["name"]), str(row["wrong"]), str(row["tier"]), "yes" if row["caught"] else "NO")
    if as_json:
        emit(True, {"mutants": rows}, "")
    else:
        _show(grid)
    sys.exit(0 if all(row["caught"] for row in rows) else 1)


def _show(grid: Grid) -> None:
    Console(width=None if sys.stdout.isatty() else 160).print(grid)
