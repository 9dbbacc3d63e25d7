"""The figures of the internal page against brute force, and its refusals."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas
import pytest

import oracledp as odp
from oracledp.data.literals import Literal
from oracledp.errors import ParameterError
from oracledp.randomness.source import SeededRandomness
from oracledp.report import internal_comparison
from oracledp.report.comparison import MOST_SETS, column_sets, compare
from oracledp.report.fit import fit_quality, query_share
from oracledp.report.internal import FILE_NAME
from oracledp.report.synthetic import synthetic_page
from oracledp.report.workloads import KINDS, Workquery, random_queries, shares
from oracledp.synthesis import Synthesizer

SCHEMA = odp.Schema(
    {
        "columns": {
            "age": {"kind": "integer", "lo": 0, "hi": 19},
            "colour": {"kind": "categorical", "values": ["red", "green", "blue"], "nullable": True},
            "sick": {"kind": "boolean"},
        }
    }
)


def frame(seed: int, rows: int = 300) -> pandas.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 20, rows)
    colour = [("red", "green", "blue", None)[i] for i in rng.integers(0, 4, rows)]
    return pandas.DataFrame({"age": age, "colour": colour, "sick": rng.random(rows) < age / 20})


def table(seed: int, rows: int = 300) -> odp.Table:
    return odp.Table.from_frame(frame(seed, rows), SCHEMA)


@pytest.mark.parametrize(
    ("query", "meaning"),
    [
        (("conjunctions",), lambda f: (f.age >= 10) & f.sick),
        (("disjunctions",), lambda f: (f.age >= 10) | f.sick),
        (("parities",), lambda f: (f.age >= 10) ^ f.sick),
        (("halfspaces", (1, -1), 1), lambda f: (f.age >= 10) & ~f.sick),
    ],
)
def test_shares_count_what_the_query_says(query: tuple[object, ...], meaning: object) -> None:
    kind, *rest = query
    asked = Workquery(kind, (Literal("age", ">=", 10), Literal.boolean("sick")), *rest)  # type: ignore[arg-type]
    assert shares([asked], table(1))[0] == pytest.approx(meaning(frame(1)).mean())  # type: ignore[operator]


@pytest.mark.parametrize("kind", KINDS)
def test_random_queries_are_about_real_records(kind: str) -> None:
    real = table(2)
    queries = random_queries(real, kind, 200, np.random.default_rng(0))
    found = shares(queries, real)
    assert all(len({literal.column for literal in query.literals}) == len(query.literals) for query in queries)
    if kind in ("conjunctions", "halfspaces", "disjunctions"):
        assert found.min() > 0
    assert np.mean((found > 0) & (found < 1)) > 0.02


def test_a_table_is_no_distance_from_itself() -> None:
    found = compare(table(3), table(3), queries=50)
    assert [workload.largest for workload in found.workloads] == [0.0] * 7
    assert all(workload.resampled > 0 for workload in found.workloads)


def test_marginal_errors_match_brute_force() -> None:
    real, made = frame(4).fillna("none"), frame(5, 200).fillna("none")
    found = {w.workload: w for w in compare(table(4), table(5, 200), queries=10).workloads}
    for order, name in ((1, "marginals of 1 column"), (2, "marginals of 2 columns"), (3, "marginals of 3 columns")):
        gaps = [
            (real.value_counts(list(c)) / 300).sub(made.value_counts(list(c)) / 200, fill_value=0).abs()
            for c in combinations(real.columns, order)
        ]
        assert found[name].largest == pytest.approx(max(gap.max() for gap in gaps))
        assert found[name].mean == pytest.approx(np.mean([gap.sum() / 2 for gap in gaps]))
        assert found[name].worst[0].error == pytest.approx(found[name].largest)


def test_many_sets_of_columns_are_sampled() -> None:
    chosen = column_sets(40, 3, np.random.default_rng(0))
    assert len(set(chosen)) == MOST_SETS
    assert len(column_sets(10, 3, np.random.default_rng(0))) == 120


def test_the_file_name_must_say_internal(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="must contain 'internal'"):
        internal_comparison(table(1), table(2), tmp_path / "report.html")
    written = internal_comparison(table(1), table(2), tmp_path / FILE_NAME)
    text = written.read_text(encoding="utf-8")
    assert text.count("INTERNAL – NOT PRIVATE") >= 3
    assert "http" not in text
    assert len(text) < 200_000


def test_frames_need_a_schema_and_tables_the_same_one(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="pass schema="):
        internal_comparison(frame(1), frame(2), tmp_path / FILE_NAME)
    other = odp.Schema({"columns": {"sick": {"kind": "boolean"}}})
    with pytest.raises(ParameterError, match="different schemas"):
        internal_comparison(table(1), odp.Table.from_frame(frame(2), other), tmp_path / FILE_NAME)
    assert internal_comparison(frame(1), frame(2), tmp_path / FILE_NAME, schema=SCHEMA).exists()


def test_fit_quality_is_in_units_of_noise() -> None:
    fitted = Synthesizer(SCHEMA, epsilon=1, delta="1e-6").fit(frame(6, 3000), source=SeededRandomness(1))
    quality = fit_quality(fitted.model_)
    assert {name for name, _, _ in quality} >= {"1-way tables"}
    assert all(0 < distance < 3 for _, _, distance in quality)


def test_single_queries_of_the_game_are_on_the_release_page() -> None:
    workload = {"marginals:2": 1, ("age >= 10", "sick"): 1, "halfspaces": 1}
    fitted = Synthesizer(SCHEMA, epsilon=5, delta="1e-6", workload=workload)
    fitted.fit(frame(7, 3000), source=SeededRandomness(2))
    model = fitted.model_
    text = synthetic_page(model)
    assert "Single queries" in text
    assert "(age &gt;= 10) and sick" in text
    rows = odp.Table.from_frame(fitted.sample(200_000, seed=1), SCHEMA)
    for group in model.queries:
        for query in group.queries:
            sampled = rows.counts[query.values(rows.codes.astype(np.int64))].sum() / rows.rows
            assert query_share(model, query) == pytest.approx(sampled, abs=0.01)
