"""Samplers whose law is not the one they claim."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from broken.mutants import Mutant
from oracledp.audit.chi_square import IntegerLaw, Ints
from oracledp.audit.sampler_conformance import (
    RATE,
    Conformance,
    conforms,
    independence,
    residues,
    selection,
    uniformity,
)
from oracledp.audit.sampler_laws import SYSTEM, TENTH, geometric
from oracledp.randomness import noise

TIER = "sampler conformance"


def _wrong_scale() -> Conformance:
    right, wrong = geometric(Fraction(1000)), geometric(1000 * TENTH)
    return conforms(IntegerLaw("a scale 10 % wrong", wrong.draw, right.tail, right.reach), wrong)


def _float_noise() -> Conformance:
    """Textbook noise: a double has 53 bits, so the last bits of a large draw are always zero."""
    scale, chance = 2**55, np.random.default_rng()
    return residues(
        "exponential noise in floating point", lambda count: chance.exponential(scale, count).astype(np.int64), scale
    )


def _used_twice() -> Conformance:
    return independence("each draw used twice", lambda count: np.repeat(noise.geometric(3, count // 2, SYSTEM), 2))


def _modulo_bias() -> Conformance:
    def draw(bound: int, count: int) -> Ints:
        words = np.frombuffer(SYSTEM.bytes(8 * count), dtype=np.uint64)
        return np.asarray(words % np.uint64(bound), dtype=np.uint64).astype(np.int64)

    return uniformity("a random word modulo the bound", draw)


SAMPLER_MUTANTS: tuple[Mutant, ...] = (
    Mutant("wrong-scale", "a sampler whose scale is 10 % wrong", _wrong_scale, TIER),
    Mutant("float-noise", "noise made in floating point (E9)", _float_noise, TIER),
    Mutant("noise-used-twice", "each draw used twice", _used_twice, TIER),
    Mutant("modulo-bias", "uniform draws by a remainder", _modulo_bias, TIER),
    Mutant(
        "wrong-rate", "an exponential mechanism whose rate is 10 % wrong", lambda: selection("rate", RATE * TENTH), TIER
    ),
)
