"""``python -m benchmarks.engine``: sections that can be chosen, rows that are kept, peers that find the same value."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.engine import instances, report, results
from benchmarks.engine.__main__ import bench
from benchmarks.engine.corels_command import minority
from benchmarks.engine.data import generated, load
from benchmarks.engine.measure import Settings, measure
from benchmarks.engine.suite import SECTIONS, run
from benchmarks.engine.timing import within
from benchmarks.engine.write_docs import write_docs
from click.testing import CliRunner

from oracledp.errors import ParameterError
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle

QUICK = Settings(quick=True, peers=False)


def spin() -> None:
    while True:
        pass


def test_a_call_is_stopped_at_its_limit() -> None:
    assert within(1, spin) is None


def test_every_section_is_printed() -> None:
    printed = CliRunner().invoke(bench, ["--quick", "--no-peers", "--quiet"])
    assert printed.exit_code == 0, printed.output
    assert all(name in printed.output for name in set(SECTIONS) - {"hardest"})
    assert "reached" not in printed.output
    assert "no sampler" not in printed.output


def test_peers_find_the_same_value() -> None:
    table = generated(60)
    made = instances.conjunctions(table.columns[:, :5], instances.signs("label", table.label))
    row = measure({}, made, BranchAndBoundOracle(), Settings(limit=60), ("CP-SAT", "RC2", "HiGHS", "enumeration"))
    assert all(peer["same"] for peer in row["peers"].values())


def test_rows_that_cp_sat_was_given_say_how_much_longer_it_took() -> None:
    rows = [row for name in ("lists", "crossover") for row in run(name, generated(100), Settings(quick=True, limit=5))]
    given = [row for row in rows if "CP-SAT" in row.get("peers", {}) or "cp-sat" in row.get("oracles", {})]
    assert {row["section"] for row in given} == {"lists", "crossover"}
    assert [row for row in rows if "ratio_to_cp_sat" in row] == given


def test_trees_are_found_and_drawn() -> None:
    (row,) = run("trees", generated(300), QUICK)
    assert {"first", "errors", "draw", "next_draw", "specialists"} <= set(row)


def test_without_the_folder_a_table_is_generated(tmp_path: Path) -> None:
    assert load(tmp_path).name == "generated"


def test_rows_are_kept_in_a_file_and_replaced(tmp_path: Path) -> None:
    command = ["--quick", "--only", "samples", "--quiet", "--results", str(tmp_path / "kept.json")]
    first = CliRunner().invoke(bench, [*command, "--json"])
    assert first.exit_code == 0
    assert CliRunner().invoke(bench, command).exit_code == 0
    kept = json.loads((tmp_path / "kept.json").read_text())["rows"]
    assert [row["case"] for row in kept] == [row["case"] for row in json.loads(first.output)["rows"]]


def test_a_page_and_its_pictures_are_made_from_the_rows(tmp_path: Path) -> None:
    table = generated(200)
    rows = [row for name in ("monotone", "growth", "crossover") for row in run(name, table, QUICK)]
    results.write(tmp_path / "kept.json", {"machine": {}, "rows": rows})
    (tmp_path / "engine.md").write_text("before\n<!-- table: crossover -->\nold\n<!-- end -->\nafter\n")
    made = CliRunner().invoke(write_docs, [str(tmp_path / "kept.json"), str(tmp_path)])
    assert made.exit_code == 0, made.output
    page = (tmp_path / "engine.md").read_text()
    assert page.startswith("before\n")
    assert page.endswith("<!-- end -->\nafter\n")
    assert "| halfspaces, 6 literals | 200 |" in page
    assert "old" not in page
    assert all((tmp_path / f"engine-{name}.png").stat().st_size > 1000 for name in ("peers", "growth", "crossover"))


def test_a_page_that_asks_for_an_unknown_table_is_refused() -> None:
    with pytest.raises(ParameterError, match="nonsense"):
        report.fill("<!-- table: nonsense -->\n<!-- end -->", {"rows": []})


def test_threads_say_what_the_busier_one_did() -> None:
    rows = list(run("threads", generated(300), QUICK))
    assert [row["case"].split()[0] for row in rows] == ["trees", "transform", "redraws"]
    assert all(row["speedup"] > 0 for row in rows)


def test_corels_is_told_what_no_list_can_have_right() -> None:
    features = np.array([[0], [0], [0], [1], [1]], dtype=np.uint8)
    wrong = minority(features, np.array([True, True, False, True, False]))
    assert wrong[:3].tolist() == [False, False, True]
    assert int(wrong[3:].sum()) == 1
