"""The law of the privacy loss of many pure releases together, from above, in integers (proofs/budget.md, Theorem 2).

An ε-DP release is no worse than randomised response at ε, which is no worse than the right mixture of randomised
responses at the two multiples of a step h around ε. Losses of these add up on a grid, whose probabilities stand side
by side in one long integer, so that a release is a few shifts and sums; every rounding is upwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor, sqrt, tanh

from oracledp.privacy.accounting import exp_above, exp_below

_CELL = 192  # bits: 128 of a probability, 60 of a factor, and room
_SCALE, _FACTOR = 128, 60
_REACH = 13.0  # standard deviations of the loss that are kept; what lies beyond counts as lost
_CELLS = 1 << 11  # on either side of zero, for up to a thousand releases
_WORK = _CELLS * 1000
_BUCKETS = 512
_UNIT = 1 << 160
_NEGLIGIBLE = 120  # e^-120 is less than a unit


@dataclass(frozen=True)
class LossLaw:
    """Upper bounds on the probabilities of a loss: ``masses[j]`` at (j - middle)·step, ``lost`` beyond all of them.

    >>> law = LossLaw.of([Fraction(1, 100)] * 100)
    >>> round(float(law.epsilon(Fraction(1, 10**6))), 2)
    0.39
    """

    masses: tuple[int, ...]
    lost: int
    step: Fraction

    @classmethod
    def of(cls, epsilons: Sequence[Fraction]) -> LossLaw:
        """The law for releases with these ε, on a grid that their number allows."""
        numbers = [float(epsilon) for epsilon in epsilons]
        spread = sum(e * tanh(e / 2) for e in numbers) + _REACH * sqrt(sum(e * e for e in numbers))
        reach = max(min(spread, sum(numbers)), 2.0**-30)
        cells = max(64, min(_CELLS, _WORK // max(1, len(numbers))))
        inner = cells if spread < sum(numbers) else cells - min(len(numbers), cells // 2)  # each may move up by a step
        grid = _Grid(Fraction(max(1, ceil(reach / inner * (1 << 40))), 1 << 40), cells)
        for epsilon in sorted(epsilons):
            grid.add(epsilon)
        masses = cells_of(grid.law)
        return cls((*masses, *[0] * (2 * cells + 1 - len(masses))), grid.lost, grid.step)

    def epsilon(self, delta: Fraction, rho: Fraction = Fraction(0)) -> Fraction | None:
        """The least ε of a grid for which all of it, with something ρ-zCDP beside it, is certified to be (ε, δ)-DP."""
        room = floor(delta * (1 << _SCALE)) - self.lost
        if room <= 0:
            return None
        return self._alone(room) if rho == 0 else self._beside(room, rho)

    def _alone(self, room: int) -> Fraction:
        """From the top down: what lies above ε, less what e^ε times the other law has there."""
        ratio = floor(exp_below(self.step) * (1 << _FACTOR))
        above = less = 0
        for place in range(len(self.masses) - 1, -1, -1):
            if above - less > room:
                return max(Fraction(0), (place + 1 - self._middle) * self.step)
            above += self.masses[place]
            less = (less + self.masses[place]) * ratio >> _FACTOR
        return Fraction(0)

    @property
    def _middle(self) -> int:
        return len(self.masses) // 2

    # ---- beside something concentrated ---------------------------------------------------------------
    def _beside(self, room: int, rho: Fraction) -> Fraction | None:
        """The same where δ is averaged over the loss so far: buckets, since each needs a conversion of its own."""
        width, masses = self._buckets
        highest = len(masses) // 2 + 1
        while self._mixed(highest, width, masses, rho) > room:
            highest *= 2
            if highest > 1 << 20:
                return None
        lowest = 0
        while highest - lowest > 1:
            middle = (lowest + highest) // 2
            fits = self._mixed(middle, width, masses, rho) <= room
            lowest, highest = (lowest, middle) if fits else (middle, highest)
        return highest * width

    @cached_property
    def _buckets(self) -> tuple[Fraction, list[int]]:
        """The masses in fewer cells, each moved up to the next: the middle one is at zero."""
        size = max(1, ceil(self._middle / (_BUCKETS // 2)))
        half = ceil(self._middle / size)
        masses = [0] * (2 * half + 1)
        for place, mass in enumerate(self.masses):
            masses[half - (self._middle - place) // size] += mass  # a floor: up to the next
        return self.step * size, masses

    def _mixed(self, number: int, width: Fraction, masses: Sequence[int], rho: Fraction) -> int:
        half = len(masses) // 2
        shares = (concentrated_delta(rho, (number - (place - half)) * width) for place in range(len(masses)))
        return sum(ceil(mass * share) for mass, share in zip(masses, shares, strict=True))


@lru_cache(maxsize=1 << 12)
def concentrated_delta(rho: Fraction, epsilon: Fraction) -> Fraction:
    """An upper bound on the δ that ρ-zCDP gives at ε, by one good α, in units of 2^-160.

    >>> float(concentrated_delta(Fraction(24, 1000), Fraction(1))) < 2e-6
    True
    """
    alpha = max(2, round((epsilon + rho) / (2 * rho))) if epsilon > 0 else 2
    exponent = (alpha - 1) * (epsilon - alpha * rho)
    if epsilon <= 0 or exponent <= 0:
        return Fraction(1)
    found = exp_above(exponent) / (2 * alpha) if exponent < _NEGLIGIBLE else Fraction(0)  # (α-1)^(α-1)/α^α <= 1/2α
    return min(Fraction(1), Fraction(ceil(found * _UNIT) + 1, _UNIT))


class _Grid:
    """The law in the making: cells from -cells·step to +cells·step in one integer, the lowest first."""

    def __init__(self, step: Fraction, cells: int) -> None:
        self.step, self.cells = step, cells
        self.law = 1 << (_SCALE + _CELL * cells)
        self.lost = 0
        self._width = _CELL * (2 * cells + 1)
        self._ones = ((1 << self._width) - 1) // ((1 << _CELL) - 1)
        self._kept = self._ones * ((1 << _CELL) - (1 << _FACTOR))
        self._known: dict[Fraction, list[tuple[int, int]]] = {}

    def add(self, epsilon: Fraction) -> None:
        """One release more."""
        if epsilon not in self._known:
            self._known[epsilon] = self._moves(epsilon)
        law = lost = 0
        for cells, factor in self._known[epsilon]:
            moved, beyond = self._moved(cells)
            law += moved * factor
            lost += beyond * factor
        self.law = ((law & self._kept) >> _FACTOR) + self._ones  # each cell's fraction is dropped, and one unit added
        self.lost += (lost >> _FACTOR) + 1

    def _moves(self, epsilon: Fraction) -> list[tuple[int, int]]:
        """By how many cells the loss moves, and with which probability, in units of 2^-60, rounded up."""
        least = floor(epsilon / self.step)
        lower, upper = least * self.step, (least + 1) * self.step
        gap = exp_below(lower) - exp_above(upper)
        wide = (exp_above(lower) - exp_below(epsilon)) * (1 + exp_above(upper)) / (1 + exp_below(epsilon))
        share = min(1 << _FACTOR, ceil(wide / gap * (1 << _FACTOR))) if gap > 0 else 1 << _FACTOR
        moves = []
        for cells, weight in ((least, (1 << _FACTOR) - share), (least + 1, share)):
            low, high = exp_below(cells * self.step), exp_above(cells * self.step)
            moves += [(cells, ceil(weight / (1 + low))), (-cells, ceil(weight * high / (1 + high)))]
        return moves

    def _moved(self, cells: int) -> tuple[int, int]:
        """The law shifted, and the mass beyond its top; what falls off the bottom stays in the lowest cell."""
        if cells >= 0:
            shifted = self.law << (_CELL * cells)
            return shifted & ((1 << self._width) - 1), sum(cells_of(shifted >> self._width))
        low = self.law & ((1 << (_CELL * -cells)) - 1)
        return (self.law >> (_CELL * -cells)) + sum(cells_of(low)), 0


def cells_of(law: int) -> list[int]:
    """The cells of a long integer, the lowest first."""
    size = _CELL // 8
    raw = law.to_bytes(size * (1 + law.bit_length() // _CELL), "little")
    return [int.from_bytes(raw[place : place + size], "little") for place in range(0, len(raw), size)]
