"""Exact parameters in, one honest sentence out."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.errors import ParameterError
from oracledp.exact.numbers import exact, positive, probability, show
from oracledp.privacy.guarantee import Guarantee, Neighbours

GUARANTEE = Guarantee(epsilon=Fraction(1, 10), neighbours=Neighbours.REPLACE_ONE, proof="x")


@pytest.mark.parametrize("value", ["0.1", 0.1, Decimal("0.1"), Fraction(1, 10), "1/10", "1e-1"])
def test_a_tenth_is_a_tenth(value: object) -> None:
    assert exact(value, "epsilon") == Fraction(1, 10)


@pytest.mark.parametrize("value", ["", "one", "1/0", None, True, float("nan"), float("inf"), [1], "0x1", 1j])
def test_what_is_not_a_number_is_refused_by_name(value: object) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        exact(value, "epsilon")


@pytest.mark.parametrize("value", [0, -1, "-0.5"])
def test_epsilon_must_be_positive(value: object) -> None:
    with pytest.raises(ParameterError, match="epsilon must be greater than 0"):
        positive(value, "epsilon")


@pytest.mark.parametrize("value", [1, "1.5", -1, 0])
def test_delta_must_be_a_probability(value: object) -> None:
    with pytest.raises(ParameterError, match="delta"):
        probability(value, "delta")


@settings(derandomize=True, deadline=None)
@given(st.fractions())
def test_show_never_rounds(number: Fraction) -> None:
    assert Fraction(show(number)) == number


def test_comparison_sensitivity() -> None:
    assert Neighbours.REPLACE_ONE.comparison_sensitivity == 2
    assert Neighbours.ADD_REMOVE.comparison_sensitivity == 1
    with pytest.raises(ParameterError, match="replace-one"):
        Neighbours.parse("bounded")


def test_robust_and_contingent_are_never_mixed_up() -> None:
    assert GUARANTEE.robust
    assert "robust" in str(GUARANTEE)
    contingent = GUARANTEE.assuming("the solver is right")
    assert not contingent.robust
    assert "holds only if the solver is right" in str(contingent)
    assert "robust" not in str(contingent)


def test_a_seeded_release_promises_nothing() -> None:
    tainted = GUARANTEE.tainted()
    assert str(tainted).startswith("NOT PRIVATE")
    assert not tainted.robust
    assert "0.1" not in str(tainted)


def test_json_round_trip() -> None:
    for guarantee in (GUARANTEE, GUARANTEE.assuming("a", "b"), GUARANTEE.tainted()):
        assert Guarantee.from_json(guarantee.to_json()) == guarantee
