"""Theorem 7 of proofs/prsma.md: tests on subsamples, and the answer from a fresh one. δ by cells over one number.

All that an adversary can choose enters through ψ, the chance that a test without the changed record passes. The bound
is evaluated on cells of ψ with every factor at its worse end, in outward-rounded arithmetic, and the worst cells are
halved until they are tight.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import comb, lcm

from oracledp.errors import ParameterError
from oracledp.exact.intervals import BITS, Interval
from oracledp.mechanisms.robust.design import Design, Terms, Theorem
from oracledp.privacy.guarantee import Neighbours

GRID = 48  # ψ in units of 2^-48
FIRST_CELLS = 128
MOST_CELLS = 20_000  # for a claim that nothing refutes yet
ENOUGH_CELLS = 800  # for one that a single ψ refutes
TIGHT = Fraction(101, 100)  # the certified δ over one that is reached at some ψ, unless it is below the claim
LEAST = 1 << (GRID - 20)  # below, the bound that divides by ψ is not tried


@dataclass(frozen=True)
class TwoSamples(Theorem):
    """Every subsample holds each record with probability ``sampling``; the base is ε'/2-DP under add/remove-one."""

    sampling: Fraction

    name = "two-sample"
    base_neighbours = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        if not 0 < self.sampling <= Fraction(1, 2) or self.sampling.numerator != 1:
            raise ParameterError("the sampling probability must be one over an integer of at least 2")

    def parameters(self) -> dict[str, str]:
        """q."""
        return {"sampling": str(self.sampling)}

    def share(self, parts: int) -> Fraction:
        """q: the share of the rows that the released run sees, on average."""
        return self.sampling

    def calls(self, parts: int, runs: int) -> int:
        """The runs of the tests, and the released one."""
        return parts * runs + 1

    def tie_share(self, design: Design) -> Fraction:
        """How often a tie in the released run can show."""
        return design.pass_probabilities[-1]

    def terms(self, design: Design, epsilon: Fraction) -> Terms:
        """The whole of δ, at the worst cell of ψ."""
        bound = _Bound(design, self.sampling, epsilon)
        worst = _worst_cell(bound)
        names = ("answers that a record makes likely", "unseen failures", "giving up")
        return dict(zip(names, worst, strict=True))


def refuse_other_designs(design: object) -> None:
    """Refuse all but designs by this very theorem: a subclass of either could certify itself.

    >>> refuse_other_designs("a design")
    Traceback (most recent call last):
    oracledp.errors.ParameterError: design must be one of Theorem 7, as design_prsma makes it; nothing else is run
    """
    if type(design) is not Design or type(design.theorem) is not TwoSamples:
        raise ParameterError("design must be one of Theorem 7, as design_prsma makes it; nothing else is run")


Parts = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class _Point:
    """G⁺, G⁻ and k at one ψ; k is None where ψ is too small for it."""

    above: Interval
    below: Interval
    likeness: Interval | None


@dataclass
class _Bound:
    """The bound of Theorem 7 for one design and one ε."""

    design: Design
    sampling: Fraction
    epsilon: Fraction
    known: dict[int, _Point] = field(default_factory=dict)

    def __post_init__(self) -> None:
        design = self.design
        self.scale = scale = lcm(*(p.denominator for p in design.pass_probabilities))
        self.weights = [comb(design.parts, t) * int(p * scale) for t, p in enumerate(design.pass_probabilities)]
        others, eta = design.rows - 1, design.base_epsilon
        self.growth = Interval.of(self.epsilon).exp()
        self.step = Interval.of(eta).exp()
        self.drift = others * ((1 + self.sampling * (self.step - 1)).log() - self.sampling * eta)
        self.spread = eta * Interval.of(others * self.sampling * (1 - self.sampling)).sqrt()

    @cached_property
    def cells(self) -> int:
        """1/q, an integer."""
        return self.sampling.denominator

    def point(self, psi: int) -> _Point:
        """Everything at ψ = psi/2^GRID."""
        if psi not in self.known:
            whole = self.cells << GRID
            hit = (self.cells - 1) * psi
            self.known[psi] = _Point(
                self.passing((1 << GRID) + hit, whole), self.passing(hit, whole), self.likeness(psi)
            )
        return self.known[psi]

    def passing(self, hit: int, whole: int) -> Interval:
        """E g(Bin(m, hit/whole)), exact but for one division."""
        total, power, miss = 0, 1, whole - hit
        for weight in reversed(self.weights):  # Horner in hit/miss, each term with its power of miss
            total = total * hit + weight * power
            power *= miss
        return Interval(*_over(total, self.scale * whole**self.design.parts))

    def likeness(self, psi: int) -> Interval | None:
        """k = exp(L + σ sqrt((1-ψ)/ψ))/ψ."""
        if psi < LEAST:
            return None
        share = Fraction(psi, 1 << GRID)
        return (self.drift + self.spread * Interval.of((1 - share) / share).sqrt()).exp() / share

    def on(self, low: int, high: int) -> Parts:
        """Upper bounds on the three parts of δ for all ψ between low and high."""
        left, right = self.point(low), self.point(high)
        above = Interval(left.above.low, right.above.high)
        below = Interval(left.below.low, right.below.high)
        missed, q = 1 - self.sampling, self.sampling
        gap = above - self.growth * below
        coarse = (missed * gap.maximum(Interval(0, 0)) + above * q).upper
        giving_up = max((1 - below * missed - self.growth * (1 - above)).upper, Fraction(0))
        if left.likeness is None:
            return coarse, Fraction(0), giving_up
        share = above * q * self.step * Interval(0, left.likeness.high)
        fine = max((missed * gap + share).upper, Fraction(0))
        unseen = (share * (1 - Fraction(low, 1 << GRID))).upper / self.design.runs_per_part
        return (fine, unseen, giving_up) if fine + unseen < coarse else (coarse, Fraction(0), giving_up)


def _worst_cell(bound: _Bound) -> Parts:
    """The greatest bound over cells that cover [0, 1], the worst halved until the claim holds or is nearly refuted."""
    claim = bound.design.delta
    edges = [(number << GRID) // FIRST_CELLS for number in range(FIRST_CELLS + 1)]
    queue = [_entry(bound, low, high) for low, high in pairwise(edges)]
    heapify(queue)
    reached = max(sum(bound.on(edge, edge)) for edge in edges)
    for number in range(MOST_CELLS):
        worst, low, high, parts = queue[0]
        refuted = reached > claim and number > ENOUGH_CELLS
        if -worst <= max(reached * TIGHT, claim) or refuted or high - low <= 1:
            return parts
        heappop(queue)
        middle = (low + high) // 2
        reached = max(reached, sum(bound.on(middle, middle)))
        heappush(queue, _entry(bound, low, middle))
        heappush(queue, _entry(bound, middle, high))
    return queue[0][3]


def _entry(bound: _Bound, low: int, high: int) -> tuple[Fraction, int, int, Parts]:
    parts = bound.on(low, high)
    return -sum(parts, Fraction(0)), low, high, parts


def _over(numerator: int, denominator: int) -> tuple[int, int]:
    low = (numerator << BITS) // denominator
    return low, low + 1
