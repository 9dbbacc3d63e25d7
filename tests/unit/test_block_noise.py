"""The law of noise by blocks, from the laws of the draws that it is made of, against its formula."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, prod

import pytest

from oracledp.audit.draw_laws import UNIT
from oracledp.audit.enumeration import law_of_runs
from oracledp.mechanisms import block_noise
from oracledp.randomness.source import DrawSource


@pytest.mark.parametrize(("size", "radius"), [(1, 0), (1, 3), (2, 1), (2, 3), (3, 2), (4, 2)])
def test_every_vector_of_a_ball_is_equally_likely(size: int, radius: int) -> None:
    ball = [v for v in product(range(-radius, radius + 1), repeat=size) if sum(map(abs, v)) <= radius]
    assert block_noise.ball_size(size, radius) == len(ball)
    found = law_of_runs(lambda source: tuple(block_noise._in_ball(size, radius, source)), least=0)
    assert found.masses.keys() == set(ball)
    for low, high in found.masses.values():
        assert low - 1000 <= UNIT * Fraction(1, len(ball)) <= high + 1000


@pytest.mark.parametrize("sizes", [(1,), (2,), (1, 1), (2, 1)])
def test_the_radius_has_the_mass_of_its_ball(sizes: tuple[int, ...]) -> None:
    """Pr[R] ∝ (vectors of every block within R) e^(-R/scale), a factor of the sampler that cannot be off by one."""
    scale = 1

    def first_try(source: DrawSource) -> int | None:
        """The radius if the first draw is accepted: the law of all tries is its own, given that."""
        tries = iter([block_noise.geometric])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(block_noise, "geometric", lambda *arguments: next(tries)(*arguments))
            try:
                return block_noise._radius(scale, sizes, source)
            except StopIteration:
                return None

    found = law_of_runs(first_try, least=1e-6)
    weight = {r: float(low) / UNIT for r, (low, _) in found.masses.items() if r is not None and r <= 3}
    for radius in (1, 2, 3):
        wanted = prod(block_noise.ball_size(size, radius) for size in sizes) * exp(-radius / scale)
        assert weight[radius] / weight[0] == pytest.approx(wanted, rel=1e-2)
