"""Many steps of Gaussian noise as one, in exact arithmetic (proofs/gradient-cards.md, section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, erfc, exp, sqrt

from oracledp.errors import ParameterError
from oracledp.exact.intervals import normal_tail
from oracledp.privacy.accounting import exp_above, exp_below, zcdp_rho

GRID = 1 << 40
MOST_EPSILON = 300
MOST_EXACT, LEAST_EXACT = 10, Fraction(1, 10**9)  # ε and δ at which lattices stay well inside 64 bits
SLACK = 64  # the part of δ that pays for the lattice
DISCRETE = Fraction(1, 8)  # Lemma 2: discrete and rounded Gaussian noise are 1/(8 variance) apart


def gaussian_delta(mu: Fraction, epsilon: Fraction) -> Fraction:
    """An upper bound on the δ at ε of steps whose squared shifts add up to μ² times the variance of their noise.

    δ = Pr[Z > ε/μ - μ/2] - e^ε Pr[Z > ε/μ + μ/2], with continuous Gaussian noise.

    >>> round(float(gaussian_delta(Fraction(1), Fraction(1))), 6)
    0.126937
    """
    reach = epsilon / mu
    far = normal_tail(reach + mu / 2).lower
    return min(Fraction(1), normal_tail(reach - mu / 2).upper - max(far, Fraction(0)) / exp_above(epsilon))


@lru_cache(maxsize=256)
def gaussian_variance(*, epsilon: Fraction, delta: Fraction, squared_shift: int, draws: int) -> int:
    """The least variance (nearly) at which discrete Gaussian noise on ``draws`` integers is (ε, δ)-DP.

    ``squared_shift`` bounds the sum over all steps of the squared Euclidean distance by which a record moves what is
    released. The better of two proofs: zero-concentrated privacy, which holds on every lattice, and the exact Gaussian
    trade-off with the price of the lattice, which is nothing where the variance is large.

    >>> gaussian_variance(epsilon=Fraction(1), delta=Fraction(1, 10**5), squared_shift=1 << 40, draws=100) >> 40
    13
    """
    plain = ceil(squared_shift / (2 * zcdp_rho(epsilon, delta)))
    guess = gaussian_mu(epsilon, delta)
    for slack in (30, 20, 12, 8):
        mu = Fraction(int(guess * (1 - 2.0**-slack) * GRID), GRID)
        if mu <= 0:
            continue
        variance = ceil(squared_shift / mu**2)
        if variance < plain and certified(mu, epsilon, variance, draws) <= delta:
            return variance
    return plain


def certified(mu: Fraction, epsilon: Fraction, variance: int, draws: int) -> Fraction:
    """δ of the Gaussian trade-off plus (1 + e^ε) times the distance between the discrete and the rounded noise."""
    apart = min(Fraction(1), DISCRETE * draws / variance)
    return gaussian_delta(mu, epsilon) + (1 + 1 / exp_below(epsilon)) * apart


@dataclass(frozen=True)
class GaussianBudget:
    """What Gaussian measurements may spend: ``rho`` bounds the sum of their squared shifts over twice their variances.

    ``apart`` bounds how far, in total variation, all their noise may lie from rounded continuous noise; None where
    the conversion is that of zero-concentrated privacy, which asks for nothing of the kind.
    """

    rho: Fraction
    apart: Fraction | None = None

    def part(self, share: Fraction) -> GaussianBudget:
        """A share of it: parts whose shares add up to one spend no more than the whole, lattices included."""
        return GaussianBudget(self.rho * share, None if self.apart is None else self.apart * share)

    def bits(self, draws: int) -> int:
        """How many times a lattice is halved for ``draws`` numbers, so that all lie within ``apart`` together.

        A measurement that takes a part of ``rho`` has a variance of at least 1/(2 part), so its draws are within
        draws·part/(4·4^bits) of rounded noise: the parts of ``apart`` are those of ``rho``.
        """
        if self.apart is None:
            return 0
        needed = ceil(draws * self.rho / (4 * self.apart))
        return ((needed - 1).bit_length() + 1) // 2


@lru_cache(maxsize=256)
def gaussian_budget(epsilon: Fraction, delta: Fraction) -> GaussianBudget:
    """The budget of Gaussian measurements chosen one after the other, at (ε, δ) (proofs/measured-synthesis.md).

    The better of zero-concentrated privacy and the exact Gaussian trade-off.

    >>> round(float(gaussian_budget(Fraction(1), Fraction(1, 10**6)).rho), 4)
    0.028
    """
    plain = zcdp_rho(epsilon, delta)
    if epsilon > MOST_EXACT or delta < LEAST_EXACT:
        return GaussianBudget(plain)
    apart = delta / (SLACK * (1 + 1 / exp_below(epsilon)))
    guess = gaussian_mu(epsilon, delta * (1 - Fraction(1, SLACK)))
    for slack in (30, 20, 12):
        mu = Fraction(int(guess * (1 - 2.0**-slack) * GRID), GRID)
        if mu**2 > 2 * plain and gaussian_delta(mu, epsilon) + delta / SLACK <= delta:
            return GaussianBudget(Fraction(int(mu**2 / 2 * GRID), GRID), apart)
    return GaussianBudget(plain)


@lru_cache(maxsize=256)
def gaussian_mu(epsilon: Fraction, delta: Fraction) -> float:
    """The μ of Gaussian noise at (ε, δ) in floats: a guess and a measure of what ε allows, never a certificate."""
    if epsilon > MOST_EPSILON:
        raise ParameterError(f"epsilon must be at most {MOST_EPSILON} for Gaussian noise")
    loss = float(epsilon)

    def excess(mu: float) -> float:
        near, far = (erfc((loss / mu + sign * mu / 2) / sqrt(2)) / 2 for sign in (-1, 1))
        return near - exp(loss) * far - float(delta)

    low, high = 0.0, 64.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) <= 0 else (low, middle)
    return low
