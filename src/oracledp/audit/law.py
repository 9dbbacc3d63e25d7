"""Output laws as rigorous intervals, and the exact epsilon and delta between two of them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[Any]  # numpy longdouble: a 64-bit mantissa, so sums of 1e8 positive terms keep eleven digits
ROUNDING = float(np.finfo(np.longdouble).eps)


@dataclass(frozen=True, eq=False)
class Law:
    """Pr[output] lies in [low, high] for each output, in a fixed order of outputs."""

    outputs: tuple[Hashable, ...]
    low: Reals
    high: Reals

    @classmethod
    def from_sums(cls, outputs: tuple[Hashable, ...], sums: Reals, *, terms: int, tail: float) -> Law:
        """Enclose sums of ``terms`` positive products, each good to a few roundings, and a mass left out."""
        relative = (terms + 1000) * ROUNDING
        high = np.minimum(sums * (1 + relative) + np.longdouble(tail), np.longdouble(1))
        return cls(outputs, sums * (1 - relative), high)

    @classmethod
    def from_fractions(cls, outputs: tuple[Hashable, ...], bounds: list[tuple[Fraction, Fraction]]) -> Law:
        """Enclose exact fractions."""
        low = np.array([_longdouble(low) for low, _ in bounds]) * (1 - 8 * ROUNDING)
        high = np.array([_longdouble(high) for _, high in bounds]) * (1 + 8 * ROUNDING)
        return cls(outputs, low, high)

    def merged(self, rename: dict[Hashable, Hashable]) -> Law:
        """The law of a function of the output (post-processing)."""
        names = tuple(dict.fromkeys(rename[output] for output in self.outputs))
        low, high = np.zeros(len(names), dtype=np.longdouble), np.zeros(len(names), dtype=np.longdouble)
        for output, a, b in zip(self.outputs, self.low, self.high, strict=True):
            low[names.index(rename[output])] += a
            high[names.index(rename[output])] += b
        return Law(names, low, high)


def _longdouble(value: Fraction) -> Any:
    """A fraction as a longdouble, correct to a few units in the last place."""
    if value == 0:
        return np.longdouble(0)
    shift = value.denominator.bit_length() - value.numerator.bit_length() + 70
    scaled = (value.numerator << shift) // value.denominator if shift >= 0 else value.numerator // value.denominator
    return np.ldexp(np.longdouble(scaled), -shift) if shift >= 0 else np.longdouble(scaled)


def epsilon_between(first: Law, second: Law) -> tuple[float, float]:
    """Bounds on max over outputs of ln(Pr_1/Pr_2): the least epsilon with delta = 0, one direction."""
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = np.where(first.high > 0, np.log(first.high / second.low), -np.inf)
        lower = np.where(first.low > 0, np.log(first.low / second.high), -np.inf)
    return float(np.nanmax(lower)), float(np.nanmax(np.where(np.isnan(upper), -np.inf, upper)))


def delta_between(first: Law, second: Law, epsilon: Fraction) -> tuple[float, float]:
    """Bounds on the hockey-stick divergence sum_o (Pr_1 - e^epsilon Pr_2)_+, one direction."""
    factor = np.exp(_longdouble(epsilon))
    lower = np.maximum(first.low - factor * (1 + 8 * ROUNDING) * second.high, 0).sum()
    upper = np.maximum(first.high - factor * (1 - 8 * ROUNDING) * second.low, 0).sum()
    return float(lower), float(upper)
