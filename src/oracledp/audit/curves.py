"""Whole privacy curves: the exact delta at every epsilon, beside the curve that the claim allows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

from oracledp.audit.catalogue import catalogue
from oracledp.audit.exact_law import law_of, neighbour_pairs, objective_for, resolution_of
from oracledp.audit.law import delta_between
from oracledp.extras import optional
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.whole_files import whole_file

STEPS = 40


@dataclass(frozen=True)
class Curve:
    """The exact δ(ε) of a mechanism over all small neighbours, and what its claim allows, at the same points."""

    name: str
    epsilons: tuple[float, ...]
    exact: tuple[float, ...]
    allowed: tuple[float, ...]

    @property
    def holds(self) -> bool:
        """Whether the exact curve is nowhere above the allowed one."""
        return all(found <= most + 1e-9 for found, most in zip(self.exact, self.allowed, strict=True))


def curve(name: str, mechanism: Any, *, rows: int = 2) -> Curve:
    """The curve of one mechanism on all data sets of ``rows`` records and their neighbours."""
    queries, claimed = mechanism.queries, mechanism.guarantee
    pairs = list(neighbour_pairs(2**queries.dimension, rows, claimed.neighbours))
    laws = {
        data: law_of(mechanism, objective_for(queries, data, 1, resolution_of(mechanism)))
        for data in {data for pair in pairs for data in pair}
    }
    points = [claimed.epsilon * Fraction(step, STEPS) * Fraction(6, 5) for step in range(STEPS + 1)]
    exact = [
        max(delta_between(laws[x], laws[y], point)[1] for a, b in pairs for x, y in ((a, b), (b, a)))
        for point in points
    ]
    allowed = tuple(allowed_delta(claimed, float(point)) for point in points)
    return Curve(name, tuple(map(float, points)), tuple(exact), allowed)


def allowed_delta(claimed: Guarantee, epsilon: float) -> float:
    """The largest δ at ``epsilon`` of any mechanism with this claim: randomised response, or its own δ beyond."""
    top, delta = exp(float(claimed.epsilon)), float(claimed.delta)
    return delta + (1 - delta) * max(0.0, (top - exp(epsilon)) / (1 + top))


def catalogue_curves() -> list[Curve]:
    """One curve per mechanism, for its loss class at epsilon 1 under replace-one."""
    return [
        curve(entry.name, entry.build(entry.classes["loss"], Fraction(1), Neighbours.REPLACE_ONE))
        for entry in catalogue()
    ]


def draw(curves: list[Curve], path: str | Path) -> None:
    """One small picture per curve, claimed above exact."""
    figures = optional("matplotlib.figure", extra="plots")
    columns = 3
    lines = -(-len(curves) // columns)
    figure = figures.Figure(figsize=(4 * columns, 3 * lines), layout="constrained")
    for place, one in enumerate(curves):
        axes = figure.add_subplot(lines, columns, place + 1)
        axes.fill_between(one.epsilons, one.allowed, color="#dbe7f3", label="allowed by the claim")
        axes.plot(one.epsilons, one.exact, color="#b3471d", label="exact")
        axes.set_title(one.name, fontsize=10)
        axes.set_xlabel("ε")
        axes.set_ylabel("δ")
        axes.set_ylim(bottom=0)
        if place == 0:
            axes.legend(fontsize=8)
    with whole_file(path) as file:
        figure.savefig(file, dpi=110, format=Path(path).suffix[1:] or None)
