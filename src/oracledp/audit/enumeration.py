"""A source that enumerates: shipped code is run once per outcome of its draws, which gives the exact law of its output.

The walk is depth first. A run answers its first draws as the run before did, down to the last draw that has another
outcome left, and goes on from there with the likeliest outcomes. Branches lighter than a threshold are not entered;
their weight, and all rounding, is what the leaves' lower bounds leave of one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from oracledp.audit import draw_laws
from oracledp.audit.draw_laws import BITS, UNIT, Outcomes
from oracledp.audit.law import Law
from oracledp.audit.tree_law import tree_choice
from oracledp.errors import ParameterError
from oracledp.randomness.source import DrawSource, Question

SINGLE: dict[str, Callable[..., Outcomes]] = {
    "below": draw_laws.below,
    "bernoulli": draw_laws.bernoulli,
    "bernoulli_exp": draw_laws.bernoulli_exp,
    "block_noise": draw_laws.block_noise,
    "exponential_choice": draw_laws.exponential_choice,
    "noisy_size": draw_laws.noisy_size,
    "permute_and_flip_choice": draw_laws.permute_and_flip_choice,
    "weighted_choice": draw_laws.weighted_choice,
}
VECTORS: dict[str, Callable[..., Outcomes]] = {
    "uniform": draw_laws.below,
    "geometric": draw_laws.geometric,
    "discrete_laplace": draw_laws.discrete_laplace,
    "discrete_gaussian": draw_laws.discrete_gaussian,
    "coins": draw_laws.word_coin,
}


@dataclass
class _Fork:
    """A draw on the way: what was asked, its outcomes, the one taken, and the bounds on the way up to here."""

    asked: str
    outcomes: Outcomes
    low: int
    high: int
    value: Any = None
    path_low: int = 0
    path_high: int = 0

    def advance(self, least: int) -> bool:
        """Take the next outcome that is heavy enough; they come by falling weight."""
        for value, low, high in self.outcomes:
            self.path_low, self.path_high = self.low * low >> BITS, (self.high * high >> BITS) + 1
            if self.path_high < least:
                return False
            self.value = value
            return True
        return False


@dataclass
class Enumeration(DrawSource):
    """The source of one run, and the way it took; see :func:`law_of_runs`."""

    least: int
    stop_at_release: bool = False
    span: tuple[int, int] | None = None
    forks: list[_Fork] = field(default_factory=list)
    place: int = 0

    def answer(self, question: Question) -> Any:
        """The outcome of a draw on this run."""
        name, arguments = question.primitive, question.arguments
        if name in SINGLE:
            return self.take(name, lambda: SINGLE[name](*arguments))
        if name in VECTORS:
            *parameters, count = arguments
            law = VECTORS[name]
            if name == "discrete_laplace" and self.span is not None:
                law = partial(draw_laws.laplace_between, *self.span)
            values = [self.take(name, lambda: law(*parameters)) for _ in range(count)]
            return np.array(values, dtype=bool if name == "coins" else np.int64)
        return getattr(self, f"_{name}")(*arguments)

    def take(self, asked: str, outcomes: Callable[[], Outcomes]) -> Any:
        """One fork: the outcome of the run before, or the likeliest one."""
        if self.place == len(self.forks):
            low, high = (self.forks[-1].path_low, self.forks[-1].path_high) if self.forks else (UNIT, UNIT)
            fork = _Fork(asked, outcomes(), low, high)
            if not fork.advance(self.least):
                raise TooLight
            self.forks.append(fork)
        fork = self.forks[self.place]
        if fork.asked != asked:
            raise ParameterError("the same draws led to another question: the code is no function of its draws")
        self.place += 1
        return fork.value

    def backtrack(self) -> bool:
        """Move the last draw that has another outcome to it; False when all ways were taken."""
        self.place = 0
        while self.forks:
            if self.forks[-1].advance(self.least):
                return True
            self.forks.pop()
        return False

    def _public_generator(self) -> np.random.Generator:
        return np.random.default_rng(0)  # its seed is public: the claim must hold for each, so for this one

    def _label_counts(self, rows: int, parts: int) -> list[int]:
        found, left = [], rows
        for others in reversed(range(parts)):
            found.append(self.take("binomial", partial(draw_laws.binomial, left, Fraction(1, others + 1))))
            left -= found[-1]
        return found

    def _hypergeometric_parts(self, counts: Any, sizes: Any) -> list[Any]:
        left, parts = [int(held) for held in counts], []
        for size in sizes:
            rows, wanted, taken = sum(left), int(size), []
            for held in left:
                law = partial(draw_laws.hypergeometric, rows, held, wanted)
                hits = self.take("hypergeometric", law)
                rows, wanted = rows - held, wanted - hits
                taken.append(hits)
            left = [held - hits for held, hits in zip(left, taken, strict=True)]
            found = np.flatnonzero(taken)
            parts.append((found.astype(np.int64), np.array(taken, dtype=np.int64)[found]))
        return parts

    def _noisy_counts(self, counts: Any, variance: Any) -> Any:
        noise = [self.take("gaussian", lambda: draw_laws.discrete_gaussian(variance)) for _ in range(counts.size)]
        return counts + np.array(noise, dtype=np.int64)

    def _noisy_blocks(self, values: Any, scale: int, sizes: tuple[int, ...]) -> Any:
        if self.stop_at_release:
            raise Released(tuple(int(value) for value in values), scale, sizes)
        return values + self.take("block_noise", lambda: draw_laws.block_noise(scale, sizes))

    def _sample_exponential(self, problems: Any, rate: Fraction) -> Any:
        names, scores = draw_laws.joint_scores(problems)
        return names[self.take("exponential", lambda: draw_laws.exponential_choice(scores, rate))]

    def _sample_tree(self, *arguments: Any) -> Any:
        return self.take("tree", lambda: tree_choice(*arguments))

    def _sample_permute_and_flip(self, problems: Any, rate: Fraction, least: int) -> Any:
        names, scores = draw_laws.joint_scores(problems)
        if least != scores.min():
            raise ParameterError("the least value that permute-and-flip was given is not the least")
        return names[self.take("permute-and-flip", lambda: draw_laws.permute_and_flip_choice(scores, rate))]


class Released(BaseException):
    """A run that has come to the noise of its release, which is then convolved instead of walked through."""

    def __init__(self, *release: Hashable) -> None:
        self.release = release


class TooLight(BaseException):
    """A run that became too light to go on; no handler of errors may take it for a failure."""


Bounds = dict[Hashable, tuple[int, int]]


@dataclass(frozen=True)
class RunLaw:
    """The law of a run's output: bounds in units of 2^-BITS, and how much weight was not walked through."""

    masses: Bounds
    runs: int

    @property
    def lost(self) -> int:
        """An upper bound on the probability of all that was cut off."""
        return UNIT - sum(low for low, _ in self.masses.values())

    @property
    def lost_share(self) -> float:
        """The same as a number."""
        return self.lost / UNIT

    def law(self, outputs: tuple[Hashable, ...], *, spread: bool = True) -> Law:
        """The same in the order of some outputs; whatever was lost may belong to any of them, unless left aside."""
        lost = self.lost if spread else 0
        pairs = [self.masses.get(output, (0, 0)) for output in outputs]
        return Law.from_fractions(
            outputs, [(Fraction(low, UNIT), Fraction(min(high + lost, UNIT), UNIT)) for low, high in pairs]
        )


