"""The tiers of the audit: each is one way of looking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oracledp.audit import canaries, end_to_end, front_door, observables, sampler_conformance, worst_ties, worst_voters
from oracledp.audit.catalogue import catalogue
from oracledp.audit.verdict import Verdict


@dataclass(frozen=True)
class Tier:
    """One way of looking: what it does, and its findings on everything that is right."""

    name: str
    looks_at: str
    findings: Callable[[], Sequence[Verdict]]


def _from_outside() -> Sequence[Verdict]:
    return [*end_to_end.findings(), *canaries.findings()]


def _hostile() -> Sequence[Verdict]:
    return [*worst_ties.findings(), *worst_voters.findings()]


def _exact() -> Sequence[Verdict]:
    return [finding for entry in catalogue() for finding in entry.findings()]


TIERS: dict[str, Tier] = {
    tier.name: tier
    for tier in (
        Tier("exact", "the exact law of every mechanism on every small data set and neighbour", _exact),
        Tier("front-door", "what ships: the public entry points, run on all small neighbours", front_door.findings),
        Tier("hostile", "exact laws under the worst oracles and voters", _hostile),
        Tier("samplers", "every sampler against its exact law", sampler_conformance.findings),
        Tier("black-box", "the public functions, from outside", _from_outside),
        Tier("observables", "what shows besides a release", observables.findings),
    )
}
