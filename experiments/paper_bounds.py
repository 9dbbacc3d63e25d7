"""The paper's accuracy theorems in its own form, with its proofs' constants, whether or not these stand.

The library promises only what :mod:`oracledp.bounds` proves; here is what to hold it against. Errors are shares of the
rows. Errata E1–E9 and A1–A14 are in proofs/errata.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, pow, sqrt

from oracledp.errors import ParameterError


# ---- one selection -------------------------------------------------------------------------------------
def rspm(elements: int, *, epsilon: float, rows: float, beta: float) -> float:
    """Theorem "RSPM is an (α,β)-minimiser": 2m² ln(m/β)/(εn). Its noise is only 2ε-DP under replace-one (E1)."""
    return 2 * elements**2 * log(elements / beta) / (epsilon * rows)


def rspm_mean(elements: int, *, epsilon: float, rows: float) -> float:
    """The remark on the expected error: 2m²(1 + ln m)/(εn)."""
    return 2 * elements**2 * (1 + log(elements)) / (epsilon * rows)


def gaussian_sigma(elements: int, *, epsilon: float, delta: float) -> float:
    """σ = 3.5·sqrt(m ln(1/δ))/ε, which is not (ε,δ)-DP (E2)."""
    return 3.5 * sqrt(elements * log(1 / delta)) / epsilon


def gaussian_rspm(elements: int, *, epsilon: float, delta: float, rows: float, beta: float) -> float:
    """The utility theorem with its proof's constants: 2mσ·sqrt(2 ln(2m/β))/n at the paper's σ, void by E2."""
    sigma = gaussian_sigma(elements, epsilon=epsilon, delta=delta)
    return 2 * elements * sigma * sqrt(2 * log(2 * elements / beta)) / rows


def exponential(log_size: float, *, epsilon: float, rows: float, beta: float) -> float:
    """The generic learner: (2/ε)(ln|Q| + ln(1/β))/n."""
    return 2 / epsilon * (log_size + log(1 / beta)) / rows


# ---- samples and parts of the table --------------------------------------------------------------------
def sample_size(log_size: float, *, error: float, beta: float) -> int:
    """The sampling lemma: N = 2 ln(2|Q|/β)/α², four times what Hoeffding needs (T8).

    >>> from oracledp import bounds
    >>> 4 * bounds.sample_size(5.0, error=0.1, beta=0.05) - sample_size(5.0, error=0.1, beta=0.05) < 4
    True
    """
    return ceil(2 * (log(2 / beta) + log_size) / error**2)


def subsample_error(log_size: float, *, rows: float, parts: float, beta: float) -> float:
    """Within PRSMA's accuracy theorem: twice the greatest deviation, 2·sqrt(K ln(2|Q|/η)/(2n))."""
    return 2 * sqrt(parts / (2 * rows) * (log(2 / beta) + log_size))


def prsma(elements: int, log_size: float, *, epsilon: float, delta: float, rows: float, beta: float) -> float:
    """The accuracy theorem with its proof's constants, for β > δ, at inputs ε* = ε/62 and δ* = δ/11.

    "With probability 1 - δ it answers" is false: it returns ⊥ a quarter of the time (E3), and two events of
    probability η are spent where the proof counts one (A12).
    """
    if beta <= delta:
        raise ParameterError("the paper's theorem needs beta > delta")
    star, small = epsilon / 62, delta / 11
    parts = (1 + log(2 / small)) / star
    inner = 1 / sqrt(8 * rows / parts * log(2 * parts / small))
    spread = subsample_error(log_size, rows=rows, parts=parts, beta=beta - delta)
    return spread + rspm(elements, epsilon=inner, rows=rows / parts, beta=beta - delta)


# ---- regret --------------------------------------------------------------------------------------------
def private_leader(*, epsilon: float, delta: float, sup_norm: float, rounds: float) -> float:
    """The barrier section's theorem with its proof's constants: 2ε + δ + (2+4ε)·E||Z||_∞/T."""
    return 2 * epsilon + delta + (2 + 4 * epsilon) * sup_norm / rounds


