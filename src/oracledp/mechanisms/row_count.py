"""About how many rows there are, for settings that need their number to within a factor: a noisy count.

Under add/remove-one the number of rows is private. A small share of ε measures it, and what is chosen by the measured
size costs nothing more (proofs/row-count.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from oracledp.errors import ParameterError
from oracledp.exact.capacity import MOST_ROWS
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.noise import LARGEST_SCALE, discrete_laplace
from oracledp.randomness.source import Randomness, drawn

SHARE = Fraction(1, 50)  # of ε: the count is then off by about 70/ε, little beside tables of some hundred rows/ε
DIGITS = 3  # binary digits of a count that are kept


@dataclass(frozen=True)
class RowCount:
    """The number of rows with discrete Laplace noise, rounded: ε-DP under add/remove-one (proofs/row-count.md).

    >>> from oracledp.randomness.source import SystemRandomness
    >>> RowCount(Fraction(1)).run(1_000_000, SystemRandomness())
    1048576
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        if self.scale > LARGEST_SCALE:
            raise ParameterError("epsilon is too small to count the rows: give their public number as rows=")

    @property
    def scale(self) -> int:
        """Of the noise: adding or removing a record moves the count by one."""
        return ceil(1 / self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """Pure and robust."""
        return Guarantee(epsilon=self.epsilon, neighbours=Neighbours.ADD_REMOVE, proof="row-count")

    def run(self, rows: int, source: Randomness) -> int:
        """One of :func:`sizes`."""
        return noisy_size(rows, self.scale, source)


@drawn
def noisy_size(rows: int, scale: int, source: Randomness) -> int:
    """A release: a number of rows plus discrete Laplace noise, as one of :func:`sizes`."""
    return rounded_size(rows + int(discrete_laplace(scale, 1, source)[0]))


def rounded_size(count: int) -> int:
    """A count rounded to its leading binary digits, and held within what a table may have: few sizes are left.

    >>> [rounded_size(count) for count in (-7, 6, 43, 1000)]
    [1, 6, 40, 1024]
    """
    held = min(max(count, 1), MOST_ROWS)
    spare = max(0, held.bit_length() - DIGITS)
    return held + (1 << spare >> 1) >> spare << spare


def sizes() -> tuple[int, ...]:
    """Everything that a count can come to, the least first.

    >>> sizes()[:12], len(sizes())
    ((1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16), 156)
    """
    few, most = 1 << DIGITS - 1, MOST_ROWS.bit_length() - DIGITS
    longer = (leading << spare for spare in range(1, most + 1) for leading in range(few, 2 * few))
    return tuple(size for size in (*range(1, 2 * few), *longer) if size <= MOST_ROWS)
