"""The kind and the spelling of a column from noisy counts of the kinds of its texts. Post-processing.

Only what stands out of the noise counts: there are many kinds, and sums over all of them would be noise alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema.moments import Date, Timestamp
from oracledp.data.schema.text_kinds import BARE, BIT, KINDS, PLACES, ColumnKind, TextKind, format_from, is_fixed
from oracledp.data.schema.text_kinds import spelled_numbers as spelled

_SHOWN = 4.5  # standard deviations of the noise; with so many kinds, 4 would be passed by chance too often
_MOST = 0.95  # share of the values that must be of a kind for the column to be
_DAY, _STAMP = TextKind("date", format=Date.usual), TextKind("timestamp", format=Timestamp.usual)

Integers = NDArray[np.int64]


def kind_from(counts: Integers, deviation: float, kinds: Sequence[TextKind] = KINDS) -> ColumnKind:
    """The kind of a column, its decimals or format, whether values are missing and the commonest mark of these."""
    held = {kind: int(count) for kind, count in zip(kinds, counts.tolist(), strict=True)}
    shown = sorted((kind for kind in kinds if held[kind] > _SHOWN * deviation), key=lambda kind: -held[kind])
    values = [kind for kind in shown if not kind.missing]
    total = sum(held[kind] for kind in values)
    gaps = [kind for kind in shown if kind.missing]
    mark = gaps[0].mark if gaps else None
    if not values:
        return ColumnKind("nothing", nullable=True)
    if values == [BIT]:
        return ColumnKind("bit", nullable=bool(gaps), mark=mark)
    numbers = [kind for kind in values if kind.kind in ("number", "bit")]
    if sum(held[kind] for kind in numbers) >= _MOST * total:
        decimals, places = spelled(numbers)
        odd = bool(gaps) or len(numbers) < len(values)
        places, bare = 0 if BIT in numbers else places, BARE in numbers
        return ColumnKind("number", decimals, places, odd, mark, bare=bare, fixed=is_fixed(numbers))
    for moment in ("date", "timestamp", "duration"):
        own = [kind for kind in values if kind.kind == moment]
        if own and sum(held[kind] for kind in own) >= _MOST * total:
            return ColumnKind(moment, nullable=bool(gaps), mark=mark, format=format_from(own))
    return ColumnKind("text", nullable=bool(gaps), mark=mark)


def with_midnights(counts: Integers, deviation: float) -> Integers:
    """Counts of a typed source, which spells midnights as their days: those beside other time stamps are some, too."""
    if min(counts[PLACES[_DAY]], counts[PLACES[_STAMP]]) <= _SHOWN * deviation:
        return counts
    found = counts.copy()
    found[PLACES[_STAMP]] += found[PLACES[_DAY]]
    found[PLACES[_DAY]] = 0
    return found


def values_from(counts: Integers, deviation: float, kinds: Sequence[TextKind] = KINDS) -> tuple[float, float]:
    """How many rows hold a value, by the kinds that stand out, and the standard deviation of that."""
    kept = [PLACES[kind] for kind in kinds if not kind.missing and counts[PLACES[kind]] > _SHOWN * deviation]
    return float(counts[kept].sum()), deviation * max(len(kept), 1) ** 0.5
