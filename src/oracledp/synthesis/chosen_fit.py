"""How the model is fitted, chosen by released evidence: every choice is tried on thinned counts and judged by the rest.

What is chosen: whether components are pulled towards the released factors or towards independence, how strongly, and
how much roughness costs. Where the counts show no dependence the model is that of independent columns. All of it is
post-processing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from oracledp.synthesis.bins import Floats
from oracledp.synthesis.fitting import Fit, Pull, Towards
from oracledp.synthesis.measuring import Measured
from oracledp.synthesis.mixture import Mixture
from oracledp.synthesis.thinning import thinned

Progress = Callable[[int, int], None]

_KEPT = Fraction(3, 10)  # of the counts' information, for judging
_PULLS = (0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 6.0)  # times the rule's
_ASKED = _PULLS[::2]  # where it is only asked towards what
_ROUGHNESS = (0.2, 1.0, 5.0)  # times the rule's
SIZES = ((60, 150), (200, 400))  # components and steps: of the first trials, and of the model's own fits
_MOST_FITS, _FEWEST_FITS = 4, 2
_RECORDS = 10  # for each component of all fits, at least
_WIDE = 600  # bins of all columns, beyond which trials stay small and fits are few
_ERRORS = 1.5  # standard errors by which dependence must show
_COUNTS, _MOST_THINNED = 8000, 2  # the fewer counts, the more often they are thinned
_EXTRA_STEPS, _EXTRA_RATE = 100, 0.03  # when a measurement is added


def silent(done: int, total: int) -> None:
    """No progress report."""


def fit_mixture(
    measured: Measured, smooth: Sequence[int], generator: np.random.Generator, progress: Progress = silent
) -> Mixture:
    """The average of independently started fits: averaging removes part of what each one fitted of the noise."""
    pull, whole = _chosen(measured, smooth, generator), Fit.of(measured, smooth).centred()
    if pull is None:
        return whole.mixture(whole.alone)
    fits, mixtures = _fits(measured), list[Mixture]()
    for number in range(fits):
        fit = replace(whole, pull=pull).begun(SIZES[1][0], generator)
        mixtures.append(fit.mixture(fit.sharp_run(fit.first(generator), SIZES[1][1])))
        progress(number + 1, fits)
    weights = np.concatenate([mixture.weights for mixture in mixtures]) / fits
    return Mixture(whole.layout, weights, np.concatenate([mixture.parts for mixture in mixtures]))


def _fits(measured: Measured) -> int:
    """How many are averaged: rows are drawn component by component, so that these must not be too many for them."""
    if _wide(measured):
        return _FEWEST_FITS
    return int(min(max(measured.total / (_RECORDS * SIZES[1][0]), _FEWEST_FITS), _MOST_FITS))


def _wide(measured: Measured) -> bool:
    """Whether there are many bins: a step's work grows with their square."""
    return sum(binning.size for binning in measured.bins) > _WIDE


def _chosen(measured: Measured, smooth: Sequence[int], generator: np.random.Generator) -> Pull | None:
    """How to hold a fit back, or None: columns are independent."""
    if len(measured.bins) == 1:
        return None
    return Trial.of(measured, smooth, generator).pull()


class RunningFit:
    """One small fit that goes on as measurements come in: the data player between rounds of selection."""

    def __init__(self, measured: Measured, smooth: Sequence[int], generator: np.random.Generator) -> None:
        pull = _chosen(measured, smooth, generator) or Pull(Towards.INDEPENDENCE)
        pull = replace(pull, divergence=min(pull.divergence, Pull.divergence))  # rounds may find what marginals hide
        self._fit = replace(Fit.of(measured, smooth).centred(), pull=pull).begun(SIZES[1][0], generator)
        self._point = self._fit.run(self._fit.first(generator), SIZES[1][1])
        self.mixture = self._fit.mixture(self._point)

    def extend(self, measured: Measured) -> None:
        """Go on from where the fit stands, with more measurements."""
        self._fit = self._fit.extended(measured)
        self._point = self._fit.run(self._point, _EXTRA_STEPS, _EXTRA_RATE)
        self.mixture = self._fit.mixture(self._point)


