"""Broken synthesis runs that the exact law must refute."""

from __future__ import annotations

from fractions import Fraction

from broken.mutants import Mutant
from oracledp.audit.synthesis_law import ConcentratedFinding, MakeMeter, Run, honest, silent
from oracledp.classes.base import QueryClass
from oracledp.data.schema import Schema
from oracledp.mechanisms.exponential_mechanism import ExponentialMechanism
from oracledp.mechanisms.objective import Objective
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis.bins import Integers
from oracledp.synthesis.measurements import Meter, Records

EPSILON, DELTA = Fraction(20), Fraction(1, 1000)


class _HalfSensitivity(Meter):
    """Noise for half the squared sensitivity: add/remove-one's, claimed for replace-one."""

    def _noisy(self, counts: Integers, squared_sensitivity: int, rho: Fraction) -> tuple[Integers, Fraction]:
        return super()._noisy(counts, squared_sensitivity // 2, rho)


class _OneQueryCharged(Meter):
    """Two cells of a table noised as if a replaced record moved one of them, and signed counts as if by one."""

    def _noisy(self, counts: Integers, squared_sensitivity: int, rho: Fraction) -> tuple[Integers, Fraction]:
        return super()._noisy(counts, 1, rho)


class _PrivateTotal(Meter):
    """A proposal weighted by the exact number of records (P8)."""

    def selection(
        self, queries: QueryClass, schema: Schema, proposal: Integers, total: int, rho: Fraction
    ) -> tuple[ExponentialMechanism, Objective]:
        return super().selection(queries, schema, proposal, 3 * int(self._counted[1].sum()), rho)


class _WrongRate(Meter):
    """The exponential mechanism at add/remove-one's rate, claimed for replace-one."""

    def selection(
        self, queries: QueryClass, schema: Schema, proposal: Integers, total: int, rho: Fraction
    ) -> tuple[ExponentialMechanism, Objective]:
        mechanism, objective = super().selection(queries, schema, proposal, total, rho)
        return ExponentialMechanism(mechanism.queries, 2 * mechanism.epsilon, Neighbours.REPLACE_ONE), objective


def _made(kind: type[Meter]) -> MakeMeter:
    def make(records: Records, rho: Fraction, neighbours: Neighbours) -> Meter:
        return kind(records, rho, neighbours, SeededRandomness(0), silent)

    return make


def _run(name: str, neighbours: Neighbours, meter: MakeMeter = honest, *, free: bool = False) -> ConcentratedFinding:
    return Run(1, neighbours, EPSILON, DELTA, meter, free).finding(name)


REPLACE, ADD = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE
SYNTHESIS_MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "synthesis-half-sensitivity",
        "counts with noise for half their squared sensitivity",
        lambda: _run("half the sensitivity", REPLACE, _made(_HalfSensitivity)),
    ),
    Mutant(
        "synthesis-one-change",
        "a replaced record taken for one change",
        lambda: _run("one change", REPLACE, _made(_OneQueryCharged)),
    ),
    Mutant(
        "synthesis-free-selection",
        "selections that are not charged",
        lambda: _run("free selections", ADD, free=True),
    ),
    Mutant(
        "synthesis-private-total",
        "a proposal weighted by the private number of records (P8)",
        lambda: _run("private total", ADD, _made(_PrivateTotal)),
    ),
    Mutant(
        "synthesis-selection-rate",
        "a selection at add/remove-one's rate under replace-one",
        lambda: _run("wrong rate", REPLACE, _made(_WrongRate)),
    ),
)
