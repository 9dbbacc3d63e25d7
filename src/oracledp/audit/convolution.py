"""Laws of releases that end in additive block noise: a walk gives what the noise is added to, this adds it exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, log
from typing import Any

import numpy as np

from oracledp.audit import draw_laws
from oracledp.audit.draw_laws import UNIT
from oracledp.audit.enumeration import RunLaw
from oracledp.audit.exact_law import DataSet, Finding
from oracledp.audit.law import ROUNDING, Reals
from oracledp.errors import ParameterError
from oracledp.privacy.guarantee import Guarantee

REACH = 16  # scales of noise that are looked at; what lies outside counts as cut off


@dataclass(frozen=True, eq=False)
class ReleasedLaw:
    """Lower bounds on the probabilities of all points of a box, good to a few roundings, and what they leave of one."""

    cells: Reals
    lost: float


def convolved(laws: Mapping[DataSet, RunLaw]) -> dict[DataSet, ReleasedLaw]:
    """The laws of the released vectors, on one box of the lattice."""
    released: Any = dict.fromkeys(output for law in laws.values() for output in law.masses)
    noises = {(scale, sizes) for _, scale, sizes in released}
    if len(noises) != 1:
        raise ParameterError("the noise of a release depends on the data or on earlier draws")
    ((scale, sizes),) = noises
    centres = np.array([values for values, _, _ in released])
    corner = centres.min(axis=0) - REACH * scale
    shape = tuple(centres.max(axis=0) + REACH * scale + 1 - corner)
    window, missing = noise_window(scale, sizes)
    return {data: _law(law, corner, shape, window, missing) for data, law in laws.items()}


def noise_window(scale: int, sizes: tuple[int, ...]) -> tuple[Reals, float]:
    """Block noise on the cube of radius REACH·scale, and how much lies outside."""
    radius = REACH * scale
    axes = np.meshgrid(*[np.arange(-radius, radius + 1)] * sum(sizes), indexing="ij")
    starts = np.cumsum((0, *sizes[:-1]))
    norms = np.max(np.add.reduceat(np.abs(np.stack(axes)), starts, axis=0), axis=0)
    total = draw_laws.block_total(scale, sizes)
    each = [draw_laws.over(draw_laws.decay(Fraction(r, scale)), total)[0] for r in range(int(norms.max()) + 1)]
    window = np.array([np.longdouble(mass) / np.longdouble(UNIT) for mass in each])[norms]
    return window, float(1 - window.sum())


def _law(law: RunLaw, corner: Any, shape: Any, window: Reals, missing: float) -> ReleasedLaw:
    cells = np.zeros(shape, dtype=np.longdouble)
    radius = window.shape[0] // 2
    masses: Any = law.masses
    for (values, _, _), (low, _) in masses.items():
        place = tuple(slice(v - radius - c, v + radius + 1 - c) for v, c in zip(values, corner, strict=True))
        cells[place] += np.longdouble(low / UNIT) * window
    return ReleasedLaw(cells.ravel(), law.lost_share + missing + (len(masses) + 1000) * ROUNDING)


def compare_released(name: str, claimed: Guarantee, pairs: Sequence[tuple[ReleasedLaw, ReleasedLaw]]) -> Finding:
    """Both directions of every pair. Events are those of the likelihood ratio, so that little is lost to the tails."""
    both = [pair for one, other in pairs for pair in ((one, other), (other, one))]
    growth = exp(float(claimed.epsilon))
    excess = [float(np.maximum(a.cells - growth * b.cells, 0).sum()) for a, b in both]
    return Finding(
        name,
        claimed,
        epsilon_low=max(_certain_epsilon(a, b) for a, b in both),
        epsilon_high=inf,
        delta_low=max(max(over - growth * b.lost, 0.0) for over, (_, b) in zip(excess, both, strict=True)),
        delta_high=max(over + a.lost for over, (a, _) in zip(excess, both, strict=True)),
        pairs=len(pairs),
    )


def _certain_epsilon(first: ReleasedLaw, second: ReleasedLaw) -> float:
    """The greatest log ratio of the probabilities of an event, with all that was lost on the second's side."""
    order = np.argsort(second.cells / np.maximum(first.cells, np.longdouble(1e-300)))
    inside, outside = np.cumsum(first.cells[order]), np.cumsum(second.cells[order]) + second.lost
    return log(float(np.max(inside / outside)))
