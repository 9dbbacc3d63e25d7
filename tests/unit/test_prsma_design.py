"""Certified designs: what the certificate falls and rises with, bad numbers, and the claims of the designer."""

from dataclasses import replace
from fractions import Fraction
from math import exp, log
from types import SimpleNamespace
from typing import cast

import pytest

from oracledp.errors import ParameterError
from oracledp.mechanisms.robust.delta import certified_delta, certified_epsilon, confirmed
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.designer import design_prsma
from oracledp.mechanisms.robust.laplace_test import laplace_table
from oracledp.mechanisms.robust.theorem_two_sample import FIRST_CELLS, GRID, TwoSamples, _Bound, _worst_cell
from oracledp.privacy.guarantee import Neighbours

ONE = Fraction(1)
STRONG = Fraction(1, 4)  # of ε': one record can make an answer likely


def small_design(**changes: object) -> Design:
    basis = Design(
        epsilon=ONE,
        delta=Fraction(1, 100),
        rows=4000,
        parts=40,
        runs_per_part=500,
        epsilon_inner=Fraction(1, 100),
        pass_probabilities=tuple(min(p, Fraction(49, 50)) for p in laplace_table(40, Fraction(3, 5), 30)),
        theorem=TwoSamples(Fraction(1, 80)),
    )
    return replace(basis, **changes)  # type: ignore[arg-type]


def test_delta_falls_with_epsilon_and_runs_and_rises_with_the_inner_epsilon_and_ties() -> None:
    """With a claim so small that the cells of ψ are halved as far as they go."""

    def delta(epsilon: Fraction = ONE, **changes: object) -> Fraction:
        return certified_delta(
            small_design(delta=Fraction(1, 10**12), **({"epsilon_inner": STRONG} | changes)), epsilon
        )

    basis = delta()
    assert delta(Fraction(3, 2)) <= basis < delta(Fraction(1, 4))
    assert delta(runs_per_part=250) > basis
    assert delta(epsilon_inner=2 * STRONG) > basis
    assert float(delta(tie_delta=Fraction(1, 10**6)) - basis) == pytest.approx((1 + exp(1)) * 1e-6 * 0.98, rel=1e-9)


def test_certified_epsilon_is_the_least_on_its_grid() -> None:
    design = small_design(delta=certified_delta(small_design(), Fraction(9, 10)))
    found = certified_epsilon(design)
    assert certified_delta(design, found) <= design.delta < certified_delta(design, found - Fraction(1, 10**6))
    assert found <= Fraction(9, 10)


# ---- the test's table and the checks of a design ---------------------------------------------------
def test_the_laplace_table_is_the_exact_tail() -> None:
    ratio, threshold = Fraction(2, 3), 5
    mass = {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-200, 201)}
    for count, found in enumerate(laplace_table(9, ratio, threshold)):
        direct = sum(p for z, p in mass.items() if count + z > threshold)
        assert found == 0 if count == 0 else abs(found - direct) < Fraction(1, 10**30)


@pytest.mark.parametrize(
    "changes",
    [
        {"parts": 40.5},
        {"parts": 1, "pass_probabilities": (Fraction(0), ONE)},
        {"runs_per_part": 1},
        {"epsilon_inner": 0.01},
        {"parts": 41},
        {"pass_probabilities": tuple(Fraction(i, 40) for i in range(1, 42))},
        {"pass_probabilities": (Fraction(0), *(Fraction(1, i) for i in range(1, 41)))},
        {"pass_probabilities": tuple(Fraction(i, 20) for i in range(41))},
        {"rows": 79},
    ],
)
def test_a_design_that_makes_no_sense_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        small_design(**changes)


def test_a_claim_of_no_epsilon_or_of_all_delta_is_never_confirmed() -> None:
    good = small_design(delta=certified_delta(small_design(delta=Fraction(1, 10**12))))
    assert confirmed(good)
    assert not confirmed(replace(good, delta=good.delta * Fraction(98, 100)))  # certificates are tight to a hundredth
    assert not confirmed(replace(good, epsilon=Fraction(0)))
    assert not confirmed(replace(good, delta=ONE))


