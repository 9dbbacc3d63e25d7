"""Outward rounding: every enclosure holds the true value and is narrow."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.errors import ParameterError
from oracledp.exact.intervals import Interval

rationals = st.fractions(min_value=-60, max_value=60, max_denominator=10**9)
positives = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9, max_denominator=10**9)


def truth(value: Fraction, function: str) -> Fraction:
    """The function to 120 digits, by the decimal module: correctly rounded and unrelated to the code under test."""
    with localcontext() as context:
        context.prec = 120
        return Fraction(getattr(Decimal(value.numerator) / Decimal(value.denominator), function)())


def encloses(interval: Interval, value: Fraction, slack: Fraction) -> bool:
    return interval.lower <= value + slack and value - slack <= interval.upper


@settings(derandomize=True, deadline=None, max_examples=150)
@given(rationals)
def test_exp_holds_the_truth_and_is_narrow(x: Fraction) -> None:
    found, true = Interval.of(x).exp(), truth(x, "exp")
    assert encloses(found, true, true / 10**110)
    assert found.upper - found.lower <= max(true, Fraction(1)) / 10**70


@settings(derandomize=True, deadline=None, max_examples=150)
@given(positives)
def test_log_and_sqrt_hold_the_truth_and_are_narrow(x: Fraction) -> None:
    logarithm, root = Interval.of(x).log(), Interval.of(x).sqrt()
    assert encloses(logarithm, truth(x, "ln"), Fraction(1, 10**110) * 100)
    assert logarithm.upper - logarithm.lower <= Fraction(1, 10**60)
    assert root.lower**2 <= x <= root.upper**2
    assert root.upper - root.lower <= Fraction(1, 10**60)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(rationals, rationals, rationals, rationals)
def test_arithmetic_holds_every_pair_of_members(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> None:
    left = Interval(Interval.of(min(a, b)).low, Interval.of(max(a, b)).high)
    right = Interval(Interval.of(min(c, d)).low, Interval.of(max(c, d)).high)
    for x in (a, b):
        for y in (c, d):
            for found, value in ((left + right, x + y), (left - right, x - y), (left * right, x * y)):
                assert found.lower <= value <= found.upper
            if min(c, d) > 0:
                quotient = left / right
                assert quotient.lower <= x / y <= quotient.upper


def test_what_has_no_value_is_refused() -> None:
    with pytest.raises(ParameterError):
        Interval.of(1) / Interval.of(0)
    with pytest.raises(ParameterError):
        Interval.of(0).log()
