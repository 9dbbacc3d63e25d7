"""Designs over parts: their certificates against formulas written out again, and the figures known for them."""

from dataclasses import replace
from fractions import Fraction
from math import exp, log, sinh, sqrt

import pytest
from experiments.paper_constants import paper_design
from experiments.parts.designer import design_parts
from experiments.parts.ladder import steps
from experiments.parts.theorem_equal import AgainstAverage, EveryPart, OneSided
from experiments.parts.theorem_independent import IndependentLabels, _record_moment
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.errors import ParameterError
from oracledp.mechanisms.robust.delta import certified_delta, confirmed, delta_terms
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.designer import design_prsma
from oracledp.mechanisms.robust.laplace_test import laplace_table

ONE = Fraction(1)
FIRST = 15  # N_min


def small_design(**changes: object) -> Design:
    basis = Design(
        epsilon=ONE,
        delta=Fraction(1, 100),
        rows=4000,
        parts=40,
        runs_per_part=500,
        epsilon_inner=Fraction(1, 100),
        pass_probabilities=laplace_table(40, Fraction(3, 5), 30),
        theorem=IndependentLabels(FIRST, Fraction(5), Fraction(3), Fraction(4)),
    )
    return replace(basis, **changes)  # type: ignore[arg-type]


def floats(design: Design) -> tuple[list[float], float]:
    return [float(p) for p in design.pass_probabilities], exp(design.epsilon)


# ---- the ladder and the terms, written out again in floats -----------------------------------------
def likeness(design: Design, N: int) -> float:
    g, growth = floats(design)
    return min((N + 1) * growth * g[N] / g[N + 1] - N, N * (growth - 1))


def moment(design: Design, order: float, p: float, weights: dict[int, float]) -> float:
    """B of Theorem 5, in floats."""
    K, others, eta = design.parts, design.rows - 1, float(design.base_epsilon)
    sigma = eta * sqrt(others * (K - 1)) / K

    def psi(a: float, b: float) -> float:
        if b == 0:
            return log(1 + (exp(a) - 1) / K) - a / K
        return log(sinh(b) / b) - 1 + b / sinh(b) * (exp(a) + (K - 1) * exp(-b)) / K + ((K - 1) * b - a) / K

    total = sum(
        w**p * exp(p * order * sigma * sqrt((K - 1) / N - 1) + others * psi(order * eta, p * order * eta / N))
        for N, w in weights.items()
    )
    return exp(order * eta + (1 - 1 / p) * others * psi(order * eta, 0)) * total ** (1 / p)


def misplaced(lam: float, R: int) -> float:
    """E_{λ,R}."""
    found = 0.0
    for k in range(1, int(lam)):
        power = (k + 1) / (1 + lam)
        first = power * R / k
        found = max(found, k / R * max(first, (R / k * (1 - first**-power)) ** (1 / (1 - power))) ** -k)
    return found


FEW_ROWS = {"rows": 60, "epsilon_inner": Fraction(1, 5)}  # one record more or less in a formula shows


@pytest.mark.parametrize("changes", [{}, FEW_ROWS], ids=["many rows", "few rows"])
def test_theorem_5_agrees_with_its_formula(changes: dict[str, object]) -> None:
    design = small_design(**changes)
    g, _ = floats(design)
    K, lam, R = design.parts, 5.0, design.runs_per_part
    h = {N: g[N + 1] / (N + 1) for N in range(K)}
    enough = range(FIRST, K)
    unlike = lam**lam / (1 + lam) ** (1 + lam)
    unlike *= moment(design, lam, 3, {N: h[N] * likeness(design, N) ** -lam for N in enough})
    unseen = moment(design, 1, 4, {N: (K - N) * h[N] / N for N in enough}) / R
    unseen += misplaced(lam, R) * max(h[N] for N in enough)
    few = max(h[N] * max(1, 1 - likeness(design, N)) for N in range(FIRST))
    terms = delta_terms(design, ONE)
    assert float(terms["parts not alike"]) == pytest.approx(unlike, rel=1e-9)
    assert float(terms["unseen failures"]) == pytest.approx(unseen, rel=1e-9)
    assert float(terms["too few parts passed"]) == pytest.approx(few, rel=1e-12)
    assert terms["giving up"] == 0
    assert float(certified_delta(design)) == pytest.approx(unlike + unseen + few, rel=1e-9)


