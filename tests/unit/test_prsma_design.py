"""Certified designs: the checker against formulas written out again, and the claims of the designer."""

from dataclasses import replace
from fractions import Fraction
from math import exp, log, sinh, sqrt

import pytest
from experiments.paper_constants import paper_design
from hypothesis import given, settings
from hypothesis import strategies as st

from oracledp.errors import ParameterError
from oracledp.mechanisms.robust.delta import certified_delta, certified_epsilon, confirmed, delta_terms, steps
from oracledp.mechanisms.robust.design import Design
from oracledp.mechanisms.robust.designer import design_prsma
from oracledp.mechanisms.robust.laplace_test import laplace_table
from oracledp.mechanisms.robust.theorem_equal import AgainstAverage, EveryPart, OneSided
from oracledp.mechanisms.robust.theorem_independent import IndependentLabels, _record_moment
from oracledp.privacy.guarantee import Neighbours

ONE = Fraction(1)


def small_design(**changes: object) -> Design:
    basis = Design(
        epsilon=ONE,
        delta=Fraction(1, 100),
        rows=4000,
        parts=40,
        runs_per_part=500,
        epsilon_inner=Fraction(1, 100),
        pass_probabilities=laplace_table(40, Fraction(3, 5), 30),
        minimum_passing=15,
        theorem=IndependentLabels(Fraction(5), Fraction(3), Fraction(4)),
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
    enough = range(design.minimum_passing, K)
    unlike = lam**lam / (1 + lam) ** (1 + lam)
    unlike *= moment(design, lam, 3, {N: h[N] * likeness(design, N) ** -lam for N in enough})
    unseen = moment(design, 1, 4, {N: (K - N) * h[N] / N for N in enough}) / R
    unseen += misplaced(lam, R) * max(h[N] for N in enough)
    few = max(h[N] * max(1, 1 - likeness(design, N)) for N in range(design.minimum_passing))
    terms = delta_terms(design, ONE)
    assert float(terms["parts not alike"]) == pytest.approx(unlike, rel=1e-9)
    assert float(terms["unseen failures"]) == pytest.approx(unseen, rel=1e-9)
    assert float(terms["too few parts passed"]) == pytest.approx(few, rel=1e-12)
    assert terms["giving up"] == 0
    assert float(certified_delta(design)) == pytest.approx(unlike + unseen + few, rel=1e-9)


@pytest.mark.parametrize(("theorem", "t2"), [(EveryPart, 0.0), (OneSided, 0.25), (AgainstAverage, 3.0)])
def test_theorems_2_to_4_agree_with_their_formulas(theorem: type, t2: float) -> None:
    design = small_design(theorem=theorem(Fraction(1, 4), Fraction(t2)), runs_per_part=2000)
    g, _ = floats(design)
    K, R, size, e, N0 = design.parts, design.runs_per_part, design.part_size, 0.01, design.minimum_passing
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
    assert certified_delta(small_design(theorem=theorem(Fraction(3), Fraction(t2)))) == 1  # κ beyond what ε pays for


def test_the_independent_theorem_needs_fewer_runs_than_its_order() -> None:
    assert certified_delta(small_design(runs_per_part=4)) == 1


def test_delta_falls_with_epsilon_and_runs_and_rises_with_the_inner_epsilon_and_ties() -> None:
    basis = certified_delta(small_design())
    assert certified_delta(small_design(), Fraction(3, 2)) < basis < certified_delta(small_design(), Fraction(4, 5))
    assert certified_delta(small_design(runs_per_part=250)) > basis
    assert certified_delta(small_design(epsilon_inner=Fraction(1, 50))) > basis
    tied = certified_delta(small_design(tie_delta=Fraction(1, 10**6)))
    share = max(p / t for t, p in enumerate(small_design().pass_probabilities) if t)
    assert float(tied - basis) == pytest.approx((1 + exp(1)) * 40e-6 * float(share), rel=1e-9)


def test_certified_epsilon_is_the_least_on_its_grid() -> None:
    design = small_design(delta=certified_delta(small_design(), Fraction(9, 10)))
    found = certified_epsilon(design)
    assert certified_delta(design, found) <= design.delta < certified_delta(design, found - Fraction(1, 10**6))
    assert found <= Fraction(9, 10)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.floats(-1, 1), min_size=3, max_size=9), st.floats(0.01, 2), st.floats(0.01, 1))
def test_lemma_7_bounds_every_vector_of_the_box(box: list[float], own: float, other: float) -> None:
    steps_of_record = [own * box[0], *(other * x for x in box[1:])]
    K = len(box)
    log_moment = log(sum(exp(x) for x in steps_of_record) / K) - sum(steps_of_record) / K
    bound = _record_moment(K, Fraction(own), Fraction(other))
    assert log_moment <= float(bound.upper) + 1e-12


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
        {"minimum_passing": 15.5},
        {"minimum_passing": 40},
        {"runs_per_part": 1},
        {"epsilon_inner": 0.01},
        {"parts": 41},
        {"pass_probabilities": tuple(Fraction(i, 40) for i in range(1, 42))},
        {"pass_probabilities": (Fraction(0), *(Fraction(1, i) for i in range(1, 41)))},
        {"rows": 39},
    ],
)
def test_a_design_that_makes_no_sense_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        small_design(**changes)


