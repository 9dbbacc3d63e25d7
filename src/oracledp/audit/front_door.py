"""The front-door tier: public entry points executed as shipped, against the guarantees that they print.

Three ways of looking, all of them at the same code that users run: laws walked through outcome by outcome
(:mod:`~oracledp.audit.enumeration`), neighbours coupled under identical released values
(:mod:`~oracledp.audit.coupling`), and the loss of scoring cards by moving their noise
(:mod:`~oracledp.audit.surrogate_loss`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from oracledp.audit.command_doors import command_doors
from oracledp.audit.coupled_doors import coupled_doors, coupled_finding
from oracledp.audit.doors import Door, audit_door
from oracledp.audit.exact_law import Finding
from oracledp.audit.function_doors import function_doors
from oracledp.audit.gradient_doors import gradient_doors, gradient_law_doors
from oracledp.audit.learner_doors import card_doors, learner_doors
from oracledp.audit.linked_doors import linked_doors
from oracledp.audit.person_doors import person_doors
from oracledp.audit.regression_doors import regression_doors, regression_law_doors
from oracledp.audit.robust_doors import two_sample_ways
from oracledp.audit.surrogate_loss import card_finding
from oracledp.audit.vote_doors import vote_doors
from oracledp.privacy.guarantee import Neighbours


@dataclass(frozen=True)
class Look:
    """One door under one relation, and the way of looking."""

    door: Door
    relation: Neighbours
    judge: Callable[[Door, Neighbours], Finding]

    @property
    def name(self) -> str:
        """The door's name and the relation."""
        return f"{self.door.name} / {self.relation.value}"

    def finding(self) -> Finding:
        """What was found."""
        return self.judge(self.door, self.relation)


def looks() -> Iterator[Look]:
    """Everything the tier looks at."""
    ways: tuple[tuple[Callable[[Door, Neighbours], Finding], list[Door]], ...] = (
        (
            audit_door,
            [
                *function_doors(),
                *vote_doors(),
                *person_doors(),
                *learner_doors(),
                *gradient_law_doors(),
                *regression_law_doors(),
                *command_doors(),
            ],
        ),
        (card_finding, card_doors()),
        (coupled_finding, [*coupled_doors(), *linked_doors(), *gradient_doors(), *regression_doors()]),
        *((judge, [door]) for judge, door in two_sample_ways()),
    )
    for judge, doors in ways:
        for door in doors:
            yield from (Look(door, relation, judge) for relation in door.relations)


def findings() -> list[Finding]:
    """Every door, every relation."""
    return [look.finding() for look in looks()]