def gumbel_sup_norm(log_size: float, *, epsilon: float) -> float:
    """E max Gumbel, (ln N + γ)/ε: E||Z||_∞ of the exponential mechanism as a perturbation."""
    return (log_size + 0.5772156649015329) / epsilon


def context_ftpl(elements: int, log_size: float, *, rounds: float) -> float:
    """m^{3/4}·sqrt(ln N / T), the paper's O(.) with constant one."""
    return pow(elements, 0.75) * sqrt(log_size / rounds)


# ---- OracleQuery: rates whose constants are hidden in O-tilde, all set to one ---------------------------
def private_oracle_rate(
    dual: int, log_size: float, log_domain: float, *, epsilon: float, delta: float, rows: float, beta: float
) -> float:
    """Bound 3, a private oracle as good as the exponential mechanism."""
    inner = dual**0.75 * sqrt(log_domain * log(1 / delta)) * (log_size + log(1 / beta)) / (rows * epsilon)
    return sqrt(inner)


def gaussian_rate(
    elements: int, dual: int, log_domain: float, *, epsilon: float, delta: float, rows: float, beta: float
) -> float:
    """Bound 1, Gaussian RSPM: m1^{3/2} is void by E2; with the noise that privacy needs it is m1²."""
    inner = elements**1.5 * dual**0.75 * sqrt(log(elements / beta) * log_domain) * log(1 / delta) / (rows * epsilon)
    return sqrt(inner)


def gaussian_rate_corrected(
    elements: int, dual: int, log_domain: float, *, epsilon: float, delta: float, rows: float, beta: float
) -> float:
    """Bound 1 with the true noise of order m1/ε0: one more factor sqrt(m1) inside."""
    paper = gaussian_rate(elements, dual, log_domain, epsilon=epsilon, delta=delta, rows=rows, beta=beta)
    return paper * sqrt(sqrt(elements))


def prsma_rate(elements: int, dual: int, log_size: float, log_domain: float, *, epsilon: float, rows: float) -> float:
    """Bound 2, PRSMA with Laplace RSPM."""
    dual_side = sqrt(sqrt(dual)) * pow(log_domain, 1 / 6)
    return dual_side * (pow(elements, 4 / 3) + pow(log_size, 1 / 3)) / pow(rows * epsilon, 1 / 3)


@dataclass(frozen=True)
class ConjunctionRates:
    """The conjunction example: the three rates for all 2^d conjunctions, and the best inefficient one."""

    gaussian: float
    prsma: float
    private_oracle: float
    inefficient: float


def conjunctions(dimension: int, *, epsilon: float, rows: float) -> ConjunctionRates:
    """d^{11/8}, d^{7/4}/(εn)^{1/3}, d^{9/8} and d^{3/4} over sqrt(εn)."""
    root, cube = sqrt(epsilon * rows), (epsilon * rows) ** (1 / 3)
    d = float(dimension)
    return ConjunctionRates(d ** (11 / 8) / root, d ** (7 / 4) / cube, d ** (9 / 8) / root, d ** (3 / 4) / root)


def conjunctions_corrected(dimension: int, *, epsilon: float, rows: float) -> ConjunctionRates:
    """The same with d^{13/8} for Gaussian RSPM (E2); the others survive.

    >>> rates = conjunctions_corrected(16, epsilon=1, rows=10**6)
    >>> round(rates.gaussian / conjunctions(16, epsilon=1, rows=10**6).gaussian, 6) == 16 ** 0.25
    True
    """
    paper = conjunctions(dimension, epsilon=epsilon, rows=rows)
    return ConjunctionRates(
        paper.gaussian * float(dimension) ** 0.25, paper.prsma, paper.private_oracle, paper.inefficient
    )
