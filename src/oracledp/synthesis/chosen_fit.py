"""How the model is fitted, chosen by released evidence: every choice is tried on thinned counts and judged by the rest.

What is chosen: whether components are pulled towards the released factors or towards independence, how strongly, how
much roughness costs, and how large the mixture is. Where the counts show no dependence the strongest pull towards
independence wins, and the model is that of independent columns. All of it is post-processing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from oracledp.synthesis.bins import Floats
from oracledp.synthesis.fitting import Fit, Pull
from oracledp.synthesis.measuring import Measured
from oracledp.synthesis.mixture import Mixture
from oracledp.synthesis.recipe import Settings
from oracledp.synthesis.thinning import thinned

Progress = Callable[[int, int], None]

_KEPT = Fraction(3, 10)  # of the counts' information, for judging
_PULLS = (0.1, 0.4, 1.5, 6.0, 40.0)  # times the rule's
_ROUGHNESS = (0.2, 5.0)  # times the rule's
SIZES = ((60, 150), (200, 400), (400, 600))  # components and steps; the first is for trials
_ENSEMBLES = 2
_WIDE = 600  # bins of all columns, beyond which the second size is taken without a trial of larger ones
_WORTH = 0.006  # the gain of the second size on the first at which the third is taken
_ERRORS = 1.5  # standard errors by which dependence must show
_COUNTS, _MOST_THINNED = 8000, 2  # the fewer counts, the more often they are thinned
_EXTRA_STEPS, _EXTRA_RATE = 100, 0.03  # when a measurement is added


def silent(done: int, total: int) -> None:
    """No progress report."""


def fit_mixture(
    measured: Measured, smooth: Sequence[int], generator: np.random.Generator, progress: Progress = silent
) -> Mixture:
    """The average of independently started fits: averaging removes part of what each one fitted of the noise."""
    pull, (components, steps) = _chosen(measured, smooth, generator)
    mixtures, whole = [], replace(Fit.of(measured, smooth).centred(), pull=pull)
    for number in range(_ENSEMBLES):
        fit = whole.begun(components, generator)
        mixtures.append(fit.mixture(fit.sharp_run(fit.first(generator), steps)))
        progress(number + 1, _ENSEMBLES)
    weights = np.concatenate([mixture.weights for mixture in mixtures]) / _ENSEMBLES
    return Mixture(mixtures[0].layout, weights, np.concatenate([mixture.parts for mixture in mixtures]))


def _chosen(measured: Measured, smooth: Sequence[int], generator: np.random.Generator) -> tuple[Pull, tuple[int, int]]:
    """How to fit; a single column is one product distribution."""
    if len(measured.bins) == 1:
        return Pull(), (1, SIZES[1][1])
    trial = Trial.of(measured, smooth, generator)
    if sum(binning.size for binning in measured.bins) > _WIDE:  # a step's work grows with the square of the bins
        return trial.pull(), SIZES[1]
    pull, size = trial.sized(trial.pull())
    return pull, SIZES[size]


class RunningFit:
    """One small fit that goes on as measurements come in: the data player between rounds of selection."""

    def __init__(self, measured: Measured, smooth: Sequence[int], generator: np.random.Generator) -> None:
        pull, (components, steps) = _chosen(measured, smooth, generator)
        pull = replace(pull, divergence=min(pull.divergence, Pull.divergence))  # rounds may find what marginals hide
        self._fit = replace(Fit.of(measured, smooth).centred(), pull=pull).begun(components, generator)
        self._point = self._fit.run(self._fit.first(generator), steps)
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
    rule: Settings
    released: int
    seed: int

    @classmethod
    def of(cls, measured: Measured, smooth: Sequence[int], generator: np.random.Generator) -> Trial:
        """Thin the counts, few of them several times; all choices see the same halves and begin at the same places."""
        halves = []
        for _ in range(min(max(_COUNTS // measured.released, 1), _MOST_THINNED)):
            seen, kept = thinned(measured, _KEPT, generator)
            halves.append((Fit.of(seen, smooth).centred(), Fit.of(kept, smooth)))
        return cls(halves, measured.settings, measured.released, int(generator.integers(2**63)))

    def pull(self) -> Pull:
        """What holds the fit back best: first how strongly towards what, then how much roughness costs."""
        fits = self._fits(0)
        towards = (True, False) if any(fit.has_factors for fit in fits) else (False,)
        best = min((self._strength(fits, factors) for factors in towards), key=lambda found: found[1].misfit)
        for roughness in _ROUGHNESS:
            pull = replace(best[0], smoothness=roughness * self.rule.smoothness)
            found = self._judged(fits, pull, 0)
            if found.misfit >= best[1].misfit:
                break
            best = pull, found
        apart = Pull(False, _PULLS[-1])
        return best[0] if best[1].surely_better(self._judged(fits, apart, 0)) else apart

    def sized(self, pull: Pull) -> tuple[Pull, int]:
        """How large a mixture pays: by what the second size gains on the first, in shares of the counts.

        A larger mixture fits more of the noise, so that a stronger pull may suit it.
        """
        one = replace(self, halves=self.halves[:1])
        small, fits = one._judged(one._fits(0), pull, 0).misfit, one._fits(1)
        stronger = [strength for strength in _PULLS if strength >= pull.divergence][:2]
        larger = [replace(pull, divergence=strength) for strength in stronger]
        misfits = [one._judged(fits, found, 1).misfit for found in larger]
        gain = (small - min(misfits)) / self.released
        found = larger[
            int(np.argmin(misfits))
        ]  # the first size is for trials: no count shows what it misses of four columns
        return (one._refined(found, 2), 2) if gain > _WORTH else (found, 1)

    def _refined(self, pull: Pull, size: int) -> Pull:
        """The pull for the largest mixture, which fits more of the noise than those that chose it did.

        One step stronger, then the rule's roughness: each is taken if the counts kept back prefer it.
        """
        fits = self._fits(size)
        best, least = pull, self._judged(fits, pull, size).misfit
        stronger = min((strength for strength in _PULLS if strength > pull.divergence), default=pull.divergence)
        misfit = self._judged(fits, replace(pull, divergence=stronger), size).misfit
        if misfit < least:
            best, least = replace(pull, divergence=stronger), misfit
        rough = replace(best, smoothness=self.rule.smoothness)
        return rough if rough != best and self._judged(fits, rough, size).misfit < least else best

    def _strength(self, fits: Sequence[Fit], factors: bool) -> tuple[Pull, Judged]:
        """Go from the middle to where the misfit is least: it falls, then rises."""
        known: dict[int, Judged] = {}

        def judged(place: int) -> Judged:
            if place not in known:
                known[place] = self._judged(fits, Pull(factors, _PULLS[place]), 0)
            return known[place]

        place = _PULLS.index(Pull.divergence)
        while True:
            beside = [other for other in (place - 1, place + 1) if 0 <= other < len(_PULLS)]
            nearer = min(beside, key=lambda other: judged(other).misfit)
            if judged(nearer).misfit >= judged(place).misfit:
                return Pull(factors, _PULLS[place]), judged(place)
            place = nearer

    def _fits(self, size: int) -> list[Fit]:
        generator = np.random.default_rng(self.seed)
        return [fit.begun(SIZES[size][0], generator) for fit, _ in self.halves]

    def _judged(self, fits: Sequence[Fit], pull: Pull, size: int) -> Judged:
        found, generator = [], np.random.default_rng(self.seed)
        for fit, (_, judge) in zip(fits, self.halves, strict=True):
            found.append(judge.residuals(replace(fit, pull=pull).run(fit.first(generator), SIZES[size][1])))
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
