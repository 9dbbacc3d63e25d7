"""The search for the worst oracle against PRSMA over parts: by part, by output, by the neighbour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp
from typing import TypeVar

import numpy as np

from experiments.parts.law import Others, Placed, Population, fixed_split
from oracledp.audit.prsma_law import Behaviour, Content, Number, Outcome
from oracledp.mechanisms.robust.design import Design

EVENTS = tuple(event for event in product((0, 1), repeat=3) if 0 < sum(event) < 3)  # inside, outside, ⊥
Hiding = tuple[float, float, int]  # how a part hides outputs inside, and outside, and in how many runs (0: in all)
HONEST, SHUT, HIDES = (0.0, 0.0, 0), (1.0, 1.0, 0), (1.0, 0.0, 0)
HIDES_ONCE = (1.0, 0.0, 1)  # on the first call, or the last, or any: which one does not matter to a lot


@dataclass(frozen=True)
class Setting:
    """The numbers of a mechanism that an adversary plays against; a mutant has other ones than its design."""

    table: tuple[float, ...]
    runs: int
    growth: float
    by_lot: bool = True  # whether the released run of a part is chosen by lot

    @classmethod
    def of(cls, design: Design) -> Setting:
        """The mechanism as designed."""
        return cls(tuple(float(p) for p in design.pass_probabilities), design.runs_per_part, exp(design.epsilon))

    @property
    def hidings(self) -> tuple[Hiding, ...]:
        """What an adversary may do to one part: nothing, everything, fail just as often as goes unseen, or by place."""
        rates = (0.0, 0.25 / self.runs, 1.0 / self.runs, 3.0 / self.runs, 1.0)
        by_place = product((0.0, 0.5, 1.0), (0.0, 0.5, 1.0), (1, 2))
        return (*product(rates, rates, (0,)), *by_place)

    def behaviour(self, perfect: Number, hiding: Hiding) -> Behaviour:
        """A part whose perfect run is inside with this probability, under an oracle that hides like this."""
        inside, outside, places = hiding
        hides = Behaviour.of(perfect, hide_inside=inside, hide_outside=outside)
        if places == 0:
            return hides
        return Placed.mixed(hides, Behaviour.of(perfect), places=places, runs=self.runs, by_lot=self.by_lot)


def worst_own(setting: Setting, cases: Sequence[tuple[Others, Number, Number]]) -> float:
    """The greatest excess over all behaviours of the changed part in both worlds, and all events; it may be negative.

    A case is one content of the changed part: the law of the others with it, and the perfect run's probability of
    being inside in either world. Given the others, the excess is a sum over cases of functions of the changed
    part's behaviour there, so each case is optimised by itself.
    """
    totals = dict.fromkeys(EVENTS, 0.0)
    for others, here, there in cases:
        prospect = others.facing(setting.table)
        here_laws = [prospect.law(behaviour, setting.runs) for behaviour in _behaviours(setting, here)]
        there_laws = [prospect.law(behaviour, setting.runs) for behaviour in _behaviours(setting, there)]
        for event in EVENTS:
            least = min(_of(event, law) for law in there_laws)
            totals[event] += max(_of(event, law) for law in here_laws) - setting.growth * least
    return max(totals.values())


def _behaviours(setting: Setting, perfect: Number) -> Iterator[Behaviour]:
    return (setting.behaviour(perfect, hiding) for hiding in setting.hidings)


def _of(event: tuple[int, ...], law: Outcome) -> float:
    return float(event[0] * law.inside + event[1] * law.outside + event[2] * law.bottom)


Choice = TypeVar("Choice")


def climb(
    start: list[Choice], choices: Sequence[Choice], value: Callable[[list[Choice]], float], moves: int, seed: int
) -> float:
    """Local search: change one entry at random and keep what is not worse. Returns the best value seen."""
    chance = np.random.default_rng(seed)
    current, best = list(start), value(list(start))
    for _ in range(moves):
        trial = list(current)
        trial[int(chance.integers(len(trial)))] = choices[int(chance.integers(len(choices)))]
        found = value(trial)
        if found >= best:
            current, best = trial, found
    return best


def alike_parts_search(setting: Setting, *, perfect: Sequence[float], moves: int = 100) -> float:
    """The worst excess when all parts have one perfect law and the split is fixed: tests, failures, no deviation.

    It starts from the oracles that fail for good on some parts and, on the others, hide all outputs inside, in all
    runs or in one place only, or nothing at all.
    """
    count = len(setting.table) - 2

    def value(parts: list[tuple[float, Hiding]]) -> float:
        behaviours = [setting.behaviour(a, hiding) for a, hiding in parts]
        probability = parts[0][0]
        return worst_own(setting, [(fixed_split(behaviours, setting.runs), probability, probability)])

    best = 0.0
    for probability in perfect:
        shut, *alive = ((probability, hiding) for hiding in (SHUT, HIDES, HIDES_ONCE, HONEST))
        starts = [[shut] * dead + [part] * (count - dead) for dead in range(count) for part in alive]
        start = max(starts, key=value)
        choices = [(probability, hiding) for hiding in setting.hidings]
        best = max(best, climb(start, choices, value, moves, seed=0))
    return best


def random_split_search(
    setting: Setting,
    population: Population,
    base: Callable[[Content], float],
    own_records: tuple[Content, Content],
    *,
    restarts: int = 2,
    moves: int = 60,
) -> float:
    """The worst excess over random splits: the oracle sees what a part holds and fails accordingly.

    ``own_records`` is what the changed record adds to its part in either world: (1, 0) a one, (0, 1) a zero, (0, 0)
    nothing.
    """
    contents = population.contents(population.part_size)

    def value(hidings: list[Hiding]) -> float:
        rule = dict(zip(contents, hidings, strict=True))

        def behaviour(content: Content) -> Behaviour:
            return setting.behaviour(base(content), rule[content])

        split = population.random_split(behaviour, setting.runs)
        here, there = own_records
        cases = [(others, base(_plus(content, here)), base(_plus(content, there))) for content, others in split.items()]
        return worst_own(setting, cases)

    starts: list[list[Hiding]] = [[HONEST] * len(contents), [HIDES_ONCE] * len(contents)]
    for cut in sorted({base(content) for content in contents}):
        starts.append([SHUT if base(content) > cut else HONEST for content in contents])
        starts.append([HIDES if base(content) <= cut else HONEST for content in contents])
    ranked = sorted(starts, key=value, reverse=True)[:restarts]
    return max(climb(start, setting.hidings, value, moves, seed) for seed, start in enumerate(ranked))


def _plus(one: Content, other: Content) -> Content:
    return one[0] + other[0], one[1] + other[1]