def law_of_runs(
    run: Callable[[DrawSource], Hashable],
    *,
    least: float = 1e-9,
    stop_at_release: bool = False,
    span: tuple[int, int] | None = None,
) -> RunLaw:
    """The exact law of a function of a source, by running it once per outcome of its draws.

    With ``stop_at_release`` a run ends where block noise is added, and its output is what it would be added to. With
    ``span`` discrete Laplace noise beyond its ends is one outcome on each side, for code that cannot tell more apart.

    >>> from oracledp.randomness.noise import bernoulli
    >>> law = law_of_runs(lambda source: bernoulli(Fraction(1, 3), source) or bernoulli(Fraction(1, 2), source))
    >>> {output: round(low / UNIT, 3) for output, (low, _) in law.masses.items()}, law.runs
    ({True: 0.667, False: 0.333}, 3)
    """
    masses: dict[Hashable, list[int]] = {}
    runs = 0
    for output, low, high in _leaves(run, Enumeration(int(least * UNIT), stop_at_release, span)):
        runs += 1
        known = masses.setdefault(output, [0, 0])
        known[0] += low
        known[1] += high
    return RunLaw({output: (low, high) for output, (low, high) in masses.items()}, runs)


def _leaves(run: Callable[[DrawSource], Hashable], source: Enumeration) -> Iterator[tuple[Hashable, int, int]]:
    while True:
        try:
            output = _output(run, source)
        except TooLight:
            pass
        else:
            low, high = (source.forks[-1].path_low, source.forks[-1].path_high) if source.forks else (UNIT, UNIT)
            yield output, low, high
        if not source.backtrack():
            return


def _output(run: Callable[[DrawSource], Hashable], source: Enumeration) -> Hashable:
    try:
        return run(source)
    except Released as ended:
        return ended.release
