"""The random split of a table into parts, from its histogram: exact, and no slower for many equal rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracledp.errors import ParameterError
from oracledp.mechanisms.robust.design import Design
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.noise import uniform
from oracledp.randomness.partition import Part, hypergeometric_parts
from oracledp.randomness.source import Randomness

CHUNK = 1 << 22  # labels drawn at a time


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


def label_counts(rows: int, parts: int, source: Randomness) -> list[int]:
    """How many of ``rows`` records choose each of ``parts`` labels: exactly multinomial.

    >>> from oracledp.randomness.source import SystemRandomness
    >>> sum(label_counts(1000, 7, SystemRandomness()))
    1000
    """
    total = np.zeros(parts, dtype=np.int64)
    for start in range(0, rows, CHUNK):
        total += np.bincount(uniform(parts, min(CHUNK, rows - start), source), minlength=parts)
    return [int(count) for count in total]
