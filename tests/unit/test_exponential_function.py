"""The integer exponential against an independent correctly rounded one, and its promises."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.errors import ParameterError
from oracledp.exact.exponentials import _fixed_point, exp_enclosure


def floor_by_decimal(x: Fraction, bits: int) -> int:
    """floor(2^bits e^-x) by the decimal module, which rounds exp correctly at any precision."""
    with localcontext() as context:
        context.prec = bits + 60
        return int((-Decimal(x.numerator) / Decimal(x.denominator)).exp() * 2**bits)


arguments = st.fractions(min_value=Fraction(1, 10**9), max_value=400, max_denominator=10**9)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(x=arguments, bits=st.integers(0, 200))
def test_the_two_neighbours_of_the_true_value(x: Fraction, bits: int) -> None:
    low = floor_by_decimal(x, bits)
    assert exp_enclosure(x, bits) == (low, low + 1)


@settings(derandomize=True, deadline=None, max_examples=500)
@given(
    x=st.builds(
        lambda top, shift: Fraction(top, 2**20) * Fraction(2) ** shift, st.integers(1, 2**20), st.integers(-70, 6)
    ),
    bits=st.integers(4, 64),
)
def test_the_fixed_point_value_is_within_its_error(x: Fraction, bits: int) -> None:
    """Lemma 5, at precisions where a single rounding shows and at arguments that round to nothing."""
    value, error = _fixed_point(x.numerator, x.denominator, bits)
    with localcontext() as context:
        context.prec = 100
        true = Fraction((-Decimal(x.numerator) / Decimal(x.denominator)).exp()) * 2**bits
    assert abs(value - true) < error


@pytest.mark.parametrize("bits", [1, 2, 10, 64, 100])
def test_around_the_point_where_nothing_is_left(bits: int) -> None:
    for tenths in range(6 * bits, 8 * bits):
        x = Fraction(tenths, 10)
        low = floor_by_decimal(x, bits)
        assert exp_enclosure(x, bits) == (low, low + 1)


def test_arguments_near_zero_make_the_precision_grow() -> None:
    tiny = Fraction(1, 2**300)  # 2^64 e^-tiny is so near the integer 2^64 that the first precisions cannot tell
    assert exp_enclosure(tiny, 64) == (2**64 - 1, 2**64)


def test_terms_of_any_size() -> None:
    x = Fraction(3**400, 2 * 3**400 + 1)
    low = floor_by_decimal(x, 300)
    assert exp_enclosure(x, 300) == (low, low + 1)


def test_refusals() -> None:
    with pytest.raises(ParameterError):
        exp_enclosure(Fraction(-1), 10)
    with pytest.raises(ParameterError):
        exp_enclosure(Fraction(1), -1)
