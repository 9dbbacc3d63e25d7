"""Theorem 5 of README.md: every record chooses its part independently; moments instead of tails."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from experiments.parts.ladder import PartsTheorem, Step, steps
from oracledp.errors import ParameterError
from oracledp.exact.intervals import Interval
from oracledp.mechanisms.robust.design import Design, Terms
from oracledp.privacy.guarantee import Neighbours


@dataclass(frozen=True)
class IndependentLabels(PartsTheorem):
    """The base is ε'/2-DP under add/remove-one; the changed part is compared with the others by a moment.

    ``order`` is λ, the moment; ``sharpness`` and ``failure_sharpness`` are the p >= 1 of the power means that
    stand in for the greatest value over N, in the second and the third term of delta.
    """

    order: Fraction
    sharpness: Fraction
    failure_sharpness: Fraction

    name = "independent"
    base_neighbours = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        if self.order <= 0 or self.sharpness < 1 or self.failure_sharpness < 1:
            raise ParameterError("the order of the moment must be positive and each sharpness at least 1")

    def parameters(self) -> dict[str, str]:
        """λ and both p."""
        return {
            "order": str(self.order),
            "sharpness": str(self.sharpness),
            "failure_sharpness": str(self.failure_sharpness),
        }

    def own_terms(self, design: Design, epsilon: Fraction) -> Terms:
        """Parts that are not alike, and failures that went unseen."""
        enough = [step for step in steps(design, epsilon)[self.minimum_passing :] if step.weight > 0]
        return {
            "parts not alike": _unlike(design, self, enough),
            "unseen failures": _unseen(design, self, enough)
            + self.misplaced(design.runs_per_part) * max(step.weight for step in enough),
        }

    def misplaced(self, runs: int) -> Fraction:
        """E_{λ,R}: what the changed part may gain by failures that keep to some of its runs (Lemma 10)."""
        if self.order > runs:
            return Fraction(1)
        gains = (_at_places(k, runs, (k + 1) / (1 + self.order)) for k in range(1, ceil(self.order)))
        return max(gains, default=Fraction(0))


def _unlike(design: Design, theorem: IndependentLabels, enough: Iterable[Step]) -> Fraction:
    """C_λ E[max_N h_N (e^{W_N}/κ_N)^λ], with C_λ = λ^λ/(1+λ)^{1+λ}. Needs λ <= R."""
    order = theorem.order
    if order > design.runs_per_part:
        return Fraction(1)

    def log_weight(step: Step) -> Interval:
        return Interval.of(step.weight).log() - order * Interval.of(step.likeness).log()

    constant = order * Interval.of(order).log() - (1 + order) * Interval.of(1 + order).log()
    return (constant + _log_moment(design, order, theorem.sharpness, enough, log_weight)).exp().upper


def _unseen(design: Design, theorem: IndependentLabels, enough: Iterable[Step]) -> Fraction:
    """E[max_N (K-N) h_N e^{W_N} / N] / R."""

    def log_weight(step: Step) -> Interval:
        return Interval.of((design.parts - step.others) * step.weight / step.others).log()

    logarithm = _log_moment(design, Fraction(1), theorem.failure_sharpness, enough, log_weight)
    return logarithm.exp().upper / design.runs_per_part


def _at_places(k: int, runs: int, power: Fraction) -> Fraction:
    """(k/R) y^-k, where y is a lower bound on 1/a for all a at which k such runs gain anything."""
    first = Interval.of(power * runs / k).log()
    second = (Interval.of(Fraction(runs, k)).log() + (1 - (-power * first).exp()).log()) / (1 - power)
    return Interval.of(-k * max(first.lower, second.lower)).exp().upper * k / runs


def _log_moment(
    design: Design, order: Fraction, sharpness: Fraction, enough: Iterable[Step], log_weight: Callable[[Step], Interval]
) -> Interval:
    """ln of the bound on E[max_N w_N e^{λ W_N}] (Lemma 8), by a power mean over N of exponent p."""
    one_record = design.base_epsilon
    drift = order * _deviation(design)
    logs = []
    for step in enough:
        selection = Interval.of(Fraction(design.parts - 1, step.others) - 1).sqrt()
        moment = _record_moment(design.parts, order * one_record, sharpness * order * one_record / step.others)
        logs.append(sharpness * (log_weight(step) + drift * selection) + (design.rows - 1) * moment)
    alone = (design.rows - 1) * _lone_moment(design.parts, order * one_record)
    return order * one_record + (1 - 1 / sharpness) * alone + (1 / sharpness) * _log_sum(logs)


def _deviation(design: Design) -> Interval:
    """σ: the standard deviation of a part's log-probability is at most η sqrt((n-1)(K-1))/K."""
    return Interval.of((design.rows - 1) * (design.parts - 1)).sqrt() * design.base_epsilon / design.parts


def _record_moment(parts: int, own: Fraction, other: Fraction) -> Interval:
    """Ψ(a, b): the log-moment of one record's label, ±a on the changed part, ±b on each other (Lemma 7)."""
    up, down = Interval.of(other).exp(), Interval.of(-other).exp()
    stretch = (up - down) / (2 * other)

    def with_sign(shift: Fraction) -> Interval:
        mean = (Interval.of(shift).exp() + (parts - 1) * down) / parts
        return stretch.log() - 1 + mean / stretch + ((parts - 1) * other - shift) / parts

    return with_sign(own).maximum(with_sign(-own))


def _lone_moment(parts: int, own: Fraction) -> Interval:
    """Ψ(a, 0)."""
    return (1 + (Interval.of(own).exp() - 1) / parts).log() - own / parts


def _log_sum(logs: list[Interval]) -> Interval:
    """ln of a sum of exponentials."""
    if not logs:
        raise ParameterError("a design needs some number of passing parts with which it answers")
    top = max(log.upper for log in logs)
    total = Interval.of(0)
    for log in logs:
        total = total + (log - top).exp()
    return top + total.log()
