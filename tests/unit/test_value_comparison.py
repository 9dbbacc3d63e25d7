"""Real against synthetic values on the internal page."""

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from oracledp.report.comparison import compare, groups_of
from oracledp.report.internal import internal_page
from oracledp.report.value_comparison import correlation_error, value_gaps

SCHEMA = odp.Schema({"pay": "integer 0..5000?", "age": "integer 0..99", "sick": "boolean"})


def table(shift: int, seed: int) -> odp.Table:
    generator = np.random.default_rng(seed)
    age = generator.integers(20, 80, 500)
    pay = (20 * age + generator.integers(0, 200, 500) + shift).astype(object)
    pay[:50] = None
    return odp.Table.from_frame(pd.DataFrame({"pay": pay, "age": age, "sick": age > 60}), SCHEMA)


def test_means_quantiles_and_missing_values_are_those_of_the_rows() -> None:
    real = table(0, 1)
    gap = value_gaps(real, table(500, 1))[0]
    assert gap.made.mean - gap.real.mean == pytest.approx(500)
    assert gap.made.quantiles[2] - gap.real.quantiles[2] == pytest.approx(500)
    assert gap.real.missing == pytest.approx(0.1)
    assert gap.real.deviation == pytest.approx(gap.made.deviation)
    assert gap.error > 0.3
    assert value_gaps(real, real)[1].error == 0


def test_correlations_are_compared() -> None:
    real = table(0, 1)
    assert correlation_error(real, real) == 0
    broken = odp.Table.from_codes(np.stack([real.codes[:, 0], real.codes[::-1, 1], real.codes[:, 2]], axis=1), SCHEMA)
    assert correlation_error(real, broken) > 0.2  # type: ignore[operator]


def test_long_columns_are_grouped_and_the_page_shows_values() -> None:
    real, made = table(0, 1), table(0, 2)
    groups = groups_of(real, 0)
    assert groups is not None
    assert groups[-1] <= 33
    assert groups_of(real, 1) is None
    comparison = compare(real, made, queries=5)
    assert comparison.workloads[0].mean < 0.2
    page = internal_page(comparison)
    assert "standard deviation" in page
    assert "Correlations of two columns differ by" in page