def test_a_design_promises_the_same_under_both_relations() -> None:
    for relation in Neighbours:
        assert small_design().guarantee(relation).robust


def test_the_base_is_calibrated_to_half_under_add_remove() -> None:
    assert small_design().base_epsilon == Fraction(1, 200)


# ---- the designer ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("epsilon", "delta", "calls", "beta", "signal"),
    [
        (1, "1e-6", 10**6, "2/100", 0.52),
        (1, "1e-4", 50_000, "2/100", 0.60),
        (1, "1e-6", 10**6, "1/100", 0.47),
        (3, "1e-6", 10**6, "1/100", 0.80),
        (10, "1e-6", 10**6, "1/100", 1.6),
    ],
)
def test_the_designer_beats_its_goals(epsilon: int, delta: str, calls: int, beta: str, signal: float) -> None:
    """In units of sqrt(n), at n = 10^6. Beyond ε = 3 there was none before, and parts had to stand in."""
    design = design_prsma(epsilon=epsilon, delta=delta, rows=10**6, max_calls=calls, beta=beta)
    assert confirmed(design)
    assert design.calls <= calls
    assert design.beta <= Fraction(beta)
    assert design.relative_signal >= signal


def test_without_scipy_a_laplace_test_is_designed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracledp.mechanisms.robust.search_two_sample.find_spec", lambda name: None)
    design = design_prsma(epsilon=1, delta="1e-4", rows=10**6, max_calls=50_000, beta="2/100")
    assert design.theorem.name == "two-sample"
    assert confirmed(design)
    assert design.relative_signal >= 0.48


def test_what_cannot_be_designed_is_refused_with_advice() -> None:
    with pytest.raises(ParameterError, match="allow more calls"):
        design_prsma(epsilon=1, delta="1e-9", rows=20, max_calls=100)
    with pytest.raises(ParameterError, match="allow more calls"):
        design_prsma(epsilon=1, delta="1e-4", rows=2)
    with pytest.raises(ParameterError, match="max_calls"):
        design_prsma(epsilon=1, delta="1e-6", rows=1000, max_calls=0)


def test_the_json_of_a_design_has_the_names_that_readers_expect() -> None:
    data = small_design().to_json()
    names = {
        "parts",
        "runs_per_part",
        "part_size",
        "epsilon_inner",
        "epsilon_test",
        "threshold",
        "tests",
        "runs",
        "sampling",
    }
    assert names | {"delta_terms", "theorem", "signal", "beta"} <= set(data)
    assert data["threshold"] == 30
    assert data["epsilon_test"] == pytest.approx(-log(0.6), abs=1e-6)


@pytest.mark.parametrize("ratio", [Fraction(3, 5), Fraction(9, 10)])
def test_the_loss_of_the_test_counts_both_of_its_outcomes(ratio: Fraction) -> None:
    for table in (laplace_table(40, ratio, 30), tuple(Fraction(t, 40) ** 3 for t in range(41))):
        design = small_design(pass_probabilities=table)
        pairs = [(float(table[t]), float(table[t + 1])) for t in range(1, 40)]
        goes_on = max(log(after / before) for before, after in pairs if before > 0)
        gives_up = max((log((1 - before) / (1 - after)) for before, after in pairs if after < 1), default=0.0)
        assert 0 <= float(design.epsilon_test) - max(goes_on, gives_up) < 2e-6


class Hill:
    """A bound with one sharp peak, which no edge of the first cells sees."""

    def __init__(self, peak: int) -> None:
        self.peak = peak
        self.design = SimpleNamespace(delta=Fraction(0))

    def on(self, low: int, high: int) -> tuple[Fraction, Fraction, Fraction]:
        away = 0 if low <= self.peak <= high else min(abs(low - self.peak), abs(high - self.peak))
        return Fraction(1, 1 + away), Fraction(0), Fraction(0)


@pytest.mark.parametrize("quarter", [1, 3])
def test_cells_that_are_halved_leave_no_hole(quarter: int) -> None:
    width = (1 << GRID) // FIRST_CELLS
    hill = Hill(5 * width + quarter * width // 4)
    assert sum(_worst_cell(cast(_Bound, hill))) >= 1
