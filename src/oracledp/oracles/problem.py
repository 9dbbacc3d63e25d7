"""A weighted optimisation problem in integers: what every oracle minimises."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass
from oracledp.classes.tables import Parts
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import CapacityError, ParameterError
from oracledp.exact.merging import absolute_sum, exact_sum

LIMIT = 1 << 62  # sums of absolute values stay below this, so no int64 sum in any order can wrap
MOST_EVALUATED = 1 << 16


@dataclass(frozen=True, eq=False)
class WeightedProblem:
    """Minimise  constant + sum_i weights[i] q(records[i]) + sum_{p in q} part_costs[p] + size_costs[s(q)].

    Records are distinct 0/1 rows in a fixed order, in packed words and as a matrix for who asks; weights are int64
    of either sign. ``size_costs`` has one entry per number of sizable parts (the dummies of the k-hot
    embedding), and is empty when there are none. All absolute values together (``weight_total`` is the
    records' share) stay below 2^62; larger problems are refused, never wrapped.

    ``cache`` is where an oracle keeps what it prepared from records and weights alone; it is shared by
    every problem that :meth:`with_noise` makes from this one, and by no other (trap P6). ``evaluated`` keeps
    in the same way what :meth:`value` worked out from the records: redraws of the noise ask for few queries often.
    """

    query_class: QueryClass
    packed: PackedRecords
    weights: NDArray[np.int64]
    part_costs: NDArray[np.int64]
    size_costs: NDArray[np.int64]
    constant: int = 0
    weight_total: int = 0
    cache: dict[str, Any] = field(default_factory=dict, repr=False)
    evaluated: dict[Parts, int] = field(default_factory=dict, repr=False)

    @classmethod
    def build(
        cls,
        query_class: QueryClass,
        records: PackedRecords | NDArray[Any],
        weights: NDArray[np.int64],
        constant: int = 0,
    ) -> WeightedProblem:
        """A problem without noise: equal records are merged, zero weights dropped, the order made canonical."""
        given = PackedRecords.of(records)
        if given.columns != query_class.dimension:
            raise ParameterError("records need one column per literal of the class")
        if weights.shape != (len(given),):
            raise ParameterError("weights need one entry per record")
        weights = weights.astype(np.int64, copy=False)
        weight_total = _refuse_overflow(absolute_sum(weights))
        equal = given.equal()
        merged = equal.totals(weights)
        kept = merged != 0
        return cls(
            query_class,
            equal.distinct(given) if kept.all() else given[equal.first()[kept]],
            merged[kept],
            np.zeros(query_class.part_count, dtype=np.int64),
            np.zeros(query_class.dummies + 1 if query_class.dummies else 0, dtype=np.int64),
            constant,
            weight_total,
        )

    @property
    def records(self) -> NDArray[np.uint8]:
        """The records as a matrix, unpacked when it is first asked for."""
        return self.packed.matrix()

    def with_noise(
        self, part_costs: NDArray[np.int64], size_costs: NDArray[np.int64] | None = None, constant: int = 0
    ) -> WeightedProblem:
        """The same data with other costs on the parts: what a redraw of the noise changes."""
        sizes = np.zeros_like(self.size_costs) if size_costs is None else size_costs
        if part_costs.shape != self.part_costs.shape or sizes.shape != self.size_costs.shape:
            raise ParameterError("costs need one entry per part and one per size")
        _refuse_overflow(self.weight_total + absolute_sum(part_costs) + absolute_sum(sizes))
        return replace(self, part_costs=part_costs, size_costs=sizes, constant=self.constant + constant)

    def value(self, parts: Parts) -> int:
        """The exact value at one query, in Python integers, sharing no code with any search."""
        total: int = self.constant + self.weight_covered(parts)
        total += sum(int(self.part_costs[part]) for part in parts)
        if self.size_costs.size:
            total += int(self.size_costs[self.query_class.sizable(parts)])
        return total

    def weight_covered(self, parts: Parts) -> int:
        """What the records add to the value at one query, in Python integers."""
        if parts not in self.evaluated:
            if len(self.evaluated) >= MOST_EVALUATED:
                self.evaluated.clear()
            self.evaluated[parts] = exact_sum(self.weights[self.query_class.holds_on(parts, self.packed)])
        return self.evaluated[parts]


def _refuse_overflow(total: int) -> int:
    if total >= LIMIT:
        raise CapacityError("weights and noise together exceed 2^62; use a coarser lattice or fewer rows")
    return total