@pytest.mark.parametrize(("theorem", "t2"), [(EveryPart, 0.0), (OneSided, 0.25), (AgainstAverage, 3.0)])
def test_theorems_2_to_4_agree_with_their_formulas(theorem: type, t2: float) -> None:
    design = small_design(theorem=theorem(FIRST, Fraction(1, 4), Fraction(t2)), runs_per_part=2000)
    g, _ = floats(design)
    K, R, size, e, N0 = design.parts, design.runs_per_part, design.part_size, 0.01, FIRST
    own = exp(-2 * 0.25**2 / ((size - 1) * e * e))
    kappa, bad = {
        EveryPart: (exp(0.5), 2 * K * exp(-2 * 0.25**2 / (size * e * e))),
        OneSided: (exp(0.25 + t2 + e), own + (K - 1) * exp(-2 * t2**2 / (size * e * e))),
        AgainstAverage: (
            exp(e + 0.25 + ((K - 1) * e * sqrt(size) / 4 + t2) / N0),
            own + exp(-(t2**2) / (2 * (K - 1) * size * e * e)),
        ),
    }[theorem]
    enough = range(N0, K)
    assert kappa < min(likeness(design, N) for N in enough)
    top = max(g[N + 1] / (N + 1) for N in enough)
    unseen = kappa / R * max((K - N) * g[N + 1] / (N * (N + 1)) for N in enough) + (1 - 1 / R) ** (R - 1) / R * top
    few = max(g[N + 1] / (N + 1) * max(1, 1 - likeness(design, N)) for N in range(N0))
    if theorem is EveryPart:
        top, few = 1 / (N0 + 1), g[N0]
        unseen = (kappa * (K - 1) / (R * N0) + 1 / (R - 1)) / (exp(1) * (N0 + 1))
    assert float(certified_delta(design)) == pytest.approx(bad * top + unseen + few, rel=1e-9)
    assert (
        certified_delta(small_design(theorem=theorem(FIRST, Fraction(3), Fraction(t2)))) == 1
    )  # κ beyond what ε pays for


def test_the_independent_theorem_needs_fewer_runs_than_its_order() -> None:
    assert certified_delta(small_design(runs_per_part=4)) == 1


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.floats(-1, 1), min_size=3, max_size=9), st.floats(0.01, 2), st.floats(0.01, 1))
def test_lemma_7_bounds_every_vector_of_the_box(box: list[float], own: float, other: float) -> None:
    steps_of_record = [own * box[0], *(other * x for x in box[1:])]
    K = len(box)
    log_moment = log(sum(exp(x) for x in steps_of_record) / K) - sum(steps_of_record) / K
    bound = _record_moment(K, Fraction(own), Fraction(other))
    assert log_moment <= float(bound.upper) + 1e-12


def test_a_ladder_that_climbs_too_fast_has_no_theorem() -> None:
    step = tuple(Fraction(int(t > 30)) for t in range(41))
    assert certified_delta(small_design(pass_probabilities=step)) == 1


def test_ties_show_in_the_run_that_the_lot_names() -> None:
    tied = certified_delta(small_design(tie_delta=Fraction(1, 10**6))) - certified_delta(small_design())
    share = max(p / t for t, p in enumerate(small_design().pass_probabilities) if t)
    assert float(tied) == pytest.approx((1 + exp(1)) * 40e-6 * float(share), rel=1e-9)


def test_moments_and_calls_of_theorem_5() -> None:
    assert IndependentLabels(1, Fraction(1, 10**6), ONE, ONE).calls(3, 5) == 15
    for wrong in ((Fraction(0), ONE, ONE), (ONE, Fraction(99, 100), ONE), (ONE, ONE, Fraction(99, 100))):
        with pytest.raises(ParameterError):
            IndependentLabels(1, *wrong)


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-4"), ("5", "1e-6")])
def test_two_samples_are_ahead_of_theorem_5(epsilon: str, delta: str) -> None:
    """The reason why parts are history; the whole grid is ``python -m benchmarks.prsma theorems``."""
    task = {"epsilon": epsilon, "delta": delta, "rows": 10**6, "max_calls": 10**6 if delta == "1e-6" else 20_000}
    older = design_parts(**task)  # type: ignore[arg-type]
    assert confirmed(older)
    assert older.relative_signal > 0.3
    assert design_prsma(**task).signal > 1.3 * older.signal  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("theorem", "delta", "calls", "signal"),
    [
        ("note", "1e-6", 280_000_000, 0.0683),
        ("T2+T3", "1e-6", 5_000_000, 0.0750),
        ("T2+T4", "1e-6", 5_000_000, 0.1143),
        ("T2+T4", "1e-4", 60_000, 0.1547),
    ],
)
def test_the_older_theorems_give_the_figures_known_for_them(
    theorem: str, delta: str, calls: int, signal: float
) -> None:
    design = design_parts(epsilon=1, delta=delta, rows=10**6, max_calls=calls, theorem=theorem)
    assert confirmed(design)
    assert design.calls <= calls
    assert signal <= design.relative_signal < 1.03 * signal


def test_the_papers_constants_are_private_but_give_up_a_quarter_of_the_time() -> None:
    design = paper_design(epsilon=1, delta="1e-4", rows=10**6)
    assert confirmed(design)
    assert design.parts == 825
    assert 1.6e9 < design.calls < 1.7e9
    assert abs(float(design.beta) - 0.25) < 0.005


def test_steps_report_the_safe_side() -> None:
    for step in steps(small_design(), ONE):
        if step.weight > 0:
            assert float(step.likeness) <= likeness(small_design(), step.others) + 1e-9
