"""What the library relies on in a selection: that its exact law, through the door, keeps the guarantee it prints."""

from __future__ import annotations

import json
from fractions import Fraction

from oracledp.audit.conformance.verdict import NotConforming, demand
from oracledp.audit.doors import COARSE, Door, Seen, audit_door
from oracledp.audit.exact_law import DataSet
from oracledp.audit.function_doors import table_of, two_rules
from oracledp.errors import OracleDPError
from oracledp.mechanisms.registry import Wanted, selector
from oracledp.mechanisms.table_selection import select
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.lattice import Lattice
from oracledp.randomness.source import DrawSource

EPSILONS = (Fraction(1, 2), Fraction(2))


def check_mechanism(
    name: str,
    *,
    delta: Fraction | None = None,
    epsilons: tuple[Fraction, ...] = EPSILONS,
    lattice: Lattice = COARSE,
) -> None:
    """The mechanism of this name on all tables of two rows over two booleans, under every relation that it serves.

    Its draws are walked through outcome by outcome, so they must come from the source by the library's own samplers. A
    small epsilon means wide noise, and a long walk.

    >>> check_mechanism("exponential")
    """
    served = 0
    for relation in Neighbours:
        for epsilon in epsilons:
            served += _check_one(name, relation, epsilon, delta, lattice)
    demand(served > 0, f"{name} serves neither relation")


def _check_one(name: str, relation: Neighbours, epsilon: Fraction, delta: Fraction | None, lattice: Lattice) -> int:
    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        wanted = Wanted(queries=two_rules(), epsilon=epsilon, neighbours=relation, delta=delta)
        release = select(table_of(data), selector(name, wanted), goal="min", ledger=None, source=source)
        return Seen(json.dumps(release.to_json(), sort_keys=True), release.guarantee)

    try:
        wanted = Wanted(queries=two_rules(), epsilon=epsilon, neighbours=relation, delta=delta)
        promised = selector(name, wanted).guarantee
    except OracleDPError:
        return 0
    demand(promised.neighbours is relation, f"{name} was asked for {relation.value} and promises another relation")
    demand(promised.epsilon <= epsilon, f"{name} was asked for epsilon {epsilon} and promises {promised.epsilon}")
    finding = audit_door(Door(name, enter, lattice=lattice), relation)
    if not finding.holds:
        raise NotConforming(
            f"{name} promises {float(promised.epsilon):g} under {relation.value}, "
            f"and its exact epsilon is {finding.epsilon_low:.4f}"
        )
    return 1
