"""``python -m benchmarks.oracles.dense_covers``: what can be proved about dense random columns (docs/engine.md).

Signs are fair coins, so by Hoeffding's inequality and a union over all 2^50 sets of columns, with probability at least
.999 no set of more than four columns is worth less than -sqrt(2 M ln(1000 · 2^50)), where M is the greatest number of
rows that any five columns share: a larger set shares no more. M and the least value of up to four columns are counted.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

ROWS, COLUMNS, DENSITIES, DRAWN, SEED = 10_000, 50, (0.7, 0.8), 1_500, 5

Words = NDArray[np.uint64]


def packed(flags: NDArray[np.bool_]) -> Words:
    """Columns as words of 64 rows.

    >>> packed(np.array([[True], [False], [True]])).tolist()
    [[5]]
    """
    padded = np.zeros((-(-len(flags) // 64) * 64, flags.shape[1]), dtype=bool)
    padded[: len(flags)] = flags
    return np.packbits(np.ascontiguousarray(padded.T), axis=1, bitorder="little").view(np.uint64)


def sizes(words: Words) -> NDArray[np.int64]:
    """How many rows each set holds."""
    return np.asarray(np.bitwise_count(words).sum(axis=-1, dtype=np.int64))


def counted(columns: Words, negative: Words) -> tuple[int, int]:
    """The most rows that five columns share, and the least value of up to four."""
    most = least = 0
    for first, second, third in combinations(range(len(columns)), 3):
        three = columns[first] & columns[second] & columns[third]
        four = three & columns[third + 1 :]
        for sets in (columns[first], columns[first] & columns[second], three, four):
            least = min(least, int((sizes(sets) - 2 * sizes(sets & negative)).min(initial=0)))
        for place in range(len(four)):
            most = max(most, int(sizes(four[place] & four[place + 1 :]).max(initial=0)))
    return most, least


def share_above(columns: Words, negative: Words, count: int, bound: float, rng: np.random.Generator) -> float:
    """Of sets of so many columns drawn by lot, how many cover more negative rows than the bound."""
    drawn = (rng.choice(len(columns), count, replace=False) for _ in range(DRAWN))
    return float(np.mean([sizes(np.bitwise_and.reduce(columns[chosen]) & negative) > bound for chosen in drawn]))


def main() -> None:
    """One line for each density, and one for each number of columns until no set is left."""
    for density in DENSITIES:
        rng = np.random.default_rng(SEED)
        columns = packed(rng.random((ROWS, COLUMNS)) < density)
        negative = packed(rng.random((ROWS, 1)) < 0.5)[0]
        most, least = counted(columns, negative)
        bound = max(-least, math.sqrt(2 * most * (math.log(1000) + COLUMNS * math.log(2))))
        print(f"{density}: five columns share at most {most} rows, up to four are worth {least}, bound -{bound:.0f}")
        for count in range(5, COLUMNS):
            share = share_above(columns, negative, count, bound, rng)
            print(f"  {count} columns: {share:.1%} of {math.comb(COLUMNS, count):.2g} sets")
            if not share:
                break


if __name__ == "__main__":
    main()
