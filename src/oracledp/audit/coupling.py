"""Neighbours run side by side under identical released values: what a release costs, and that nothing else differs.

The first run draws and takes notes. The second, on the neighbour, is answered at each draw with what the first one
released; the loss of each step is then exact, and everything public that the code does later must be the same:
arguments of draws, results, files, progress, errors. Losses add up as the guarantee's own accounting allows.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.draw_laws import joint_scores
from oracledp.errors import OracleDPError
from oracledp.exact.roots import sqrt_below
from oracledp.mechanisms.common_texts import tail_bound
from oracledp.privacy.accounting import exp_below, zcdp_delta
from oracledp.privacy.gaussian_accounting import DISCRETE, gaussian_delta
from oracledp.privacy.guarantee import Guarantee
from oracledp.randomness.source import DrawSource, Question, SeededRandomness


@dataclass(frozen=True)
class Loss:
    """What one released value costs: ``pure`` bounds its log ratio (None: unbounded), ``rho`` is its zCDP.

    Where the noise is Gaussian, ``squared`` is the squared shift over the variance, and ``apart`` bounds how far the
    noise lies, in total variation, from continuous noise that is rounded.
    """

    pure: Fraction | None
    rho: Fraction
    squared: Fraction = Fraction(0)
    apart: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)  # the probability, at most, of what only one of the neighbours can release


NOTHING = Loss(Fraction(0), Fraction(0))


class Different(Exception):
    """Something public differs between neighbours that released the same."""


def _gaussian(one: Any, other: Any) -> Loss:
    """Discrete Gaussian noise: |Δ|²/(2 variance)-zCDP for the shift at hand."""
    (counts, *public), (counts_too, *public_too) = one, other
    _same(public == public_too and counts.shape == counts_too.shape, "the noise on counts")
    variance, bits = public if len(public) == 2 else (*public, 0)
    shift = sum(int(step) ** 2 for step in (counts - counts_too).ravel())
    apart = DISCRETE * counts.size / (variance * 4**bits)
    return Loss(None if shift else Fraction(0), Fraction(shift) / (2 * variance), Fraction(shift) / variance, apart)


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


def _decision_tree(one: Any, other: Any) -> Loss:
    """The exponential mechanism over all trees of a small class, each with its errors counted by itself."""
    (trees, records, weights, *public), (trees_too, records_too, weights_too, *public_too) = one, other
    _same(trees == trees_too and public == public_too, "the trees, their rate or their prior")
    return _selection(
        _tree_errors(trees, records, weights), _tree_errors(trees, records_too, weights_too), public[0], public_too[0]
    )


def _tree_errors(trees: Any, records: Any, weights: Any) -> NDArray[np.int64]:
    matrix = np.asarray(records)
    right = [weights[np.arange(len(matrix)), trees.label(parts, matrix)].sum() for parts in trees.all_parts()]
    return np.array([int(weights.sum()) - int(held) for held in right], dtype=np.int64)


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


def _texts(one: Any, other: Any) -> Loss:
    """Noisy counts of texts that pass a threshold: a text that only one neighbour holds may pass by accident."""
    (counts, *public), (counts_too, *public_too) = one, other
    _same(public == public_too, "the noise on texts")
    variance, bits, threshold = public
    shift = sum((counts[text] - counts_too[text]) ** 2 for text in counts.keys() & counts_too.keys())
    alone = [{**counts, **counts_too}[text] for text in counts.keys() ^ counts_too.keys()]
    delta = sum((tail_bound(max(threshold - count, 0), variance) for count in alone), Fraction(0))
    pure = None if shift or delta else Fraction(0)
    apart = DISCRETE * shift / (variance * 4**bits)  # other counts have the same noise on both sides
    return Loss(pure, Fraction(shift) / (2 * variance), Fraction(shift) / variance, apart, delta)


def _public(one: Any, other: Any) -> Loss:
    _same(repr(one) == repr(other), "the arguments of a draw")
    return NOTHING


LOSSES: dict[str, Callable[[Any, Any], Loss]] = {
    "noisy_counts": _gaussian,
    "rounded_counts": _gaussian,
    "common_texts": _texts,
    "noisy_blocks": _blocks,
    "noisy_size": _size,
    "exponential_choice": _choice,
    "permute_and_flip_choice": _flip,
    "sample_exponential": _tree,
    "sample_tree": _decision_tree,
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
        left = replace(claimed, delta=claimed.delta - sum((loss.delta for loss in self.losses), Fraction(0)))
        if left.delta > 0:
            candidates.append(_least_epsilon(left, partial(zcdp_delta, self.rho)))
            candidates.append(self._as_gaussian(left))
        return min(candidates, default=10 * claimed.epsilon)

    def _as_gaussian(self, claimed: Guarantee) -> Fraction:
        """Gaussian steps as one step of all their squared shifts, with the price of the lattice; the rest adds up."""
        mu = _root_above(sum((loss.squared for loss in self.losses), Fraction(0)))
        others = sum((loss.pure for loss in self.losses if loss.pure is not None), Fraction(0))
        apart = (1 + 1 / exp_below(claimed.epsilon)) * sum((loss.apart for loss in self.losses), Fraction(0))
        claimed = replace(claimed, delta=claimed.delta - apart)
        left = claimed.epsilon - others
        if claimed.delta <= 0:
            return 10 * claimed.epsilon
        if left <= 0 or mu == 0:
            return others
        return others + _least_epsilon(replace(claimed, epsilon=left), partial(gaussian_delta, mu))


def _root_above(square: Fraction) -> Fraction:
    return sqrt_below(square) + Fraction(1, 1 << 64) if square else Fraction(0)


def _least_epsilon(claimed: Guarantee, delta: Callable[[Fraction], Fraction]) -> Fraction:
    """The least multiple of a 64th of the claim at which the claimed delta is enough; at most ten claims."""
    grid = (claimed.epsilon * step / 64 for step in range(65))
    wider = (claimed.epsilon * step / 4 for step in range(5, 41))
    return next((e for e in (*grid, *wider) if delta(e) <= claimed.delta), 10 * claimed.epsilon)


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
