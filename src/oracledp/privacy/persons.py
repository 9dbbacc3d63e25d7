"""From rows to persons: what a release on bounded rows promises each person, and the share of a budget for it.

Adding or removing a person changes a bounded table by at most k rows (proofs/persons.md). So (ε, δ) per row is
(kε, δ·(1 + e^ε + … + e^((k-1)ε))) per person, and ρ-zCDP per row is k²ρ-zCDP per person.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil

from oracledp.data.table.unit import Unit
from oracledp.errors import ParameterError
from oracledp.exact.numbers import Exact, positive, probability
from oracledp.privacy.accounting import exp_below
from oracledp.privacy.guarantee import Guarantee, Neighbours

_GRID = 1 << 20  # the growth of δ is rounded up to multiples of this fraction


def per_unit(guarantee: Guarantee, unit: Unit) -> Guarantee:
    """What a promise per row means for each unit of a table.

    >>> row = Guarantee(epsilon=Fraction(1, 2), neighbours=Neighbours.DEFAULT, proof="noise", rho=Fraction(1, 8))
    >>> person = per_unit(row, Unit("patient_id", 2))
    >>> person.epsilon, person.rho, person.unit
    (Fraction(1, 1), Fraction(1, 2), Unit(person='patient_id', rows=2))
    """
    refuse_counted_persons(guarantee.neighbours, unit)
    delta = guarantee.delta * delta_growth(guarantee.epsilon, unit.rows)
    if delta >= 1:
        raise ParameterError("delta is too large for so many rows per person: the guarantee would be empty")
    rho = None if guarantee.rho is None else guarantee.rho * unit.rows**2
    return replace(guarantee, epsilon=guarantee.epsilon * unit.rows, delta=delta, rho=rho, unit=unit)


def row_epsilon(epsilon: Exact, unit: Unit) -> Fraction:
    """The ε per row that gives each unit ε.

    >>> row_epsilon("0.6", Unit("patient_id", 3))
    Fraction(1, 5)
    """
    return positive(epsilon, "epsilon") / unit.rows


def row_delta(delta: Exact, epsilon: Fraction, unit: Unit) -> Fraction:
    """The δ per row that gives each unit δ, where a row has this ε."""
    return probability(delta, "delta") / delta_growth(epsilon, unit.rows)


def delta_growth(epsilon: Fraction, rows: int) -> Fraction:
    """An upper bound on 1 + e^ε + … + e^((rows-1)ε); the same number in both directions, so that shares add up.

    >>> delta_growth(Fraction(1), 1), float(delta_growth(Fraction(1), 2)) > 3.718281828
    (Fraction(1, 1), True)
    """
    total = Fraction(1)
    for row in range(1, rows):
        below = exp_below(row * epsilon)
        if below == 0:
            raise ParameterError("epsilon is too large for so many rows per person: delta has no share left")
        total += 1 / below
    return total if rows == 1 else Fraction(ceil(total * _GRID), _GRID)


def refuse_counted_persons(neighbours: Neighbours, unit: Unit) -> None:
    """Under replace-one the number of rows is public; with several rows per person it would tell about one of them."""
    if unit.rows > 1 and neighbours is Neighbours.REPLACE_ONE:
        raise ParameterError("replace-one makes the number of rows public: it takes one row per person, not more")
