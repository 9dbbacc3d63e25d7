"""Rounds of the query-release game inside the synthesizer: find the worst query privately, measure it, fit again.

The query player is the exponential mechanism over a class and its negations, the data player a mixture that goes on
fitting. What is played is also measured, so every round leaves a count (proofs/measured-synthesis.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from oracledp.data.schema import Schema
from oracledp.privacy.accounting import split
from oracledp.synthesis.chosen_fit import RunningFit
from oracledp.synthesis.counted import CountedQuery
from oracledp.synthesis.measurements import Meter
from oracledp.synthesis.measuring import Measured
from oracledp.synthesis.rounding import draw_rows
from oracledp.synthesis.searched import Searched

_MOST_ROWS = 50_000  # of a proposal
SELECTING = 0.8  # of a round's budget: choosing the right query needs more than counting it


def play_rounds(
    meter: Meter,
    schema: Schema,
    measured: Measured,
    searched: Sequence[Searched],
    rho: Fraction,
    generator: np.random.Generator,
) -> Measured:
    """Spend ``rho`` on rounds, ``searched[i].rounds`` of them on each class, in turns."""
    order, total = _turns(searched), max(round(measured.total), 1)
    fit = RunningFit(measured, meter.records.in_order, generator)
    for place, part in zip(order, split(rho, [1.0] * len(order)), strict=True):
        choosing, counting = split(part, [SELECTING, 1 - SELECTING])
        proposal = draw_rows(fit.mixture, measured.marginals, min(total, _MOST_ROWS), generator)
        query = meter.select(searched[place].queries, schema, proposal, total, choosing)
        noisy = meter.queries([CountedQuery.of(query, schema)], counting)
        measured = replace(measured, queries=(*measured.queries, noisy))
        fit.extend(measured)
    return measured


def _turns(searched: Sequence[Searched]) -> list[int]:
    """The classes' numbers, spread evenly over the rounds."""
    places = [((k + 0.5) / found.rounds, i) for i, found in enumerate(searched) for k in range(found.rounds)]
    return [i for _, i in sorted(places)]
