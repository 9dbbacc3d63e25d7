"""The meter: exact counts, declared sensitivities that hold, and a budget that cannot be exceeded."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import log

import numpy as np
import pytest

from oracledp.classes import Conjunctions
from oracledp.data.schema import Schema
from oracledp.errors import BudgetExceeded, CapacityError, ParameterError
from oracledp.privacy.gaussian_accounting import GaussianBudget
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import Randomness, SeededRandomness
from oracledp.synthesis import measurements
from oracledp.synthesis.basis import column_sets, signed_features
from oracledp.synthesis.bins import Integers, nested_bins
from oracledp.synthesis.measurements import Meter, Records
from oracledp.synthesis.measuring import measure, split

SIZES = (2, 3, 5)


class Silent(Meter):
    """A meter that charges and draws as it should, and forgets its noise."""

    def _noisy(self, counts: Integers, squared_sensitivity: int, rho: Fraction) -> tuple[Integers, Fraction]:
        _, variance = super()._noisy(counts, squared_sensitivity, rho)
        assert variance > 0
        return counts, variance


def records(codes: Integers) -> Records:
    unique, counts = np.unique(codes, axis=0, return_counts=True)
    return Records(unique, counts, SIZES, (False, False, True), (False,) * 3)


def random_codes(seed: int, rows: int = 200) -> Integers:
    rng = np.random.default_rng(seed)
    return np.stack([rng.integers(0, size, rows) for size in SIZES], axis=1)


def meter(codes: Integers, neighbours: Neighbours = Neighbours.ADD_REMOVE, rho: Fraction = Fraction(100)) -> Meter:
    return Silent(records(codes), GaussianBudget(rho), neighbours, SeededRandomness(0))


def signs() -> tuple[list[Integers], Integers, Integers]:
    masses = [np.full(size, 1 / size) for size in SIZES]
    bins = [nested_bins(mass, False, [0.0]) for mass in masses]
    features = signed_features(bins, masses, 4)
    subsets = features.subsets(column_sets(3, 3))
    return [s[bins[c].fine] for s, c in zip(features.signs, features.columns, strict=True)], features.columns, subsets


def test_tables_are_exact_counts() -> None:
    codes = random_codes(0)
    grouping = np.array([0, 0, 1, 1, 1])
    table = meter(codes).table((0, 2), (-1, 0), [np.arange(2), grouping], Fraction(1))
    expected = np.zeros((2, 2), dtype=np.int64)
    for record in codes:
        expected[record[0], grouping[record[2]]] += 1
    assert np.array_equal(table.values, expected)


def test_parities_are_exact_counts() -> None:
    codes = random_codes(1)
    sign, columns, subsets = signs()
    measured = meter(codes).parities(sign, columns, subsets, Fraction(1))
    for subset, value in zip(subsets, measured.values, strict=True):
        product = np.prod([sign[f][codes[:, columns[f]]] for f in subset], axis=0)
        assert value == product.sum()


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_declared_sensitivity_covers_every_neighbour(neighbours: Neighbours) -> None:
    """The largest squared change over all neighbours of a table equals the Δ₂² that the variance was made from."""
    codes = random_codes(2, 12)
    sign, columns, subsets = signs()
    rho = Fraction(1, 2)  # then the variance is Δ₂² itself
    domain = np.stack(np.meshgrid(*map(np.arange, SIZES), indexing="ij"), axis=-1).reshape(-1, 3)
    base = codes if neighbours is Neighbours.ADD_REMOVE else codes[1:]

    def run(data: Integers) -> list[tuple[Integers, Fraction]]:
        gauge = meter(data, neighbours)
        table = gauge.table((1, 2), (-1, -1), [np.arange(3), np.arange(5)], rho)
        parities = gauge.parities(sign, columns, subsets, rho)
        return [(table.values, table.variance), (parities.values, parities.variance)]

    before = run(codes)
    worst = [0, 0]
    for record in domain:
        for number, (values, _) in enumerate(run(np.vstack([base, record]))):
            worst[number] = max(worst[number], int(((values - before[number][0]) ** 2).sum()))
    assert worst[0] == before[0][1]
    assert worst[1] <= before[1][1]
    if neighbours is Neighbours.ADD_REMOVE:
        assert worst[1] == before[1][1] == len(subsets)
    else:
        assert before[1][1] == 4 * len(subsets)


def test_the_number_of_records_is_free_only_where_it_is_public() -> None:
    codes = random_codes(3)
    free = meter(codes, Neighbours.REPLACE_ONE)
    assert free.total(Fraction(1)) == (200, 0)
    assert free.spent == 0
    paid = meter(codes)
    assert paid.total(Fraction(1)) == (200, Fraction(1, 2))
    assert paid.spent == 1


def test_overspending_is_refused_before_noise_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(counts: Integers, variance: Fraction, source: Randomness) -> Integers:
        raise AssertionError("noise was drawn")

    monkeypatch.setattr(measurements, "noisy_counts", forbidden)
    codes = random_codes(4)
    poor = Meter(records(codes), GaussianBudget(Fraction(1, 3)), Neighbours.ADD_REMOVE, SeededRandomness(0))
    for rho in (Fraction(1, 2), Fraction(0), Fraction(-1)):
        with pytest.raises(BudgetExceeded):
            poor.total(rho)
    assert poor.spent == 0


def test_variance_is_rounded_up_never_down() -> None:
    for rho in (Fraction(1, 3), Fraction(7, 1000), Fraction(1, 10**7 + 1)):
        variance = meter(random_codes(5)).table((0,), (-1,), [np.arange(2)], rho).variance
        assert 0 <= variance - 1 / (2 * rho) < Fraction(1, 1024)


def test_measured_law_respects_the_budget() -> None:
    """Exact Rényi divergences of shifted discrete Gaussians stay below αρ, and come within 1 % of it."""
    rho = Fraction(1, 10)
    variance = float(meter(random_codes(6)).table((0,), (-1,), [np.arange(2)], rho).variance)
    points = np.arange(-400, 401)
    weights = np.exp(-(points**2) / (2 * variance))
    for order in (2, 5, 20):
        shifted = -((points - 1) ** 2) / (2 * variance) * order - points**2 / (2 * variance) * (1 - order)
        divergence = log(np.exp(shifted).sum() / weights.sum()) / (order - 1)
        assert 0.99 * order * float(rho) <= divergence <= order * float(rho) * (1 + 1e-9)


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_a_whole_run_spends_at_most_its_budget(neighbours: Neighbours) -> None:
    gauge = meter(random_codes(7, 3000), neighbours, Fraction(1, 40))
    measured = measure(gauge, 3)
    assert Fraction(99, 100) * gauge.rho <= gauge.spent <= gauge.rho
    assert {t.columns for t in measured.tables} >= {(0,), (1,), (2,)}
    covered = {t.columns for t in measured.tables if len(t.columns) == 2}
    covered |= {tuple(measured.features.columns[p.subsets][0]) for p in measured.parities if p.subsets.shape[1] == 2}
    assert len(covered) == len(list(combinations(range(3), 2)))


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_light_values_of_a_long_code_share_a_bin_with_those_that_behave_alike(neighbours: Neighbours) -> None:
    """300 codes of 100 records each fix one of 6 sites. By weight alone they would share bins at random."""
    sites = np.random.default_rng(0).integers(6, size=300)
    codes = np.stack([np.arange(300), sites], axis=1).astype(np.uint16)
    records = Records(codes, np.full(300, 100), (300, 6), (False, False), (False, False))
    gauge = Meter(records, GaussianBudget(Fraction(1, 40)), neighbours, SeededRandomness(0))
    measured = measure(gauge, 3)
    assert Fraction(99, 100) * gauge.rho <= gauge.spent <= gauge.rho
    fine, size = measured.bins[0].fine, measured.bins[0].size
    alike = np.stack([np.bincount(fine[sites == site], minlength=size) for site in range(6)])
    assert alike.max(axis=0).sum() > 0.9 * 300  # of every bin, those of its commonest site


def test_split_never_exceeds() -> None:
    rng = np.random.default_rng(8)
    for count in (1, 3, 500):
        parts = split(Fraction(1, 7), list(rng.random(count)))
        assert sum(parts) <= Fraction(1, 7)
        assert sum(parts) > Fraction(99, 700)
        assert min(parts) > 0


def test_too_many_records_are_refused() -> None:
    with pytest.raises(CapacityError, match="2\\^40"):
        Records(np.zeros((1, 1), dtype=np.int64), np.array([2**40 + 1]), (2,), (False,), (False,))


def test_selections_are_for_budgets_that_allow_them() -> None:
    """The exact Gaussian trade-off speaks of Gaussian noise alone."""
    codes = np.zeros((4, 1), dtype=np.uint8)
    meter = Meter(
        records(codes), GaussianBudget(Fraction(1), Fraction(1, 10**6)), Neighbours.ADD_REMOVE, SeededRandomness(0)
    )
    schema = Schema({"a": {"kind": "boolean"}})
    with pytest.raises(ParameterError, match="no selection"):
        meter.select(Conjunctions(schema.literals), schema, codes, 4, Fraction(1, 10))
    assert meter.spent == 0
