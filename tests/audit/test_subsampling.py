"""Subsampling: the exact law over all subsets of tiny data sets, and the arithmetic of its epsilon."""

from fractions import Fraction
from itertools import combinations, product
from math import exp, expm1, log

import numpy as np
import pytest

from oracledp.errors import ParameterError
from oracledp.mechanisms.subsampling import _allowed, inner_epsilon, random_rows, sampled_share
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import SeededRandomness

OUTPUTS = range(3)
RECORDS = range(3)


def base_law(rows, rate):
    """The exponential mechanism that looks for the record seen least often."""
    weights = [exp(-rate * sum(row == output for row in rows)) for output in OUTPUTS]
    return np.array(weights) / sum(weights)


def sampled_law(rows, kept, rate):
    subsets = list(combinations(rows, kept))
    return sum(base_law(subset, rate) for subset in subsets) / len(subsets)


def coin_law(rows, share, rate):
    total = np.zeros(len(OUTPUTS))
    for coins in product((0, 1), repeat=len(rows)):
        chance = np.prod([share if coin else 1 - share for coin in coins])
        total += chance * base_law([row for row, coin in zip(rows, coins, strict=True) if coin], rate)
    return total


def worst(pairs):
    return max(float(np.abs(np.log(first / second)).max()) for first, second in pairs)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)])
@pytest.mark.parametrize("kept", [1, 2, 3])
def test_replace_one_keeps_its_epsilon_and_nearly_uses_it(epsilon, kept):
    inner = float(inner_epsilon(epsilon, Fraction(kept, 4)))
    pairs = [
        (sampled_law((*rest, one), kept, inner / 2), sampled_law((*rest, other), kept, inner / 2))
        for rest in product(RECORDS, repeat=3)
        for one, other in combinations(RECORDS, 2)
    ]
    assert 0.3 * float(epsilon) < worst(pairs) <= float(epsilon) + 1e-9


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)])
def test_add_remove_keeps_its_epsilon(epsilon):
    share = Fraction(1, 3)
    inner = float(inner_epsilon(epsilon, share))
    pairs = [
        (coin_law(rows, float(share), inner), coin_law((*rows, extra), float(share), inner))
        for rows in product(RECORDS, repeat=2)
        for extra in RECORDS
    ]
    assert 0.1 * float(epsilon) < worst(pairs) <= float(epsilon) + 1e-9


def test_the_audit_catches_a_sample_that_is_larger_than_it_claims():
    inner = float(inner_epsilon(Fraction(1), Fraction(1, 4)))
    pairs = [
        (sampled_law((*rest, 0), 3, inner / 2), sampled_law((*rest, 1), 3, inner / 2))
        for rest in product(RECORDS, repeat=3)
    ]
    assert worst(pairs) > 1


def test_the_inner_epsilon_is_allowed_and_tight():
    for epsilon, share in product([Fraction(1, 100), Fraction(1), Fraction(10)], [Fraction(1, 1000), Fraction(9, 10)]):
        inner = inner_epsilon(epsilon, share)
        exactly = log(1 + expm1(float(epsilon)) / float(share))
        assert epsilon < inner <= exactly * (1 + 1e-12)
        assert float(inner) > exactly * (1 - 1e-5)
    assert inner_epsilon(Fraction(1), Fraction(1)) == 1
    with pytest.raises(ParameterError, match="share"):
        inner_epsilon(Fraction(1), Fraction(0))


def test_samples_have_the_size_that_was_accounted_for():
    share = sampled_share(10, Fraction(1, 4), Neighbours.REPLACE_ONE)
    assert share == Fraction(3, 10)
    rows = random_rows(10, share, Neighbours.REPLACE_ONE, SeededRandomness(1))
    assert len(set(rows.tolist())) == 3
    assert 300 < len(random_rows(1000, Fraction(1, 2), Neighbours.ADD_REMOVE, SeededRandomness(1))) < 700
    assert len(random_rows(7, Fraction(1), Neighbours.ADD_REMOVE, SeededRandomness(1))) == 7
    assert len(random_rows(10, Fraction(2, 3), Neighbours.REPLACE_ONE, SeededRandomness(1))) == 7


def test_where_the_number_of_rows_is_private_the_share_does_not_depend_on_it():
    for rows in range(1, 30):
        assert sampled_share(rows, Fraction(1, 4), Neighbours.ADD_REMOVE) == Fraction(1, 4)


def test_an_inner_epsilon_beyond_all_digits_is_not_allowed():
    assert not _allowed(Fraction(100), Fraction(1), Fraction(1, 2))
    assert _allowed(Fraction(1), Fraction(1), Fraction(1, 2))
