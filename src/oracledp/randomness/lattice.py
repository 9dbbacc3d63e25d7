"""How fine the lattices are on which mechanisms draw noise. Every theorem holds on every lattice; these ship.

The audit walks through all outcomes of shipped code, which takes a coarse lattice: :func:`on_lattice` sets one for
the mechanisms that are calibrated inside it. Nothing here depends on data.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Lattice:
    """Fineness in bits: a resolution of s means multiples of 2^-s.

    Ties broken by a fixed order cost nothing on any lattice, so a coarse one keeps the numbers small. Ties broken by a
    solver cost their probability, so that lattice is fine. The surrogate's noise lives on multiples of
    2^-``noise_bits`` (or coarser where that would overflow), its released weights on multiples of 2^-``grid_bits``;
    the point found is proved to lie within 2^-``distance_bits`` of the minimiser, and ``output_share`` of ε pays
    for the little noise that hides that distance. A logistic card's features are whole numbers, the longest vector of
    them ``feature_length`` long, and its residuals multiples of 2^-``residual_bits``: as fine as 2^40 rows allow.
    Sums by class are multiples of 2^-``sum_bits``.
    """

    fixed_ties: int = 10
    free_ties: int = 32
    noise_bits: int = 36
    grid_bits: int = 40
    distance_bits: int = 28
    output_share: Fraction = Fraction(1, 256)
    feature_length: int = 500
    residual_bits: int = 12
    sum_bits: int = 16


SHIPPED = Lattice()
_current: ContextVar[Lattice] = ContextVar("lattice")


def lattice() -> Lattice:
    """The lattice for mechanisms that are calibrated now."""
    return _current.get(SHIPPED)


@contextmanager
def on_lattice(chosen: Lattice) -> Iterator[None]:
    """Calibrate on another lattice, for audits."""
    token = _current.set(chosen)
    try:
        yield
    finally:
        _current.reset(token)
