"""The search for the worst oracle against PRSMA: failures by output, by the changed record, by the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import exp

from oracledp.audit.prsma_law import Behaviour, Outcome, Sampled
from oracledp.mechanisms.robust.design import Design

EVENTS = tuple(event for event in product((0, 1), repeat=3) if 0 < sum(event) < 3)  # inside, outside, ⊥
Likely = tuple[float, float]  # the perfect run's probability of being inside, without the changed record and with it


@dataclass(frozen=True)
class Setting:
    """The numbers of a mechanism that an adversary plays against; a mutant has other ones than its design."""

    table: tuple[float, ...]
    runs: int
    growth: float
    sampling: float

    @classmethod
    def of(cls, design: Design) -> Setting:
        """The mechanism as designed."""
        table = tuple(float(p) for p in design.pass_probabilities)
        return cls(table, design.runs_per_part, exp(design.epsilon), float(design.theorem.share(design.parts)))

    def behaviours(self, perfect: float) -> list[Behaviour]:
        """What an adversary may do on a sample: hide either outcome never, always, or as often as goes unseen."""
        tests = len(self.table) - 1
        rates = (0.0, 0.1 / (tests * self.runs), 1 / (tests * self.runs), 0.3 / self.runs, min(1.0, 3 / self.runs), 1.0)
        return [Behaviour.of(perfect, hide_inside=x, hide_outside=y) for x, y in product(rates, rates)]

    def law(self, without: Behaviour, held: Behaviour) -> Outcome:
        """The law of the output by what is done on samples without the changed record, and with it."""
        samples = [(1 - self.sampling, without), (self.sampling, held)]
        return Sampled.of(samples, self.runs).law(self.table)


def worst_excess(setting: Setting, perfect: Sequence[Likely]) -> float:
    """The greatest excess over all such oracles, all events, and worlds in which the changed record is another one.

    All samples without it are alike, so what is left is the test and failures, no deviation. Given what is done
    there, each world chooses for itself what is done with it.
    """
    best = 0.0
    for absent, present in perfect:
        for without in setting.behaviours(absent):
            laws = [setting.law(without, held) for held in setting.behaviours(present)]
            laws += [setting.law(without, held) for held in setting.behaviours(absent)]
            for event in EVENTS:
                chances = [_of(event, law) for law in laws]
                best = max(best, max(chances) - setting.growth * min(chances))
    return best


def _of(event: tuple[int, ...], law: Outcome) -> float:
    return float(event[0] * law.inside + event[1] * law.outside + event[2] * law.bottom)