def test_a_ladder_that_climbs_too_fast_has_no_theorem() -> None:
    step = tuple(Fraction(int(t > 30)) for t in range(41))
    assert certified_delta(small_design(pass_probabilities=step)) == 1


def test_a_claim_of_no_epsilon_or_of_all_delta_is_never_confirmed() -> None:
    good = small_design(delta=certified_delta(small_design()))
    assert confirmed(good)
    assert not confirmed(replace(good, delta=good.delta * Fraction(999, 1000)))
    assert not confirmed(replace(good, epsilon=Fraction(0)))
    assert not confirmed(replace(good, delta=ONE))


def test_equal_parts_promise_nothing_under_add_remove() -> None:
    design = small_design(theorem=OneSided(ONE, ONE))
    assert design.guarantee(Neighbours.REPLACE_ONE).robust
    with pytest.raises(ParameterError, match="add/remove"):
        design.guarantee(Neighbours.ADD_REMOVE)
    assert small_design().guarantee(Neighbours.ADD_REMOVE).robust


def test_the_base_is_calibrated_to_half_under_add_remove() -> None:
    assert small_design().base_epsilon == Fraction(1, 200)
    assert small_design(theorem=OneSided(ONE, ONE)).base_epsilon == Fraction(1, 100)


# ---- the designer ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("theorem", "delta", "calls", "beta", "signal"),
    [
        ("auto", "1e-6", 10**6, "2/100", 0.50),
        ("auto", "1e-4", 50_000, "2/100", 0.56),
        ("independent", "1e-4", 10**5, "1/100", 0.32),
    ],
)
def test_the_designer_beats_its_goals(theorem: str, delta: str, calls: int, beta: str, signal: float) -> None:
    """In units of sqrt(n), at n = 10^6."""
    design = design_prsma(epsilon=1, delta=delta, rows=10**6, max_calls=calls, beta=beta, theorem=theorem)
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
    design = design_prsma(epsilon=1, delta=delta, rows=10**6, max_calls=calls, theorem=theorem)
    assert confirmed(design)
    assert design.calls <= calls
    assert signal <= design.relative_signal < 1.03 * signal


def test_what_cannot_be_designed_is_refused_with_advice() -> None:
    with pytest.raises(ParameterError, match="allow more calls"):
        design_prsma(epsilon=1, delta="1e-9", rows=20, max_calls=100)
    with pytest.raises(ParameterError, match="theorem must be one of"):
        design_prsma(epsilon=1, delta="1e-6", rows=1000, theorem="best")
    with pytest.raises(ParameterError, match="max_calls"):
        design_prsma(epsilon=1, delta="1e-6", rows=1000, max_calls=0)


def test_the_papers_constants_are_private_but_give_up_a_quarter_of_the_time() -> None:
    design = paper_design(epsilon=1, delta="1e-4", rows=10**6)
    assert confirmed(design)
    assert design.parts == 825
    assert 1.6e9 < design.calls < 1.7e9
    assert abs(float(design.beta) - 0.25) < 0.005


def test_the_json_of_a_design_has_the_names_that_readers_expect() -> None:
    data = small_design().to_json()
    names = {"parts", "runs_per_part", "part_size", "epsilon_inner", "epsilon_test", "threshold", "minimum_passing"}
    assert names | {"delta_terms", "theorem", "signal", "beta"} <= set(data)
    assert data["threshold"] == 30
    assert data["epsilon_test"] == pytest.approx(-log(0.6), abs=1e-6)


@pytest.mark.parametrize("ratio", [Fraction(3, 5), Fraction(9, 10)])
@pytest.mark.parametrize("minimum", [1, 15, 28, 35, 39])
def test_the_loss_of_the_test_counts_both_of_its_outcomes(ratio: Fraction, minimum: int) -> None:
    for table in (laplace_table(40, ratio, 30), tuple(Fraction(t, 40) ** 3 for t in range(41))):
        design = small_design(pass_probabilities=table, minimum_passing=minimum)
        pairs = [(float(table[t]), float(table[t + 1])) for t in range(minimum, 40)]
        goes_on = max(log(after / before) for before, after in pairs if before > 0)
        gives_up = max((log((1 - before) / (1 - after)) for before, after in pairs if after < 1), default=0.0)
        assert 0 <= float(design.epsilon_test) - max(goes_on, gives_up) < 2e-6


def test_steps_report_the_safe_side() -> None:
    for step in steps(small_design(), ONE):
        if step.weight > 0:
            assert float(step.likeness) <= likeness(small_design(), step.others) + 1e-9
