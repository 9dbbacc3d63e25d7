"""The black-box tier: its bounds are honest, it sees half the noise, and it finds nothing wrong with what is right.

Each unseeded audit refutes a true claim with probability at most 1e-8.
"""

import random
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from broken.black_box_mutants import END_TO_END_MUTANTS
from oracledp.audit.black_box import black_box, lower_bound, upper_bound
from oracledp.audit.end_to_end import PUBLIC, measure, small_rules, small_table
from oracledp.audit.exact_law import DataSet
from oracledp.errors import ParameterError
from oracledp.privacy.guarantee import Guarantee, Neighbours

REPLACE = Neighbours.REPLACE_ONE


def claim(epsilon: str, delta: str = "0") -> Guarantee:
    return Guarantee(epsilon=Fraction(epsilon), delta=Fraction(delta), neighbours=REPLACE, proof="none")


@pytest.mark.parametrize("alpha", [0.05, 1e-6])
@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.97])
def test_bounds_fail_at_most_as_often_as_stated(alpha: float, p: float) -> None:
    """Exact coverage: the binomial mass of the outcomes on which a bound is wrong."""
    trials = 60
    mass = stats.binom.pmf(np.arange(trials + 1), trials, p)
    too_high = sum(mass[k] for k in range(trials + 1) if lower_bound(k, trials, alpha) > p)
    too_low = sum(mass[k] for k in range(trials + 1) if upper_bound(k, trials, alpha) < p)
    assert too_high <= alpha
    assert too_low <= alpha
    assert lower_bound(trials, trials, alpha) > 0
    assert upper_bound(0, trials, alpha) < 1


def response(seed: int, epsilon: float):
    """Randomised response with this epsilon."""
    chance = random.Random(seed)
    return lambda bit: bit if chance.random() < exp(epsilon) / (1 + exp(epsilon)) else 1 - bit


def test_randomised_response_is_measured_from_below() -> None:
    found = black_box("response", response(0, 2.0), [(0, 1)], claim("2"), runs=20_000)
    assert found.holds
    assert 1.7 < found.epsilon_low < 2.0
    assert black_box("response", response(1, 2.0), [(0, 1)], claim("3/2"), runs=20_000).broken


def test_delta_excuses_rare_outputs() -> None:
    """A mechanism that gives its input away with probability 1/20 is (0, 1/20)-DP and no better."""
    chance = random.Random(0)

    def run(bit: int) -> object:
        return ("caught", bit) if chance.random() < 0.05 else "nothing"

    assert black_box("give-away", run, [(0, 1)], claim("1/10", "3/50"), runs=20_000).holds
    assert black_box("give-away", run, [(0, 1)], claim("2", "1/100"), runs=20_000).broken


def test_the_telling_pair_is_found_among_many() -> None:
    respond = response(2, 2.0)
    pairs = [(k, k + 1) for k in range(10)]
    found = black_box("one pair", lambda k: respond(int(k > 6)), pairs, claim("1"), pilot=200, runs=6000)
    assert found.broken


def test_no_pairs_is_an_error() -> None:
    with pytest.raises(ParameterError):
        black_box("nothing", lambda _: 0, [], claim("1"))


@pytest.mark.statistical
@pytest.mark.parametrize("name", PUBLIC)
def test_public_functions_survive(name: str) -> None:
    assert measure(name, PUBLIC[name], REPLACE, pilot=30, runs=1000).holds


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["half-noise-rspm", "oracle-fails-on-record"])
def test_broken_functions_do_not(name: str) -> None:
    """Half the noise on the best pair has a bound of about 1.56, seven standard deviations above the claim."""
    mutant = next(m for m in END_TO_END_MUTANTS if m.name == name)
    assert mutant.caught


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[DataSet, DataSet]:
    """Two tables of up to six rows that differ in one."""
    rest = draw(st.lists(st.integers(0, 3), max_size=5))
    one, other = draw(st.permutations(range(4)))[:2]
    return tuple(((*rest, one).count(r)) for r in range(4)), tuple(((*rest, other).count(r)) for r in range(4))


@pytest.mark.statistical
@settings(max_examples=8, derandomize=True, deadline=None)
@given(pair=neighbours())
def test_proposed_neighbours_do_not_refute_the_default(pair: tuple[DataSet, DataSet]) -> None:
    def run(data: DataSet) -> object:
        return PUBLIC["exponential"](small_table(data), small_rules(), neighbours=REPLACE).query.parts

    assert black_box("exponential", run, [pair], claim("1"), pilot=1, runs=300).holds
