"""The records that deny rules leave, listed by what the rules tell apart of each column.

Rules that leave next to no record leave few cases, so that a model can be held to them one by one; rules that leave too
many cases to be listed are easy to keep otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
MaskedRule = dict[int, Mask]  # for each column that it reads, the codes at which its literals hold

MOST_CASES, _MOST_LOOKED = 4_000, 40_000  # both public, as the rules are


@dataclass(frozen=True)
class Cases:
    """Disjoint sets of records that together are all those that keep some rules.

    ``kinds[column]`` holds for each code the kind that rules see in it; ``listed`` has a row for each case and a
    column for each of ``columns``: the kind that the case asks for, or -1 where it asks for nothing.
    """

    columns: tuple[int, ...]
    kinds: tuple[Integers, ...]
    listed: Integers

    def allows(self, place: int) -> Mask:
        """Which codes of a column each kind stands for; one row for each kind."""
        kinds = self.kinds[place]
        return np.asarray(np.arange(kinds.max() + 1)[:, None] == kinds)


def lawful_cases(rules: Sequence[MaskedRule]) -> Cases | None:
    """All cases, or None where there are too many to be listed.

    >>> a, b = np.array([True, False, False]), np.array([False, True])
    >>> lawful_cases([{0: a, 1: b}, {0: ~a}]).listed.tolist()
    [[1, 0]]
    """
    named = {column for rule in rules for column in rule}
    columns = tuple(sorted(named, key=lambda column: (-sum(column in rule for rule in rules), column)))
    kinds, holds = [], []
    for column in columns:
        masks = [rule.get(column) for rule in rules]
        size = next(len(mask) for mask in masks if mask is not None)
        seen = np.stack([np.ones(size, dtype=np.bool_) if mask is None else mask for mask in masks], axis=1)
        patterns, kind = np.unique(seen, axis=0, return_inverse=True)
        kinds.append(kind.reshape(size).astype(np.int64))
        holds.append(patterns)
    found = _search(holds)
    if found is None:
        return None
    return Cases(columns, tuple(kinds), np.array(found, dtype=np.int64).reshape(len(found), len(columns)))


def _search(holds: Sequence[Mask]) -> list[list[int]] | None:
    """Settle column after column while a rule may still be broken; a case ends where none can be."""
    found: list[list[int]] = []
    rules = holds[0].shape[1]
    left: list[tuple[list[int], Mask]] = [([], np.ones(rules, dtype=np.bool_))]
    looked = 0
    while left:
        begun, threatened = left.pop()
        looked += 1
        if looked > _MOST_LOOKED or len(found) > MOST_CASES:
            return None
        if not threatened.any():
            found.append(begun + [-1] * (len(holds) - len(begun)))
        elif len(begun) < len(holds):
            left.extend(([*begun, kind], threatened & met) for kind, met in enumerate(holds[len(begun)]))
    return found
