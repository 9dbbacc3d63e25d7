"""The test with discrete Laplace noise: T + Z > τ with Pr[Z = z] proportional to r^|z|, r = e^{-ε_T} rational."""

from __future__ import annotations

from fractions import Fraction

from oracledp.errors import ParameterError


def laplace_table(parts: int, ratio: Fraction, threshold: int) -> tuple[Fraction, ...]:
    """Pr[T + Z > τ] for T = 0 … parts: exact rationals, since the ratio is one. T = 0 never passes.

    >>> [str(p) for p in laplace_table(3, Fraction(1, 2), 2)]
    ['0', '1/6', '1/3', '2/3']
    """
    if not 0 < ratio < 1:
        raise ParameterError("the ratio of the test's noise must lie in (0, 1)")
    passes = [pass_probability(count, ratio, threshold) for count in range(1, parts + 1)]
    return (Fraction(0), *passes)


def pass_probability(count: int, ratio: Fraction, threshold: int) -> Fraction:
    """Pr[count + Z > threshold]."""
    if count <= threshold:
        return ratio ** (threshold - count + 1) / (1 + ratio)
    return 1 - ratio ** (count - threshold) / (1 + ratio)