@dataclass(frozen=True)
class Trial:
    """Small fits to thinned counts, judged by the counts kept back."""

    halves: list[tuple[Fit, Fit]]  # what is fitted, and what judges it
    roughness: tuple[float, ...]  # that may cost something, from little to much
    asked: tuple[float, ...]  # pulls tried to see towards what
    last: tuple[int, int]  # components and steps of the trials that settle it
    seed: int

    @classmethod
    def of(cls, measured: Measured, smooth: Sequence[int], generator: np.random.Generator) -> Trial:
        """Thin the counts, few of them several times; all choices see the same halves and begin at the same places."""
        halves = []
        for _ in range(min(max(_COUNTS // measured.released, 1), _MOST_THINNED)):
            seen, kept = thinned(measured, _KEPT, generator)
            halves.append((Fit.of(seen, smooth).centred(), Fit.of(kept, smooth)))
        ordered = bool(halves[0][0].steps.any())
        roughness = tuple(times * measured.settings.smoothness for times in _ROUGHNESS) if ordered else ()
        asked, last = ((Pull.divergence,), SIZES[0]) if _wide(measured) else (_ASKED, SIZES[1])
        return cls(halves, roughness, asked, last, int(generator.integers(2**63)))

    def pull(self) -> Pull | None:
        """What holds the fit back best: towards what, how strongly, how much roughness costs; None if all is noise.

        A larger mixture fits more of the noise and wants a stronger pull than a small one: the size of the model's
        own fits settles it.
        """
        pull, best = self._strength(self.last, self._towards(), _PULLS)
        for roughness in self.roughness:
            found = self._judged(self.last, replace(pull, smoothness=roughness))
            if found.misfit >= best.misfit:
                break
            pull, best = replace(pull, smoothness=roughness), found
        alone = Judged(np.stack([judge.residuals(fit.alone) for fit, judge in self.halves]))
        return pull if best.surely_better(alone) else None

    def _towards(self) -> Pull:
        """Factors that order all values, unless independence, or a value that stands apart, is surely better."""
        kinds = [kind for kind in Towards if any(kind in fit.factors for fit, _ in self.halves)]
        tried = {kind: self._strength(SIZES[0], Pull(kind), self.asked) for kind in (Towards.INDEPENDENCE, *kinds)}
        best = Towards.ORDER if Towards.ORDER in tried else Towards.INDEPENDENCE
        for kind, (_, judged) in tried.items():
            if judged.surely_better(tried[best][1]):
                best = kind
        return tried[best][0]

    def _strength(self, size: tuple[int, int], first: Pull, pulls: Sequence[float]) -> tuple[Pull, Judged]:
        """Go from one pull to where the misfit is least: it falls, then rises."""
        known: dict[int, Judged] = {}

        def judged(place: int) -> Judged:
            if place not in known:
                known[place] = self._judged(size, replace(first, divergence=pulls[place]))
            return known[place]

        place = pulls.index(first.divergence)
        while True:
            beside = [other for other in (place - 1, place + 1) if 0 <= other < len(pulls)]
            nearer = min(beside, key=lambda other: judged(other).misfit, default=place)
            if judged(nearer).misfit >= judged(place).misfit:
                return replace(first, divergence=pulls[place]), judged(place)
            place = nearer

    def _judged(self, size: tuple[int, int], pull: Pull) -> Judged:
        found, generator, (components, steps) = [], np.random.default_rng(self.seed), size
        for fit, judge in self.halves:
            begun = replace(fit, pull=pull).begun(components, generator)
            found.append(judge.residuals(begun.run(begun.first(generator), steps)))
        return Judged(np.stack(found))


@dataclass(frozen=True)
class Judged:
    """What counts kept back say of a fit: residuals in standard deviations, one row for each thinning."""

    residuals: Floats

    @property
    def misfit(self) -> float:
        """The mean over the thinnings of the sum of squares."""
        return float((self.residuals**2).sum() / len(self.residuals))

    def surely_better(self, other: Judged) -> bool:
        """Whether the misfit is less by more than noise explains: its difference has variance 4 |difference|²."""
        distance = float(((self.residuals - other.residuals) ** 2).sum() / len(self.residuals))
        return bool(other.misfit - self.misfit > _ERRORS * 2 * distance**0.5)
