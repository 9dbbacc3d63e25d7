"""Random queries of four kinds over a schema's literals, and their shares on a table: a yardstick for synthetic rows.

Queries are drawn around real records, so that most of them are neither empty nor full. Floating point is fine
here: this module serves benchmarks and pages that are not private.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracledp.data.literals import Literal
from oracledp.data.schema import Column, Schema
from oracledp.data.table import Table

KINDS = ("conjunctions", "disjunctions", "parities", "halfspaces")
MOST_LITERALS = 10


@dataclass(frozen=True)
class Workquery:
    """A query of one of the :data:`KINDS`; a halfspace has a weight per literal and a threshold.

    >>> print(Workquery("halfspaces", (Literal("age", ">=", 40), Literal.boolean("smoker")), (1, -1), 0))
    [age >= 40] − [smoker] ≥ 0
    >>> print(Workquery("parities", (Literal("age", ">=", 40), Literal.boolean("smoker"))))
    an odd number of: age >= 40, smoker
    """

    kind: str
    literals: tuple[Literal, ...]
    weights: tuple[int, ...] = ()
    threshold: int = 0

    def __str__(self) -> str:
        if self.kind == "parities":
            return "an odd number of: " + ", ".join(map(str, self.literals))
        if self.kind == "halfspaces":
            terms = [f"{'+' if w > 0 else '−'} [{x}]" for w, x in zip(self.weights, self.literals, strict=True)]
            return f"{' '.join(terms).removeprefix('+ ')} ≥ {str(self.threshold).replace('-', '−')}"
        return (" and " if self.kind == "conjunctions" else " or ").join(map(str, self.literals))

    def holds(self, schema: Schema, codes: NDArray[np.unsignedinteger]) -> NDArray[np.bool_]:
        """On which records it holds."""
        columns = [(schema.position(x.column), x) for x in self.literals]
        values = [schema.columns[c].holds(x)[codes[:, c]] for c, x in columns]
        if self.kind == "conjunctions":
            return np.asarray(np.logical_and.reduce(values))
        if self.kind == "disjunctions":
            return np.asarray(np.logical_or.reduce(values))
        if self.kind == "parities":
            return np.asarray(np.bitwise_xor.reduce(values) == 1)
        score = sum(np.int16(w) * v for w, v in zip(self.weights, values, strict=True))
        return np.asarray(score >= self.threshold)


def random_queries(table: Table, kind: str, count: int, generator: np.random.Generator) -> list[Workquery]:
    """Queries of one to ten literals on different columns, each literal true (or its negation false) of a real record.

    A conjunction takes all of them from one record; the others take each from its own. A halfspace has weights ±1, and
    its threshold is the score of one more record.
    """
    width = min(MOST_LITERALS, len(table.schema.columns))
    draw = _Drawer(table, generator)
    return [draw.query(kind, int(generator.integers(1, width + 1))) for _ in range(count)]


def shares(queries: Sequence[Workquery], table: Table) -> NDArray[np.float64]:
    """The share of the records of a table that meet each query."""
    held = [int(table.counts[query.holds(table.schema, table.codes)].sum()) for query in queries]
    return np.array(held, dtype=np.float64) / table.rows


class _Drawer:
    def __init__(self, table: Table, generator: np.random.Generator) -> None:
        self.columns, self.codes, self.generator = table.schema.columns, table.codes, generator
        self.schema, self.ends = table.schema, np.cumsum(table.counts)
        self.truth = {column.name: column.literal_table() for column in self.columns}

    def record(self) -> NDArray[np.unsignedinteger]:
        """A random row of the table."""
        place = int(self.generator.integers(int(self.ends[-1])))
        return np.asarray(self.codes[int(np.searchsorted(self.ends, place, side="right"))])

    def query(self, kind: str, width: int) -> Workquery:
        chosen = self.generator.choice(len(self.columns), width, replace=False)
        shared = self.record()
        literals = []
        for c in chosen:
            record = shared if kind == "conjunctions" else self.record()
            literals.append(self.literal(self.columns[c], int(record[c])))
        if kind != "halfspaces":
            return Workquery(kind, tuple(literals))
        weights = tuple(int(w) for w in self.generator.choice((-1, 1), width))
        halfspace = Workquery(kind, tuple(literals), weights)
        record = self.record()[None, :]
        values = [int(self.schema[x.column].holds(x)[record[0, self.schema.position(x.column)]]) for x in literals]
        return Workquery(kind, halfspace.literals, weights, sum(w * v for w, v in zip(weights, values, strict=True)))

    def literal(self, column: Column, code: int) -> Literal:
        """A literal that holds at a code; of an ordered column from either side."""
        true = self.truth[column.name][code] == 1
        positive = true.any() and not (column.ordered and not true.all() and self.generator.random() < 0.5)
        places = np.flatnonzero(true if positive else ~true)
        literal = column.literals[int(self.generator.choice(places))]
        return literal if positive else literal.negated()
