"""``oracledp example``: a made-up table with its schema, for tutorials and first steps."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from random import Random

import click

from oracledp.cli.common import emit, json_option
from oracledp.cli.outputs import outputs
from oracledp.errors import ParameterError

SCHEMA = """\
# Visits to a clinic that does not exist. Bounds and categories come from the form that patients fill in, not from rows.
columns:
  age: {kind: integer, lo: 18, hi: 95, thresholds: [30, 40, 50, 60, 70]}
  ward: {kind: categorical, values: [north, south, east]}
  smoker: {kind: boolean}
  pressure: {kind: integer, lo: 80, hi: 200, thresholds: [120, 140, 160], nullable: true}
  visits: {kind: integer, lo: 0, hi: 20, resolution: 1, thresholds: [1, 2, 4], clip: true}
  ill: {kind: boolean}
"""
COLUMNS = ("age", "ward", "smoker", "pressure", "visits", "ill")
MOST_ROWS = 1_000_000


@click.command()
@click.argument("folder", type=click.Path(file_okay=False), default=".")
@click.option("--rows", type=click.IntRange(1, MOST_ROWS), default=3000, show_default=True, help="How many rows.")
@json_option
def example(folder: str, rows: int, as_json: bool) -> None:
    """Write visits.csv, a made-up table, and visits.yaml, its schema, into FOLDER (by default this one).

    The rows are always the same ones. They are public, so you may look at them. A file that exists is never replaced.
    """
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ParameterError(
            f"the folder cannot be made: {getattr(error, 'strerror', None) or 'no such name'}"
        ) from None
    table, schema = str(place / "visits.csv"), str(place / "visits.yaml")
    for path in (table, schema):
        if Path(path).exists():
            raise ParameterError(f"{path} exists already: name another folder")
    with outputs(table=table, schema=schema) as files:
        files.write_text("table", lambda: csv_text(rows))
        files.write_text("schema", lambda: SCHEMA)
        lines = [
            f"wrote {rows:,} made-up rows to {table} and their schema to {schema}; now try:",
            f"  oracledp learn {table} --schema {schema} --target ill --epsilon 1",
        ]
        emit(as_json, {"rows": rows, "table": table, "schema": schema}, "\n".join(lines))
        files.settle()


def csv_text(rows: int) -> str:
    """The made-up table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_people(rows))
    return text.getvalue()


def _people(rows: int) -> Iterator[tuple[object, ...]]:
    """Older people and smokers are ill more often, and come more often."""
    random = Random(2026)  # these rows are nobody's
    for _ in range(rows):
        age = 18 + int(70 * random.random() ** 1.3)
        ward = ("north", "south", "east")[int(3 * random.random() ** 1.4)]
        smoker = random.random() < (0.32 if age < 50 else 0.2)
        pressure = min(200, max(80, int(98 + age / 2 + 12 * smoker + 30 * (random.random() - 0.5))))
        ill = random.random() < 0.06 + 0.35 * (age >= 60) + 0.3 * smoker + 0.15 * (pressure >= 140)
        visits = sum(random.random() < (0.3 if ill else 0.1) for _ in range(8))
        yield age, ward, smoker, None if random.random() < 0.1 else pressure, visits, ill
