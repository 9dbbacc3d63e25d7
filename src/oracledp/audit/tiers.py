"""The tiers of the audit and the mutants that each must catch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oracledp.audit import (
    canaries,
    end_to_end,
    front_door,
    game_law,
    hostile_law,
    observables,
    sampler_conformance,
    synthesis_law,
)
from oracledp.audit.canaries import CANARY_MUTANTS
from oracledp.audit.catalogue import catalogue
from oracledp.audit.end_to_end import END_TO_END_MUTANTS
from oracledp.audit.game_law import GAME_MUTANTS
from oracledp.audit.hostile_law import HOSTILE_MUTANTS
from oracledp.audit.law_mutants import LAW_MUTANTS
from oracledp.audit.mutants import EXACT_MUTANTS, Mutant
from oracledp.audit.observable_mutants import OBSERVABLE_MUTANTS
from oracledp.audit.prsma_mutants import PRSMA_MUTANTS
from oracledp.audit.sampler_conformance import SAMPLER_MUTANTS
from oracledp.audit.synthesis_mutants import SYNTHESIS_MUTANTS
from oracledp.audit.verdict import Verdict


@dataclass(frozen=True)
class Tier:
    """One way of looking: what it does, and its findings on everything that is right."""

    name: str
    looks_at: str
    findings: Callable[[], Sequence[Verdict]]


def _from_outside() -> Sequence[Verdict]:
    return [*end_to_end.findings(), *canaries.findings()]


def _exact() -> Sequence[Verdict]:
    small = [finding for entry in catalogue() for finding in entry.findings()]
    return [*small, *synthesis_law.findings(), *game_law.findings()]


TIERS: dict[str, Tier] = {
    tier.name: tier
    for tier in (
        Tier("exact", "the exact law of every mechanism on every small data set and neighbour", _exact),
        Tier("front-door", "what ships: the public entry points, run on all small neighbours", front_door.findings),
        Tier("hostile", "exact laws under the worst oracles", hostile_law.findings),
        Tier("samplers", "every sampler against its exact law", sampler_conformance.findings),
        Tier("black-box", "the public functions, from outside", _from_outside),
        Tier("observables", "what shows besides a release", observables.findings),
    )
}

MUTANTS: tuple[Mutant, ...] = (
    *EXACT_MUTANTS,
    *LAW_MUTANTS,
    *SYNTHESIS_MUTANTS,
    *GAME_MUTANTS,
    *PRSMA_MUTANTS,
    *HOSTILE_MUTANTS,
    *SAMPLER_MUTANTS,
    *END_TO_END_MUTANTS,
    *CANARY_MUTANTS,
    *OBSERVABLE_MUTANTS,
)
