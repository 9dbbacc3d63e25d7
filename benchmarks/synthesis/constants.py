"""The constants by which long columns are counted, chosen by leaving out one table after another.

``python -m benchmarks.synthesis.constants [--runs 20] [--tables bank,adult] [--variants 'heavy 5;fine 4']``

The variants change those of ``BEFORE``, and the single columns of each table are measured anew at ε = 1 (fits and rows
play no part), by a schema that a tenth of the budget bought once (twice the budget, where rows are few). A column's
error is the mean logarithm of three: its one-dimensional Wasserstein distance and the distance of its mean, in standard
deviations, and the relative error of its deviation. A table's is the mean over its columns and runs. The last lines
say, for each table left out, which variant is best on the others and what it does to the one left out. Real tables come
from the folder in ORACLEDP_DATA.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pandas
from benchmarks.synthesis.raw import TABLES
from benchmarks.synthesis.results import read, record
from benchmarks.synthesis.tables import FOLDER

from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.mechanisms.private_schema import SchemaInference, infer_schema
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis import locating, measuring, stages, tails
from oracledp.synthesis.measurements import Meter, Records
from oracledp.synthesis.synthesizer import records_of

Changes = list[tuple[ModuleType, str, Any]]


def _heavy(deviations: float) -> Changes:
    return [(stages, "WORTH", deviations), (locating, "WORTH", deviations)]


BEFORE = [*_heavy(4.0), (locating, "_FINE", 6)]  # what all variants change
VARIANTS: dict[str, Changes] = {
    "as before": [],
    "heavy 3": _heavy(3.0),
    "heavy 5": _heavy(5.0),
    "small 2": [(stages, "_SMALL", 2.0)],
    "small 3": [(stages, "_SMALL", 3.0)],
    "parts 10": [(stages, "_PARTS", 10)],
    "parts 40": [(stages, "_PARTS", 40)],
    "halves 0.1": [(measuring, "_HALVES", 0.1)],
    "halves 0.3": [(measuring, "_HALVES", 0.3)],
    "look 1/24": [(locating, "_LOOK", Fraction(1, 24))],
    "look 1/6": [(locating, "_LOOK", Fraction(1, 6))],
    "fine 4": [(locating, "_FINE", 4)],
    "fine 10": [(locating, "_FINE", 10)],
    "growth 1.5": [(locating, "_GROWTH", 1.5)],
    "growth 3": [(locating, "_GROWTH", 3)],
    "heavy 6": _heavy(6.0),
    "fine 3": [(locating, "_FINE", 3)],
    "heavy 5, fine 4": [*_heavy(5.0), (locating, "_FINE", 4)],
    "heavy 5, fine 3": [*_heavy(5.0), (locating, "_FINE", 3)],
    "heavy 5, fine 4, parts 10": [*_heavy(5.0), (locating, "_FINE", 4), (stages, "_PARTS", 10)],
    "heavy 5, fine 4, halves 0.1": [*_heavy(5.0), (locating, "_FINE", 4), (measuring, "_HALVES", 0.1)],
    "anchor 4": [(tails, "_ANCHOR", 4.0)],
    "anchor 16": [(tails, "_ANCHOR", 16.0)],
}
SMALL = 5000  # rows below which a tenth of the budget describes no column
FIRST = 1000  # seed: none that was looked at while the constants were set by hand
NOTHING = (0.01, 0.01, 0.05)  # errors below which less is no gain: half of what is asked of distance, mean, deviation


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--tables", default="bank,adult,heloc,telco,compas,titanic,cancer,amounts,counts")
    parser.add_argument("--variants", default=";".join(VARIANTS))
    options = parser.parse_args()
    found = lines(options.tables.split(","), options.variants.split(";"), options.runs)
    record("constants", found, ("table", "variant"))
    for line in left_out(read("constants")):
        print(line)


def lines(names: list[str], variants: list[str], runs: int) -> Iterator[dict[str, Any]]:
    for name in names:
        try:
            frame = load(name)
        except FileNotFoundError as missing:
            print(f"skipped {name}: no file {missing.filename}", file=sys.stderr)
            continue
        epsilon = Fraction(1, 10) if len(frame) >= SMALL else Fraction(2)
        schema = infer_schema(frame, epsilon=epsilon, delta="1e-7", source=SeededRandomness(0)).schema
        records = records_of(Table.of(frame, schema))
        for variant in variants:
            with changed([*BEFORE, *VARIANTS[variant]]):
                found = [error(schema, records, seed) for seed in range(FIRST, FIRST + runs)]
            yield {"table": name, "variant": variant, "runs": runs, "error": round(float(np.mean(found)), 4)}


def load(name: str) -> pandas.DataFrame:
    """A real table, one that ships with scikit-learn, or one of two that are generated."""
    if name == "cancer":
        from sklearn.datasets import load_breast_cancer

        return load_breast_cancer(as_frame=True).frame
    if name in TABLES:
        return pandas.read_csv(FOLDER / TABLES[name][0])
    rng, rows = np.random.default_rng(7), {"amounts": 20_000, "counts": 5_000}[name]
    if name == "amounts":
        paid = np.where(rng.random(rows) < 0.6, 0, rng.lognormal(5, 1.2, rows)).round(2)
        price = np.floor(rng.gamma(2, 15, rows)) + rng.choice([0, 0.5, 0.99], rows, p=[0.2, 0.2, 0.6])
        wealth = ((rng.pareto(2.5, rows) + 1) * 10_000).round()
        columns = {"paid": paid, "price": price, "wealth": wealth, "change": rng.standard_t(3, rows).round(3)}
    else:
        year = 2024 - rng.geometric(0.08, rows)
        height = np.where(rng.random(rows) < 0.5, rng.normal(165, 7, rows), rng.normal(179, 8, rows)).round(1)
        visits = rng.negative_binomial(1, 0.15, rows)
        columns = {"year": year, "height": height, "visits": visits, "minutes": rng.integers(0, 1440, rows)}
    return pandas.DataFrame(columns)


@contextmanager
def changed(changes: Changes) -> Iterator[None]:
    before = [(module, name, getattr(module, name)) for module, name, _ in changes]
    for module, name, value in changes:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


def error(schema: Schema, records: Records, seed: int) -> float:
    """The mean over the columns that are counted in stages, of one measurement."""
    budget = SchemaInference(len(schema.columns), Fraction(1), Fraction(1, 10**6), Neighbours.DEFAULT).budget
    meter = Meter(records, budget.part(Fraction(9, 10)), Neighbours.DEFAULT, SeededRandomness(seed))
    measured, (codes, counts) = measuring.measure(meter, 2), records.sealed.unseal()
    found = []
    for column, order in enumerate(records.fine_order):
        if stages.staged(order):
            steps = records.steps_of(column)
            true = np.bincount(codes[:, column], weights=counts, minlength=records.sizes[column])[:order]
            found.append(apart(true, measured.marginals[column][:order], (steps[:-1] + steps[1:] - 1) / 2))
    return float(np.mean(found))


def apart(true: Any, made: Any, places: Any) -> float:
    """The mean logarithm of the three errors of one column."""
    true, made = true / true.sum(), made / made.sum()
    means = [float(mass @ places) for mass in (true, made)]
    spreads = [float(mass @ (places - mean) ** 2) ** 0.5 for mass, mean in zip((true, made), means, strict=True)]
    distance = float(np.abs(np.cumsum(true - made))[:-1] @ np.diff(places)) / spreads[0]
    errors = (distance, abs(means[1] - means[0]) / spreads[0], abs(spreads[1] / spreads[0] - 1))
    return float(np.mean(np.log(np.maximum(errors, NOTHING))))


def left_out(known: list[dict[str, Any]]) -> Iterator[str]:
    """What each variant changes on average, and what would be chosen without each table."""
    table = pandas.DataFrame(known).pivot(index="variant", columns="table", values="error")
    gains = table - table.loc["as before"]
    for variant, gain in gains.mean(axis=1).sort_values().items():
        yield f"{variant}: {np.expm1(gain):+.1%} on average; " + ", ".join(
            f"{name} {np.expm1(value):+.0%}" for name, value in gains.loc[variant].items()
        )
    for name in gains:
        best = str(gains.drop(columns=name).mean(axis=1).idxmin())
        yield f"without {name}: {best}, {np.expm1(gains.loc[best, name]):+.1%} on it"


if __name__ == "__main__":
    main()
