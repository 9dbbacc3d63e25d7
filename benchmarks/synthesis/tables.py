"""The benchmark's tables as schemas and codes: real ones from a folder of data, and two from generators."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from oracledp.data.schema import Schema
from oracledp.data.table import Table

FOLDER = Path(os.environ.get("ORACLEDP_DATA", Path(__file__).parents[3] / "shared" / "data"))
ORDERED = {
    "adult": {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"},
    "titanic": {"Age", "SibSp", "Parch", "Fare", "Pclass"},
    "adult-bin24": set(),
}
CUTS: dict[str, list[int]] = {
    "age": list(range(18, 98)),
    "juv_fel_count": list(range(1, 12)),
    "juv_misd_count": list(range(1, 12)),
    "juv_other_count": list(range(1, 12)),
    "priors_count": list(range(1, 40)),
    "day": list(range(2, 32)),
    "campaign": list(range(2, 32)),
    "duration": [*range(20, 1000, 20), *range(1000, 4000, 250)],
    "pdays": [0, *range(30, 900, 30)],
    "previous": list(range(1, 20)),
    "balance": [-3000, -1000, -500, -200, *range(0, 3000, 100), *range(3000, 20000, 1000)],
}
NAMES = ("adult-bin24", "adult", "titanic", "compas", "bank", "generated", "woven")


def load(name: str) -> tuple[Table, list[int]]:
    """A table and the sizes of its columns; raises FileNotFoundError where the data are not at hand."""
    if name == "generated":
        return _table(*_generated())
    if name == "woven":
        return _table(*_woven())
    if name in ORDERED:
        domain = json.loads((FOLDER / f"{name}-domain.json").read_text())
        frame = pandas.read_csv(FOLDER / f"{name}.csv")[list(domain)]
        return _table(frame.to_numpy(np.int64), list(domain.values()), [column in ORDERED[name] for column in domain])
    return _table(*_binned(pandas.read_csv(FOLDER / {"compas": "compas.csv.gz", "bank": "bank_full.csv.gz"}[name])))


def generated(rows: int) -> Table:
    """The first rows of a long generated table: the same law for every number of rows."""
    codes, sizes, ordered = _generated(256_000)
    return _table(codes[:rows], sizes, ordered)[0]


def _binned(frame: pandas.DataFrame) -> tuple[np.ndarray, list[int], list[bool]]:
    codes, sizes, ordered = [], [], []
    for name in frame:
        if name in CUTS:
            codes.append(np.searchsorted(CUTS[name], frame[name].to_numpy(), side="right"))
            sizes.append(len(CUTS[name]) + 1)
        else:
            values, inverse = np.unique(frame[name].astype(str), return_inverse=True)
            codes.append(inverse)
            sizes.append(len(values))
        ordered.append(name in CUTS)
    return np.stack(codes, axis=1).astype(np.int64), sizes, ordered


def _generated(rows: int = 20_000) -> tuple[np.ndarray, list[int], list[bool]]:
    """A random tree of columns with noise: each depends on one earlier column, as in the model of MST."""
    rng = np.random.default_rng(20)
    sizes = [2, 3, 5, 8, 2, 12, 30, 4, 50, 2, 6, 20]
    ordered = [size >= 12 for size in sizes]
    codes = np.empty((rows, len(sizes)), dtype=np.int64)
    for column, size in enumerate(sizes):
        parent = codes[:, rng.integers(column)] if column else np.zeros(rows, dtype=np.int64)
        if ordered[column]:
            centre = rng.random(int(parent.max()) + 1)[parent] * size
            codes[:, column] = np.clip(rng.normal(centre, size / 6), 0, size - 1)
        else:
            laws = rng.dirichlet(np.full(size, 0.5), int(parent.max()) + 1).cumsum(axis=1)
            codes[:, column] = np.minimum((rng.random((rows, 1)) > laws[parent]).sum(axis=1), size - 1)
    return codes, sizes, ordered


def _woven(rows: int = 20_000) -> tuple[np.ndarray, list[int], list[bool]]:
    """Each column depends on two earlier ones together, so that no tree of pairs describes the table."""
    rng = np.random.default_rng(21)
    sizes = [2, 3, 4, 2, 6, 3, 24, 2, 5, 16]
    ordered = [size >= 12 for size in sizes]
    codes = np.empty((rows, len(sizes)), dtype=np.int64)
    for column, size in enumerate(sizes):
        first, second = rng.integers(max(column, 1), size=2)
        parents = codes[:, first] * sizes[second] + codes[:, second] if column else np.zeros(rows, dtype=np.int64)
        kinds = int(parents.max()) + 1
        if ordered[column]:
            codes[:, column] = np.clip(rng.normal(rng.random(kinds)[parents] * size, size / 6), 0, size - 1)
        else:
            laws = rng.dirichlet(np.full(size, 0.5), kinds).cumsum(axis=1)
            codes[:, column] = np.minimum((rng.random((rows, 1)) > laws[parents]).sum(axis=1), size - 1)
    return codes, sizes, ordered


def _table(codes: np.ndarray, sizes: list[int], ordered: list[bool]) -> tuple[Table, list[int]]:
    columns: dict[str, Any] = {}
    for number, (size, is_ordered) in enumerate(zip(sizes, ordered, strict=True)):
        if is_ordered:
            columns[f"c{number}"] = {"kind": "integer", "lo": 0, "hi": size - 1}
        else:
            columns[f"c{number}"] = {"kind": "categorical", "values": list(range(size))}
    return Table.from_codes(codes, Schema({"columns": columns})), sizes
