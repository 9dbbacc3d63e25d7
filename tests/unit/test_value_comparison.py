"""Real against synthetic values on the internal page."""

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from oracledp.errors import ParameterError
from oracledp.randomness.source import SeededRandomness
from oracledp.report.comparison import compare, groups_of
from oracledp.report.internal import internal_page
from oracledp.report.quality import quality
from oracledp.report.value_comparison import value_gaps

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
    same = quality(real, real).correlations
    assert same is not None
    assert same.pearson == same.spearman_most == 0
    broken = odp.Table.from_codes(np.stack([real.codes[:, 0], real.codes[::-1, 1], real.codes[:, 2]], axis=1), SCHEMA)
    found = quality(real, broken).correlations
    assert found is not None
    assert min(found.pearson, found.spearman) > 0.2


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


PEOPLE = odp.Schema({"pay": "integer 0..5000", "age": "integer 0..99", "sex": "f | m", "sick": "boolean"})


def people(seed: int, *, tied: bool = True) -> odp.Table:
    """Pay follows age and sex, illness follows age; or nothing follows anything."""
    generator = np.random.default_rng(seed)
    age = generator.integers(20, 80, 2000)
    male = generator.random(2000) < 0.5
    other = age if tied else generator.permutation(age)
    pay = 30 * other + 500 * (male if tied else generator.permutation(male)) + generator.integers(0, 200, 2000)
    sex, sick = np.where(male, "m", "f"), (age if tied else generator.permutation(age)) > 60
    return odp.Table.from_frame(pd.DataFrame({"pay": pay, "age": age, "sex": sex, "sick": sick}), PEOPLE)


def test_groups_models_and_neighbours_tell_good_rows_from_bad_ones() -> None:
    good, bad = quality(people(1), people(2)), quality(people(1), people(2, tied=False))
    by_sex = [next(gap for gap in found.groups if (gap.column, gap.by) == ("pay", "sex")) for found in (good, bad)]
    assert by_sex[0].error < 0.1 < by_sex[1].error
    for one, other in zip(good.models, bad.models, strict=True):
        assert one.real == other.real > 0.8
        assert one.synthetic > 0.8 > other.synthetic
    assert [found.target for found in good.models] == ["sick = false", "the rank of age"]
    assert good.neighbours.synthetic < bad.neighbours.synthetic
    copied = quality(people(1), people(1)).neighbours
    assert copied.synthetic_equal > copied.real_equal
    assert (good.values[0].distinct[0] > 500) & (good.values[0].wasserstein < 0.1)


def test_quality_of_a_synthesizer_is_marked_and_takes_a_target() -> None:
    rows = people(1)
    made = odp.Synthesizer(PEOPLE, epsilon=5, delta="1e-6").fit(rows, source=SeededRandomness(1))
    found = made.quality(rows, target="pay")
    assert str(found).startswith("INTERNAL – NOT PRIVATE")
    assert found.to_json()["private"] is False
    assert [model.target for model in found.models] == ["the rank of pay"]
    with pytest.raises(ParameterError, match="no column 'wage'"):
        made.quality(rows, target="wage")
    with pytest.raises(ParameterError, match="no rows"):
        made.quality(odp.Table.from_codes(np.zeros((0, 4), dtype=np.uint8), PEOPLE))
    page = internal_page(compare(rows, rows))
    assert "medians by group" in page
    assert "no measure of privacy" in page


def test_columns_without_any_number_or_with_missing_values_alone_are_compared() -> None:
    schema = odp.Schema({"a": "x | y?", "n": "integer 0..9?"})
    rows = odp.Table.from_columns({"a": ["x", None] * 200, "n": [None] * 400}, schema)
    found = quality(rows, rows)
    assert found.correlations is None
    assert found.texts[0].distance == 0
    assert found.groups == ()
    assert str(found)
