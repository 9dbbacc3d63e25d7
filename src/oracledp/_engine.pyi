"""Types of the compiled core."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

_Ints = NDArray[np.int64]
_Reader = Callable[[int], bytes] | None

# samplers.cpp
def uniform(bound: int, count: int, reader: _Reader) -> _Ints: ...
def geometric(scale: int, count: int, reader: _Reader) -> _Ints: ...
def laplace(scale: int, count: int, reader: _Reader) -> _Ints: ...
def gaussian(t: int, bt: int, a: bytes, denominator: bytes, count: int, reader: _Reader) -> _Ints: ...
def trace_1_bit(law: str, scale: int, other: int, reader: _Reader) -> tuple[int, int]: ...
def trace_2_bit(law: str, scale: int, other: int, reader: _Reader) -> tuple[int, int]: ...
def trace_wide(root: bytes, denominator: bytes, reader: _Reader) -> bool: ...

# selection.cpp
def upper_total(scores: _Ints, least: int, last: int, bits: int, table: NDArray[np.uint64]) -> tuple[int, int]: ...
def locate(
    scores: _Ints,
    least: int,
    last: int,
    bits: int,
    table: NDArray[np.uint64],
    target_high: int,
    target_low: int,
) -> tuple[int, int]: ...
def permute_and_flip(scores: _Ints, least: int, numerator: int, denominator: int, reader: _Reader) -> int: ...

# partition.cpp
def split(counts: _Ints, sizes: Sequence[int], reader: _Reader) -> list[tuple[_Ints, _Ints]]: ...

# decision_list_search.cpp
MOST_COLUMNS: int

class ColumnData:
    def __init__(self, columns: NDArray[np.uint8], weights: _Ints) -> None: ...

def best_decision_list(
    data: ColumnData, length: int, conditions: Sequence[Sequence[tuple[int, int]]], part_costs: _Ints, work_limit: int
) -> tuple[int, list[int], int] | None: ...

# swaps.cpp
def swap_towards(
    rows: _Ints, strata: _Ints, starts: _Ints, excess: NDArray[np.float32], sweeps: int, seed: int
) -> int: ...

# halfspace_search.cpp
class PatternData:
    def __init__(self, columns: NDArray[np.uint8], weights: _Ints) -> None: ...

class HalfspaceProblem:
    def __init__(
        self,
        *,
        weights: Sequence[int],
        thresholds: Sequence[int],
        part_costs: Sequence[int],
        threshold_costs: Sequence[int],
        size_costs: Sequence[int],
        budget: int,
        sparse: bool,
    ) -> None: ...

def best_dense_halfspace(
    data: PatternData, problem: HalfspaceProblem, work_limit: int
) -> tuple[int, int, list[int], int] | None: ...
def best_sparse_halfspace(
    data: ColumnData, flipped: Sequence[int], problem: HalfspaceProblem, work_limit: int
) -> tuple[int, int, list[int], int] | None: ...

class SubsetForest:
    def __init__(self) -> None: ...
    def add(
        self,
        records: NDArray[np.uint8],
        weights: NDArray[np.int64],
        width: int,
        constant: int,
        counts: list[list[int]],
    ) -> None: ...
    def prepare(self, powers: list[int], rate: float) -> None: ...
    def total(self) -> tuple[int, int]: ...
    def pick(self, high: int, low: int) -> int: ...
    def descend(self, index: int, high: int, low: int) -> int: ...
    def node(self, index: int) -> tuple[bool, int, list[int], int, int, int]: ...
    @property
    def work(self) -> int: ...
    @property
    def size(self) -> int: ...

# transforms.cpp
class SubsetTable:
    def __init__(self, masks: NDArray[np.uint32], weights: _Ints, literals: int, parity: bool) -> None: ...
    def best(self, width: int, part_costs: _Ints, size_costs: _Ints) -> tuple[NDArray[np.uint64], _Ints]: ...

# conjunctions.cpp
class ConjunctionIndex:
    def __init__(self, records: NDArray[np.uint8], weights: _Ints) -> None: ...

def best_conjunctions(
    index: ConjunctionIndex, part_costs: _Ints, size_costs: _Ints, width: int, work_limit: int, eager: bool = False
) -> list[tuple[int, list[int], int] | None]: ...
def prove_conjunction(
    index: ConjunctionIndex,
    part_costs: _Ints,
    size_costs: _Ints,
    width: int,
    work_limit: int,
    log_limit: int,
    eager: bool = False,
) -> tuple[tuple[int, list[int], int], list[int]] | None: ...

# dual_search.cpp
def best_record(
    columns: int,
    blocks: Sequence[tuple[Sequence[Sequence[int]], Sequence[int]]],
    queries: Sequence[tuple[int, bool, int, Sequence[int]]],
    work_limit: int,
) -> tuple[int, list[int], int] | None: ...
