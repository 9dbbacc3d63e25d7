"""The random split of a table into parts, from its histogram: exact, and no slower for many equal rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError
from oracledp.mechanisms.robust.design import Design
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.partition import Part, hypergeometric_parts, label_counts
from oracledp.randomness.source import Randomness


def split(counts: NDArray[np.int64], design: Design, neighbours: Neighbours, source: Randomness) -> list[Part]:
    """The parts that the design asks for, each as the indices of its records and their counts.

    Independent labels are drawn as sizes first, which tell nothing of the data, then a uniformly random partition
    into parts of these sizes. Under add/remove-one a table with more rows than the design allows is cut down at
    random to that many (section 5 of proofs/prsma.md).
    """
    rows = int(counts.sum())
    if neighbours is Neighbours.REPLACE_ONE and rows != design.rows:
        raise ParameterError("the design was made for another number of rows")
    if design.theorem.independent_labels:
        return hypergeometric_parts(counts, label_counts(min(rows, design.rows), design.parts, source), source)
    return hypergeometric_parts(counts, [design.part_size] * design.parts, source)
