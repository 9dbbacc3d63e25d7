"""The sampler tier: every sampler fits its exact law, and every test would see a scale that is 10 % wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from oracledp.audit.chi_square import ALPHA, FEWEST, Floats, IntegerLaw, Ints, decay, fits, sees
from oracledp.audit.sampler_laws import SYSTEM, TENTH, right_and_wrong
from oracledp.randomness import noise
from oracledp.randomness.choice import exponential_choice
from oracledp.randomness.noise import exponential_law

DRAWS = 200_000
CHOICES = 20_000
SCORES = np.array([4, -3, 0, -3, 9, 2, 1])
RATE = Fraction(1, 5)


@dataclass(frozen=True)
class Conformance:
    """Whether a sampler fits its law, and whether the test had the power to see the wrong one."""

    name: str
    fits: bool
    powerful: bool
    draws: int

    @property
    def holds(self) -> bool:
        """A fit counts only if a misfit would have shown."""
        return self.fits and self.powerful

    @property
    def broken(self) -> bool:
        """The draws refute the law."""
        return not self.fits

    def to_json(self) -> dict[str, Any]:
        """A row of the audit table."""
        return {
            "name": self.name,
            "fits": self.fits,
            "sees_10_percent": self.powerful,
            "draws": self.draws,
            "alpha": ALPHA,
            "holds": self.holds,
        }


def conforms(law: IntegerLaw, wrong: IntegerLaw, *, draws: int = DRAWS) -> Conformance:
    """Draw from one law, compare with its exact probabilities, and work out the power against the wrong one."""
    edges, probabilities = law.cells()
    return Conformance(
        law.name,
        fits(law.observed(law.draw(draws)), probabilities),
        sees(probabilities, wrong.masses(edges), draws),
        draws,
    )


def residues(name: str, draw: Callable[[int], Ints], scale: int, *, modulus: int = 16) -> Conformance:
    """A geometric modulo m has the law e^(-r/t), r < m: sees a fault in the last places of a large draw."""
    weights = np.array([decay(Fraction(r, scale)) for r in range(modulus)])
    observed = np.bincount(draw(DRAWS) % modulus, minlength=modulus).astype(float)
    law = weights / weights.sum()
    without_last_bit = np.where(np.arange(modulus) % 2 == 0, 2 * law, 0.0)
    return Conformance(name, fits(observed, law), sees(law, without_last_bit, DRAWS), DRAWS)


def independence(name: str, draw: Callable[[int], Ints]) -> Conformance:
    """Neighbouring draws of a geometric of scale 3 are independent; the power is against draws used twice."""
    values = np.minimum(draw(2 * DRAWS), 5).reshape(-1, 2)
    single: Floats = -np.diff([*(decay(Fraction(x, 3)) for x in range(6)), 0.0])
    observed = np.bincount(6 * values[:, 0] + values[:, 1], minlength=36).astype(float)
    joint = np.outer(single, single).ravel()
    return Conformance(name, fits(observed, joint), sees(joint, np.diag(single).ravel(), DRAWS), DRAWS)


def uniformity(name: str, draw: Callable[[int, int], Ints], bound: int = 3 * 2**61) -> Conformance:
    """A uniform draw below a bound near the word size; the power is against reduction modulo the bound."""
    thirds = np.array([1 / 3] * 3)
    observed = np.bincount(draw(bound, DRAWS) // (bound // 3), minlength=3).astype(float)
    return Conformance(name, fits(observed, thirds), sees(thirds, np.array([3, 3, 2]) / 8, DRAWS), DRAWS)


def selection(name: str, rate: Fraction = RATE) -> Conformance:
    """The exponential mechanism's choice; the power is against a rate 10 % wrong."""
    law, wrong = (np.array([float(low) for low, _ in exponential_law(SCORES, r)]) for r in (RATE, RATE * TENTH))
    chosen = [exponential_choice(SCORES, rate, SYSTEM) for _ in range(_choices(law, wrong))]
    observed = np.bincount(chosen, minlength=len(SCORES)).astype(float)
    return Conformance(name, fits(observed, law), sees(law, wrong, len(chosen)), len(chosen))


def _choices(law: Floats, wrong: Floats) -> int:
    """Enough draws for the cells and for the power."""
    draws = max(CHOICES, int(FEWEST / law.min()) + 1)
    while not sees(law, wrong, draws):
        draws *= 2
    return draws


def findings() -> list[Conformance]:
    """Every sampler against its law."""
    return [
        *(conforms(law, wrong) for law, wrong in right_and_wrong()),
        *(
            residues(f"low bits of geometric {t}", lambda count, t=t: noise.geometric(t, count, SYSTEM), t)  # type: ignore[misc]
            for t in (3, 1000, 2**40 + 7, 2**55)
        ),
        independence("neighbouring draws", lambda count: noise.geometric(3, count, SYSTEM)),
        uniformity("uniform", lambda bound, count: noise.uniform(bound, count, SYSTEM)),
        selection("exponential choice"),
    ]
