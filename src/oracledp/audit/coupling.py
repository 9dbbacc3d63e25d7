"""Neighbours run side by side under identical released values: what a release costs, and that nothing else differs.

The first run draws and takes notes. The second, on the neighbour, is answered at each draw with what the first one
released; the loss of each step is then exact, and everything public that the code does later must be the same:
arguments of draws, results, files, progress, errors. Losses add up as the guarantee's own accounting allows.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.draw_laws import joint_scores
from oracledp.errors import OracleDPError
from oracledp.privacy.accounting import zcdp_delta
from oracledp.privacy.guarantee import Guarantee
from oracledp.randomness.source import DrawSource, Question, SeededRandomness


@dataclass(frozen=True)
class Loss:
    """What one released value costs: ``pure`` bounds its log ratio (None: unbounded), ``rho`` is its zCDP."""

    pure: Fraction | None
    rho: Fraction


NOTHING = Loss(Fraction(0), Fraction(0))


class Different(Exception):
    """Something public differs between neighbours that released the same."""


def _gaussian(one: Any, other: Any) -> Loss:
    """Discrete Gaussian noise: |Δ|²/(2 variance)-zCDP for the shift at hand."""
    (counts, variance), (counts_too, variance_too) = one, other
    _same(variance == variance_too and counts.shape == counts_too.shape, "the noise on counts")
    shift = sum(int(step) ** 2 for step in (counts - counts_too).ravel())
    return Loss(None if shift else Fraction(0), Fraction(shift) / (2 * variance))


def _selection(scores: NDArray[np.int64], scores_too: NDArray[np.int64], rate: Any, rate_too: Any) -> Loss:
    """A selection by scores: the log ratio lies in a range of rate·(max - min) of the scores' differences."""
    _same(rate == rate_too and len(scores) == len(scores_too), "the rate or the candidates of a selection")
    moves = [int(a) - int(b) for a, b in zip(scores, scores_too, strict=True)]
    reach = Fraction(rate) * (max(moves) - min(moves))
    return Loss(reach, reach**2 / 8)


def _choice(one: Any, other: Any) -> Loss:
    return _selection(one[0], other[0], one[1], other[1])


def _flip(one: Any, other: Any) -> Loss:
    """Permute-and-flip has no bounded range: its zCDP is that of pure privacy."""
    found = _choice(one, other)
    return _pure_only(found)


def _tree(one: Any, other: Any) -> Loss:
    names, scores = joint_scores(one[0])
    names_too, scores_too = joint_scores(other[0])
    _same(names == names_too, "the candidates of a selection")
    return _selection(scores, scores_too, one[1], other[1])


def _tree_flip(one: Any, other: Any) -> Loss:
    return _pure_only(_tree(one, other))


def _pure_only(found: Loss) -> Loss:
    assert found.pure is not None
    return Loss(found.pure, found.pure**2 / 2)


def _blocks(one: Any, other: Any) -> Loss:
    """Block noise: N(shift)/scale."""
    (values, *public), (values_too, *public_too) = one, other
    _same(public == public_too, "the noise on a vector")
    scale, sizes = public
    steps = np.split(np.abs(values - values_too), np.cumsum(sizes)[:-1])
    reach = Fraction(max(sum(int(step) for step in block) for block in steps), scale)
    return Loss(reach, reach**2 / 2)


def _size(one: Any, other: Any) -> Loss:
    """A count with discrete Laplace noise: its shift over the scale."""
    (rows, scale), (rows_too, scale_too) = one, other
    _same(scale == scale_too, "the noise on the number of rows")
    reach = Fraction(abs(rows - rows_too), scale)
    return Loss(reach, reach**2 / 2)


def _public(one: Any, other: Any) -> Loss:
    _same(repr(one) == repr(other), "the arguments of a draw")
    return NOTHING


LOSSES: dict[str, Callable[[Any, Any], Loss]] = {
    "noisy_counts": _gaussian,
    "noisy_blocks": _blocks,
    "noisy_size": _size,
    "exponential_choice": _choice,
    "permute_and_flip_choice": _flip,
    "sample_exponential": _tree,
    "sample_permute_and_flip": _tree_flip,
    "public_generator": _public,
}


