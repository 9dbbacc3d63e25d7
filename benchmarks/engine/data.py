"""The tables a benchmark runs on: Adult where it is at hand, otherwise one generated in its likeness."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.engine.labelled import Bits, Flags, Labelled, labelled_tables

RAW = ("adult-raw-train.csv", "adult-raw-test.csv")
BINARY = "binary-tables.npz"
NUMBERS = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
ROWS, COLUMNS, FEATURES = 48_842, 120, 43


@dataclass(frozen=True, eq=False)
class BenchmarkTable:
    """Binary columns with the most balanced first, a smaller set of features, and a label for each."""

    name: str
    columns: Bits
    label: Flags
    features: Bits
    feature_label: Flags
    others: tuple[Labelled, ...] = ()

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.columns)

    def head(self, rows: int) -> BenchmarkTable:
        """The first rows."""
        parts = (self.columns[:rows], self.label[:rows], self.features[:rows], self.feature_label[:rows])
        return BenchmarkTable(self.name, *parts)


def load(folder: Path) -> BenchmarkTable:
    """Adult from a folder that holds its raw files and the binarised tables, else a generated table."""
    at_hand = all((folder / name).is_file() for name in (*RAW, BINARY))
    table = adult(folder) if at_hand else generated(ROWS)
    return replace(table, others=tuple(labelled_tables(folder / BINARY)))


def adult(folder: Path) -> BenchmarkTable:
    """Deciles of the numeric columns and values of the others, and the 43 features of the binarised table."""
    rows: list[list[str]] = []
    for name in RAW:
        with (folder / name).open() as file:
            reader = csv.reader(file)
            header = [field.strip() for field in next(reader)]
            rows += [[field.strip().rstrip(".") for field in row] for row in reader if len(row) == 15]
    columns: list[Flags] = []
    for index, name in enumerate(header[:14]):
        values = np.array([row[index] for row in rows])
        columns += _number_columns(values) if name in NUMBERS else [values == value for value in np.unique(values)]
    with np.load(folder / BINARY) as tables:
        features, feature_label = tables["adult__X"].astype(np.uint8), tables["adult__y"].astype(bool)
    label = np.array([row[14] == ">50K" for row in rows])
    return BenchmarkTable("Adult", _balanced(np.array(columns).T), label, features, feature_label)


def generated(rows: int, seed: int = 0) -> BenchmarkTable:
    """Correlated columns: each row belongs to one of twelve groups that differ in how likely each column is."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 12, rows)
    likely = np.clip(rng.beta(1, 2, COLUMNS) + rng.normal(0, 0.2, (12, COLUMNS)), 0.02, 0.98)
    columns = _balanced(rng.random((rows, COLUMNS)) < likely[group])
    label = (columns[:, 0] & columns[:, 3]).astype(bool) ^ (rng.random(rows) < 0.2)
    return BenchmarkTable("generated", columns, label, np.ascontiguousarray(columns[:, :FEATURES]), label)


def _number_columns(values: NDArray[np.str_]) -> list[Flags]:
    numbers = values.astype(float)
    return [numbers >= decile for decile in np.unique(np.quantile(numbers, np.arange(1, 10) / 10))]


def _balanced(columns: Flags) -> Bits:
    """Columns that are not constant, the most balanced first."""
    share = columns.mean(axis=0)
    order = np.argsort(np.abs(share - 0.5), kind="stable")
    return np.ascontiguousarray(columns[:, order[(share[order] > 0) & (share[order] < 1)]].astype(np.uint8))
