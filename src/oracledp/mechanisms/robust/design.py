"""A design of PRSMA: every number that its guarantee depends on, exact."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import isqrt, sqrt
from typing import Any, ClassVar

from oracledp.errors import ParameterError
from oracledp.exact.numbers import show
from oracledp.mechanisms.robust.delta import delta_terms, epsilon_of_test
from oracledp.privacy.guarantee import Guarantee, Neighbours

Terms = dict[str, Fraction]


@dataclass(frozen=True)
class Theorem(ABC):
    """What turns a design into a delta, with its free parameters. Theorem 7 of proofs/prsma.md is the one that is run;
    older ones, and the paper's, are kept for comparison in ``experiments/parts``.

    ``base_neighbours`` is the relation under which the base algorithm must be private.
    """

    name: ClassVar[str]
    base_neighbours: ClassVar[Neighbours]

    @abstractmethod
    def terms(self, design: Design, epsilon: Fraction) -> Terms:
        """Upper bounds on the parts of delta at this epsilon, by what they pay for; ties are added to them."""

    @abstractmethod
    def parameters(self) -> dict[str, str]:
        """The free parameters, as exact strings."""

    @abstractmethod
    def share(self, parts: int) -> Fraction:
        """The share of the rows that the released run sees, on average."""

    @abstractmethod
    def calls(self, parts: int, runs: int) -> int:
        """How many runs there are."""

    @abstractmethod
    def tie_share(self, design: Design) -> Fraction:
        """How often a tie shows, per tie in a run: it must be in the run that is released."""


@dataclass(frozen=True, kw_only=True)
class Design:
    """All parameters of PRSMA (proofs/prsma.md), with the (ε, δ) and the failure probability that they claim.

    The claim is checked by :func:`oracledp.mechanisms.robust.delta.certified_delta`, which shares no code with
    the search that found the numbers; the mechanism refuses to run a design whose claim is not confirmed.

    ``epsilon_inner`` is ε', the privacy parameter of one run of the base algorithm under replace-one.
    ``parts`` is the number of subsamples on which ``runs_per_part`` runs are tested.
    ``pass_probabilities[T]`` is the probability that the mechanism goes on when T tests passed.
    ``tie_delta`` bounds the probability of a tie in one run, 0 when ties are broken by a fixed order.
    """

    epsilon: Fraction
    delta: Fraction
    rows: int
    parts: int
    runs_per_part: int
    epsilon_inner: Fraction
    pass_probabilities: tuple[Fraction, ...]
    theorem: Theorem
    tie_delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        for name in ("rows", "parts", "runs_per_part"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ParameterError(f"{name} must be a positive integer: round it up")
        for name in ("epsilon", "delta", "epsilon_inner", "tie_delta"):
            value = getattr(self, name)
            if not isinstance(value, Fraction) or value < 0:
                raise ParameterError(f"{name} must be a non-negative Fraction")
        table = self.pass_probabilities
        if len(table) != self.parts + 1 or table[0] != 0 or not all(isinstance(p, Fraction) for p in table):
            raise ParameterError("pass_probabilities needs one Fraction per number of passing tests, the first 0")
        if any(a > b for a, b in pairwise(table)) or table[-1] > 1:
            raise ParameterError("pass_probabilities must not decrease and must not exceed 1")
        if self.runs_per_part < 2 or self.parts < 2 or self.part_size < 1:
            raise ParameterError("a design needs at least 2 tests, 2 runs on each, and a row in a sample on average")

    @property
    def part_size(self) -> int:
        """l: the rows of a sample, on average."""
        return int(self.rows * self.theorem.share(self.parts))

    @property
    def calls(self) -> int:
        """How many runs of the base algorithm there are at most."""
        return self.theorem.calls(self.parts, self.runs_per_part)

    @property
    def beta(self) -> Fraction:
        """The probability of ⊥ when the oracle never fails: exact."""
        return 1 - self.pass_probabilities[-1]

    @property
    def signal(self) -> Fraction:
        """ε'·l, what a run can learn: the figure of merit."""
        return self.epsilon_inner * self.rows * self.theorem.share(self.parts)

    @property
    def relative_signal(self) -> float:
        """The signal in units of sqrt(rows), for people."""
        return float(self.signal) / isqrt(self.rows * 10**12) * 10**6

    @property
    def base_epsilon(self) -> Fraction:
        """What the base algorithm is calibrated to under the theorem's own relation: ε', or ε'/2 for add/remove."""
        return self.epsilon_inner * self.theorem.base_neighbours.comparison_sensitivity / 2

    def at_rows(self, rows: int, factor: float = 1.0) -> Design:
        """The same design for another number of rows, its ε' a little lower by a factor; its claim is unconfirmed.

        ε'·sqrt(l) is what privacy fixes, so ε' falls as 1/sqrt(rows).
        """
        shrunk = self.epsilon_inner * Fraction(factor * sqrt(self.rows / rows)).limit_denominator(10**12)
        return replace(self, rows=rows, epsilon_inner=shrunk)

    @property
    def threshold(self) -> int:
        """τ: the greatest number of passing tests with which ⊥ is at least as likely as to go on."""
        return max(t for t, p in enumerate(self.pass_probabilities) if p <= Fraction(1, 2))

    @property
    def epsilon_test(self) -> Fraction:
        """ε_T: the privacy loss of going on or not, taken alone, rounded up."""
        return epsilon_of_test(self)

    @property
    def delta_terms(self) -> Terms:
        """The certified parts of delta, by what they pay for."""
        return delta_terms(self, self.epsilon)

    def guarantee(self, neighbours: Neighbours, assumes: tuple[str, ...] = ()) -> Guarantee:
        """What a run promises."""
        return Guarantee(epsilon=self.epsilon, delta=self.delta, neighbours=neighbours, assumes=assumes, proof="prsma")

    def to_json(self) -> dict[str, Any]:
        """Every parameter; exact numbers as strings beside their decimal value where people read them."""
        return {
            "epsilon": show(self.epsilon),
            "delta": show(self.delta),
            "beta": float(self.beta),
            "rows": self.rows,
            "parts": self.parts,
            "runs_per_part": self.runs_per_part,
            "tests": self.parts,
            "runs": self.runs_per_part,
            "sampling": float(self.theorem.share(self.parts)),
            "calls": self.calls,
            "part_size": self.part_size,
            "epsilon_inner": float(self.epsilon_inner),
            "epsilon_inner_exact": str(self.epsilon_inner),
            "epsilon_test": float(self.epsilon_test),
            "threshold": self.threshold,
            "theorem": self.theorem.name,
            "theorem_parameters": self.theorem.parameters(),
            "signal": float(self.signal),
            "signal_over_sqrt_rows": self.relative_signal,
            "delta_terms": {name: float(value) for name, value in self.delta_terms.items()},
            "pass_probabilities": [str(p) for p in self.pass_probabilities],
        }
