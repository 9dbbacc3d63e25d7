"""Whatever enters as a number comes out as a Fraction of Python's own integers, or is refused in one line."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracledp.errors import ParameterError
from oracledp.exact.numbers import RANGES, exact, positive, probability, whole, whole_or_none
from oracledp.privacy.guarantee import Guarantee, Neighbours

NUMPY = st.one_of(
    st.integers(-128, 127).map(np.int8),
    st.integers(0, 2**63 - 1).map(np.int64),
    st.integers(0, 2**64 - 1).map(np.uint64),
    st.floats(width=32).map(np.float32),
    st.floats(width=16).map(np.float16),
    st.floats().map(np.float64),
    st.booleans().map(np.bool_),
)
NUMBERS = st.integers() | st.floats() | st.fractions() | st.decimals() | st.booleans() | NUMPY
TEXTS = (
    st.text(max_size=20)
    | NUMBERS.map(str)
    | st.from_regex(r"[0-9]{1,5}(\.[0-9]{0,5})?e[+-]?[0-9]{1,9}", fullmatch=True)
)
OTHERS = st.none() | st.binary(max_size=3) | st.lists(st.integers(), max_size=2) | st.complex_numbers()
HARD = (
    "1e400", "1e-5000", "1e999999999", "9" * 5000, "1/" + "9" * 5000, "1e-" + "9" * 500, "٣", "0x10", "1_0e1_0",
    10**5000, -(10**5000), Fraction(1, 10**5000), Decimal("1e999999"), Decimal("1e-999999"), Decimal("sNaN"),
    Decimal("9" * 3000), Fraction(np.int64(1), np.int64(3)), np.array(1.0), np.longdouble("0.1"), 5e-324, float("nan"),
)  # fmt: skip


def refused_or_plain(read, value):
    try:
        number = read(value, "epsilon")
    except ParameterError as error:
        message = str(error)
        assert message.startswith("epsilon ")
        assert "\n" not in message
        assert len(message) < 200
        return None
    assert type(number) is Fraction
    assert type(number.numerator) is int
    assert type(number.denominator) is int
    return number


@settings(derandomize=True, deadline=None, max_examples=400)
@given(NUMBERS | TEXTS | OTHERS)
@example("1e400")
def test_a_number_is_read_exactly_or_refused(value):
    number = refused_or_plain(exact, value)
    refused_or_plain(positive, value)
    refused_or_plain(probability, value)
    if number is not None:
        assert exact(str(number), "epsilon") == number  # what a ledger writes down it can read again
        if not isinstance(value, str | float | np.floating):
            assert number == Fraction(value)


@pytest.mark.parametrize("value", HARD, ids=range(len(HARD)))
def test_hard_numbers_are_answered_at_once(value):
    for read in (exact, positive, probability):
        refused_or_plain(read, value)


def test_floats_are_read_through_their_decimals():
    assert (
        exact(0.1, "epsilon")
        == exact(np.float32(0.1), "epsilon")
        == exact(np.float16(0.1), "epsilon")
        == Fraction(1, 10)
    )
    assert exact(np.int64(3), "epsilon") == exact(Decimal(3), "epsilon") == 3


@pytest.mark.parametrize("name", RANGES)
def test_numbers_outside_the_range_of_their_name_are_refused(name):
    least, most = RANGES[name]
    assert positive(least, name) == least
    for beyond in (least / 2, most * 2):
        with pytest.raises(ParameterError, match=f"^{name} "):
            positive(beyond, name)


@settings(derandomize=True, deadline=None)
@given(NUMBERS | TEXTS | OTHERS)
@example(10**5000)
@example(np.array(3))
def test_an_integer_is_read_or_refused(value):
    integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if integer and 1 <= value <= 2**40:
        number = whole(value, "rows", most=2**40)
        assert (type(number), number) == (int, value)
    else:
        with pytest.raises(ParameterError, match=r"^rows must be .{5,150}$"):
            whole(value, "rows", most=2**40)
    assert whole_or_none(None, "rows", most=1) is None


def test_a_guarantee_with_long_terms_is_read_again():
    delta = exact("1.234567890123456789e-299", "delta")
    promise = Guarantee(
        epsilon=exact("0." + "3" * 300, "epsilon"), delta=delta, neighbours=Neighbours.ADD_REMOVE, proof="prsma"
    )
    assert Guarantee.from_json(promise.to_json()) == promise
