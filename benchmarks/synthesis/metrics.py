"""Errors of a synthetic table of integer codes against the real one: marginals and random queries.

Every error is |q(real) - q(synthetic)|, each table divided by its own number of rows. ``max k`` is the largest cell
error, ``tv k`` the mean total variation over all k-way marginals; ``conj`` draws 20,000 conjunctions of equalities from
real records. ``disj``, ``par`` and ``half`` draw 2,000 queries each of one to ten literals of different columns
(equalities, thresholds on ordered columns), each literal from a real record: disjunctions, parities, and halfspaces
with weights ±1 whose threshold is the score of one more record.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.table import Table
from oracledp.report.workloads import random_queries, shares

Codes = NDArray[np.int64]


def marginal(rows: Codes, sizes: list[int], columns: tuple[int, ...]) -> NDArray[np.float64]:
    index = np.zeros(len(rows), dtype=np.int64)
    for column in columns:
        index = index * sizes[column] + rows[:, column]
    return np.bincount(index, minlength=int(np.prod([sizes[c] for c in columns]))) / len(rows)


def conjunction_errors(real: Codes, made: Codes, max_width: int, count: int = 20_000) -> NDArray[np.float64]:
    random = np.random.RandomState(0)
    width = real.shape[1]
    masks = [{}, {}]  # type: list[dict[tuple[int, int], NDArray[np.uint8]]]
    errors = np.empty(count)
    for number in range(count):
        columns = random.choice(width, random.randint(1, min(max_width, width) + 1), replace=False)
        record = real[random.randint(len(real))]
        shares = []
        for rows, known in zip((real, made), masks, strict=True):
            held = None
            for column in columns:
                key = (int(column), int(record[column]))
                if key not in known:
                    known[key] = np.packbits(rows[:, key[0]] == key[1])
                held = known[key] if held is None else held & known[key]
            assert held is not None
            shares.append(int(np.bitwise_count(held).sum()) / len(rows))
        errors[number] = abs(shares[0] - shares[1])
    return errors


def rows_of(table: Table) -> Codes:
    """Every row's codes."""
    return np.repeat(table.codes.astype(np.int64), table.counts, axis=0)


def random_errors(table: Table, made: Codes, kind: str, count: int = 2_000) -> NDArray[np.float64]:
    queries = random_queries(table, kind, count, np.random.default_rng(0))
    return np.abs(shares(queries, table) - shares(queries, Table.from_codes(made, table.schema)))


KINDS = {"disj": "disjunctions", "par": "parities", "half": "halfspaces"}


def errors(table: Table, made: Codes, kinds: Iterable[str] = KINDS) -> dict[str, Any]:
    """All metrics of one synthetic table, or those of marginals, conjunctions and some kinds of random queries."""
    real, sizes = rows_of(table), list(table.schema.sizes)
    out: dict[str, Any] = {"rows": len(made)}
    for order in (1, 2, 3):
        gaps = [
            np.abs(marginal(real, sizes, columns) - marginal(made, sizes, columns))
            for columns in combinations(range(len(sizes)), order)
        ]
        out[f"max{order}"] = max(float(gap.max()) for gap in gaps)
        out[f"tv{order}"] = float(np.mean([gap.sum() / 2 for gap in gaps]))
    found = {"conj": conjunction_errors(real, made, len(sizes) if max(sizes) == 2 else 10)}
    found |= {kind: random_errors(table, made, KINDS[kind]) for kind in kinds}
    for name, values in found.items():
        out[f"{name}_max"], out[f"{name}_mean"] = float(values.max()), float(values.mean())
    return {key: round(value, 6) for key, value in out.items()}
