"""The public functions on small tables, as the black-box auditor runs them, and broken versions of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from oracledp.audit.black_box import Measurement, black_box
from oracledp.audit.exact_law import DataSet, neighbour_pairs
from oracledp.audit.mutants import Mutant
from oracledp.classes import Conjunctions, QueryClass, ZeroOneLoss
from oracledp.classes.separation import all_records
from oracledp.errors import OracleFailure
from oracledp.guarantee import Guarantee, Neighbours
from oracledp.mechanisms.exponential import exponential
from oracledp.mechanisms.noisy_min import report_noisy_min
from oracledp.mechanisms.rspm import rspm
from oracledp.oracles.hostile import FailsOnRecord
from oracledp.schema import Schema
from oracledp.table import Table

REPLACE, ADD = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE
EPSILON = Fraction(1)
TIER = "black box"
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


def _claim(relation: Neighbours, **more: Any) -> Guarantee:
    return Guarantee(epsilon=EPSILON, neighbours=relation, proof="none: this is a mutant", **more)


def _half_noise(call: Call, relation: Neighbours, runs: int = 8000) -> Callable[[], Measurement]:
    """The function at twice the epsilon that it claims."""
    return lambda: measure("half the noise", with_epsilon(call, 2 * EPSILON), relation, _claim(relation), runs=runs)


def _hostile_oracle() -> Measurement:
    """The oracle calls itself total and proved, and fails when one record is there."""
    call = with_epsilon(rspm, oracle=FailsOnRecord(record=(1, 1)))
    return measure("an oracle that fails on a record", call, REPLACE, _claim(REPLACE), runs=2000)


def _data_dependent_epsilon() -> Measurement:
    """Less noise where the table is uniform, "to help accuracy"."""

    def call(table: Table, queries: QueryClass, neighbours: Neighbours) -> Any:
        generous = EPSILON * (12 if len(table.counts) == 1 else 1)
        release = exponential(table, queries, epsilon=generous, neighbours=neighbours)
        return replace(release, guarantee=_claim(neighbours))

    return measure("noise chosen by looking at the data", call, REPLACE, _claim(REPLACE), runs=2000)


END_TO_END_MUTANTS: tuple[Mutant, ...] = (
    Mutant("half-noise-rspm", "rspm at twice its epsilon, end to end", _half_noise(rspm, REPLACE), TIER),
    Mutant(
        "half-noise-exponential", "exponential at twice its epsilon", _half_noise(exponential, REPLACE, 20_000), TIER
    ),
    Mutant("half-noise-noisy-min", "report-noisy-min at twice its epsilon", _half_noise(report_noisy_min, ADD), TIER),
    Mutant("oracle-fails-on-record", "rspm believes an oracle that fails on one record", _hostile_oracle, TIER),
    Mutant("noise-by-data", "a noise scale that depends on the data", _data_dependent_epsilon, TIER),
)
