"""How good two synthetic linked tables are, in figures: each by itself, numbers of children, parents against children.

**Not private.** Every figure is an exact function of the private rows: INTERNAL – NOT PRIVATE.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.output.rows import PlainRows
from oracledp.data.schema import Column, Moment, Ordered
from oracledp.data.table import Table
from oracledp.data.table.linked import LinkedTable
from oracledp.errors import ParameterError
from oracledp.report.quality import BANNER, Quality, quality
from oracledp.report.value_comparison import middles

_GROUPS = 10  # of a column, where two of them are compared
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class PairGap:
    """A column of the parents, or their number of children, against one of the children.

    ``distance`` is the total variation of the table of both, in at most ten groups each; ``correlations`` are real and
    synthetic, where both are numbers.
    """

    parent: str
    child: str
    distance: float
    correlations: tuple[float, float] | None


@dataclass(frozen=True)
class LinkedQuality:
    """Two synthetic tables beside the real ones. **Not private: never release it.**

    ``numbers`` has the share of parents with 0, 1, 2, … children, real and synthetic.
    """

    parents: Quality
    children: Quality
    numbers: tuple[tuple[float, float], ...]
    pairs: tuple[PairGap, ...]
    marking: str = BANNER

    @property
    def numbers_distance(self) -> float:
        """Total variation of the numbers of children."""
        return sum(abs(real - made) for real, made in self.numbers) / 2

    @property
    def pairs_distance(self) -> float:
        """The mean over all pairs."""
        return float(np.mean([pair.distance for pair in self.pairs]))

    def to_json(self) -> dict[str, Any]:
        """Plain figures, marked as not private."""
        return {
            "marking": self.marking,
            "private": False,
            "parents": self.parents.to_json(),
            "children": self.children.to_json(),
            "numbers": [list(shares) for shares in self.numbers],
            "pairs": [asdict(pair) for pair in self.pairs],
        }

    def __str__(self) -> str:
        shares = ", ".join(f"{number}: {real:.3f} → {made:.3f}" for number, (real, made) in enumerate(self.numbers))
        lines = [str(self.parents), "", "Children", str(self.children), "", "Links"]
        lines.append(f"children per parent: {shares}; total variation {self.numbers_distance:.4f}")
        lines.append(f"a parent's column against a child's: total variation {self.pairs_distance:.4f} on average")
        for pair in self.pairs:
            if pair.correlations is not None:
                real, made = pair.correlations
                lines.append(f"{pair.parent} and {pair.child}: correlation {real:.3f} → {made:.3f}")
        return "\n".join(lines)


def linked_quality(real: LinkedTable, synthesizer: Any, *, seed: int = 0) -> LinkedQuality:
    """Compare real linked tables with as many of a fitted synthesizer's."""
    rows, made_rows = real.rows(), np.zeros((0, 0), dtype=np.int64)
    if not real.parents.rows or not len(rows):
        raise ParameterError("there are no rows to compare with")
    made = _read(real, *synthesizer.sample(min(real.parents.rows, 1_000_000), seed=seed))
    made_rows = made.rows()
    schema, before = real.schema, len(real.schema.parents.columns) + 1
    parents, children = (
        [Table.from_codes(codes, own) for codes in both]
        for own, both in (
            (schema.parents, [_repeated(table.parents)[:, : before - 1] for table in (real, made)]),
            (schema.children, [found[:, before:] for found in (rows, made_rows)]),
        )
    )
    columns = schema.joined.columns
    shares = [_shares(_repeated(table.parents)[:, -1], schema.most + 1) for table in (real, made)]
    return LinkedQuality(
        quality(parents[0], parents[1], seed=seed),
        quality(children[0], children[1], seed=seed),
        tuple((float(one), float(other)) for one, other in zip(*shares, strict=True)),
        tuple(_pair(columns, i, j, rows, made_rows) for i, j in product(range(before), range(before, len(columns)))),
    )


def _read(real: LinkedTable, parents: Any, children: Any) -> LinkedTable:
    if isinstance(parents, PlainRows):
        raise ParameterError("comparing linked tables needs pandas: pip install 'oracledp[frames]'")
    return LinkedTable.from_frames(parents, children, real.schema)


def _repeated(table: Table) -> Integers:
    return np.repeat(table.codes.astype(np.int64), table.counts, axis=0)


def _shares(codes: Integers, size: int) -> NDArray[np.float64]:
    counts = np.bincount(codes, minlength=size)
    return np.asarray(counts / max(counts.sum(), 1))


def _pair(columns: tuple[Column, ...], one: int, other: int, real: Integers, made: Integers) -> PairGap:
    cells = []
    for rows in (real, made):
        groups = [_grouped(columns[at], real[:, at], rows[:, at]) for at in (one, other)]
        cells.append(_shares(groups[0] * (_GROUPS + 2) + groups[1], (_GROUPS + 2) ** 2))
    distance = float(np.abs(cells[0] - cells[1]).sum() / 2)
    numbers = all(isinstance(columns[at], Ordered) and not isinstance(columns[at], Moment) for at in (one, other))
    found = (_correlation(columns, one, other, real), _correlation(columns, one, other, made)) if numbers else None
    return PairGap(columns[one].name, columns[other].name, distance, found)


def _grouped(column: Column, real: Integers, codes: Integers) -> Integers:
    """Codes in groups: a short column's as they are, a long one's by the tenths or the common ones of the real."""
    if column.size <= _GROUPS + 1:
        return codes
    if isinstance(column, Ordered):
        cuts = np.unique(np.quantile(real, np.arange(1, _GROUPS) / _GROUPS, method="lower"))
        return np.where(codes >= column.value_size, _GROUPS, np.searchsorted(cuts, codes, side="right"))
    common = np.argsort(-np.bincount(real, minlength=column.size), kind="stable")[:_GROUPS]
    place = np.full(column.size, _GROUPS)
    place[common] = np.arange(len(common))
    return np.asarray(place[codes])


def _correlation(columns: tuple[Column, ...], one: int, other: int, rows: Integers) -> float:
    values = []
    for at in (one, other):
        column = columns[at]
        assert isinstance(column, Ordered)
        values.append(np.append(middles(column), np.nan)[np.minimum(rows[:, at], column.value_size)])
    held = ~np.isnan(values[0]) & ~np.isnan(values[1])
    a, b = values[0][held], values[1][held]
    return float(np.corrcoef(a, b)[0, 1]) if len(a) > 1 and a.std() > 0 and b.std() > 0 else 0.0