def _same(condition: bool, what: str) -> None:
    if not condition:
        raise Different(f"{what}")


@dataclass
class Recording(DrawSource):
    """Draws as shipped, from a seed, and keeps every question with its outcome."""

    seed: int
    notes: list[tuple[Question, Any]] = field(default_factory=list)

    def answer(self, question: Question) -> Any:
        """A draw as shipped."""
        outcome = question.carry_out(SeededRandomness(1000 * self.seed + len(self.notes)))
        self.notes.append((_kept(question), deepcopy(outcome)))
        return outcome


def _kept(question: Question) -> Question:
    """Arrays may change after the draw; problems do not."""
    copied = tuple(value.copy() if isinstance(value, np.ndarray) else value for value in question.arguments)
    return Question(question.primitive, copied, question.carry_out)


@dataclass
class Replaying(DrawSource):
    """Answers a neighbour's draws with what was released, and adds up what that costs."""

    notes: list[tuple[Question, Any]]
    losses: list[Loss] = field(default_factory=list)
    uncovered: set[str] = field(default_factory=set)

    def answer(self, question: Question) -> Any:
        """The outcome of the run before."""
        _same(len(self.losses) < len(self.notes), "the number of draws")
        asked, outcome = self.notes[len(self.losses)]
        _same(asked.primitive == question.primitive, "the order of draws")
        if question.primitive not in LOSSES:
            self.uncovered.add(question.primitive)
        loss = LOSSES.get(question.primitive, _public)
        self.losses.append(loss(asked.arguments, question.arguments))
        return deepcopy(outcome)


@dataclass(frozen=True)
class Coupled:
    """Two runs that released the same: the steps' losses, and what was drawn that is no release by itself."""

    seen: str
    guarantee: Guarantee | None
    losses: tuple[Loss, ...]
    uncovered: frozenset[str]

    @property
    def pure(self) -> Fraction | None:
        """The sum of the log ratios' bounds; None if one is unbounded."""
        found = [loss.pure for loss in self.losses]
        return None if None in found else sum((pure for pure in found if pure is not None), Fraction(0))

    @property
    def rho(self) -> Fraction:
        """The sum of the zCDP."""
        return sum((loss.rho for loss in self.losses), Fraction(0))

    def epsilon(self, claimed: Guarantee) -> Fraction:
        """What the steps compose to at the claimed delta, as pure privacy or as zCDP: the claim, or less, or more."""
        candidates = [] if self.pure is None else [self.pure]
        if claimed.delta > 0:
            candidates.append(_least_epsilon(self.rho, claimed))
        return min(candidates, default=10 * claimed.epsilon)


def _least_epsilon(rho: Fraction, claimed: Guarantee) -> Fraction:
    """The least multiple of a 64th of the claim at which rho-zCDP has the claimed delta; at most ten claims."""
    grid = (claimed.epsilon * step / 64 for step in range(65))
    wider = (claimed.epsilon * step / 4 for step in range(5, 41))
    return next((e for e in (*grid, *wider) if zcdp_delta(rho, e) <= claimed.delta), 10 * claimed.epsilon)


Run = Callable[[DrawSource], tuple[str, Guarantee]]


def coupled(first: Run, second: Run, seed: int) -> Coupled:
    """Run two neighbours under identical released values; raises :class:`Different` if anything else differs."""
    recording = Recording(seed)
    seen = _outcome(first, recording)
    replaying = Replaying(recording.notes)
    seen_too = _outcome(second, replaying)
    _same(len(replaying.losses) == len(recording.notes), "the number of draws")
    _same(seen == seen_too, "what is seen besides the released values")
    return Coupled(*seen, tuple(replaying.losses), frozenset(replaying.uncovered))


def _outcome(run: Run, source: DrawSource) -> tuple[str, Guarantee | None]:
    try:
        return run(source)
    except OracleDPError as error:
        return f"{type(error).__name__}: {error}", None
