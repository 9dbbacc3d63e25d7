"""The public functions on small tables, as the black-box auditor runs them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from oracledp.audit.black_box import Measurement, black_box
from oracledp.audit.exact_law import DataSet, neighbour_pairs
from oracledp.classes import Conjunctions, QueryClass, ZeroOneLoss
from oracledp.classes.separation import all_records
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.errors import OracleFailure
from oracledp.mechanisms.exponential_mechanism import exponential
from oracledp.mechanisms.noisy_min import report_noisy_min
from oracledp.mechanisms.perturbed_min import rspm
from oracledp.privacy.guarantee import Guarantee, Neighbours

REPLACE, ADD = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE
EPSILON = Fraction(1)
SCHEMA = Schema({"columns": {"a": {"kind": "boolean"}, "y": {"kind": "boolean"}}})
Call = Callable[..., Any]


@cache
def small_table(data: DataSet) -> Table:
    """A table from the counts of the records 00, 01, 10, 11 of (a, y)."""
    codes = np.repeat(all_records(2).astype(np.uint8), np.array(data), axis=0)
    return Table.from_codes(codes, SCHEMA)


@cache
def small_rules() -> QueryClass:
    """The loss of "always y" and "y when a": two queries, so that every ratio shows in few runs."""
    return ZeroOneLoss.of(Conjunctions(SCHEMA.literals.without("y")), SCHEMA.literals[1])


def small_pairs(neighbours: Neighbours) -> list[tuple[DataSet, DataSet]]:
    """All neighbouring tables of up to two rows that can be built (a table has at least one row)."""
    return [(a, b) for a, b in neighbour_pairs(4, 2, neighbours) if sum(a) and sum(b)]


def measure(
    name: str, call: Call, neighbours: Neighbours, claimed: Guarantee | None = None, **size: int
) -> Measurement:
    """Audit a function from a table and a query class to a release, by its own claim if none is given.

    A failure is an output like any other.
    """

    def run(data: DataSet) -> Hashable:
        try:
            return tuple(call(small_table(data), small_rules(), neighbours=neighbours).query.parts)
        except OracleFailure:
            return "failure"

    pairs = small_pairs(neighbours)
    if claimed is None:
        claimed = call(small_table(pairs[0][0]), small_rules(), neighbours=neighbours).guarantee
    return black_box(name, run, pairs, claimed, **size)


def with_epsilon(call: Call, epsilon: Fraction = EPSILON, **options: Any) -> Call:
    """The function at a fixed epsilon."""
    return lambda table, queries, **more: call(table, queries, epsilon=epsilon, **options, **more)


PUBLIC: dict[str, Call] = {
    "rspm:k-hot": with_epsilon(rspm),
    "rspm:separator": with_epsilon(rspm, embedding="separator"),
    "exponential": with_epsilon(exponential),
    "permute-and-flip": with_epsilon(exponential, method="permute-and-flip"),
    "report-noisy-min": with_epsilon(report_noisy_min),
}


def findings() -> list[Measurement]:
    """Every public function on all pairs of small neighbours, end to end."""
    return [measure(name, call, relation) for name, call in PUBLIC.items() for relation in Neighbours]
