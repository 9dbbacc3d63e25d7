"""``oracledp bench oracles``: sections that can be chosen, rows that are kept, peers that find the same value."""

import json
from pathlib import Path

from click.testing import CliRunner

from oracledp.benchmarking import instances
from oracledp.benchmarking.data import generated, load
from oracledp.benchmarking.measure import Settings, measure
from oracledp.benchmarking.suite import SECTIONS, run
from oracledp.benchmarking.timing import within
from oracledp.cli import cli
from oracledp.oracles.branch_and_bound import BranchAndBoundOracle

QUICK = Settings(quick=True, peers=False)
NO_SAMPLER = "no sampler for this class"


def spin() -> None:
    while True:
        pass


def test_a_call_is_stopped_at_its_limit() -> None:
    assert within(1, spin) is None


def test_every_quick_section_finds_proven_answers() -> None:
    table = generated(300)
    rows = [row for name in SECTIONS for row in run(name, table, QUICK)]
    assert {row["section"] for row in rows} == set(SECTIONS) - {"hardest"}
    assert not [
        row["case"] for row in rows if row.get("failed", "no sampler for this class") != "no sampler for this class"
    ]
    assert all(row["again"] >= 0 for row in rows if "again" in row)


def test_peers_find_the_same_value() -> None:
    table = generated(60)
    made = instances.conjunctions(table.columns[:, :5], instances.signs("label", table.label))
    row = measure({}, made, BranchAndBoundOracle(), Settings(limit=60), ("CP-SAT", "RC2", "HiGHS", "enumeration"))
    assert all(peer["same"] for peer in row["peers"].values())


def test_without_the_folder_a_table_is_generated(tmp_path: Path) -> None:
    assert load(tmp_path).name == "generated"


def test_rows_are_kept_in_a_file_and_replaced(tmp_path: Path) -> None:
    command = ["bench", "oracles", "--quick", "--only", "samples", "--quiet", "--results", str(tmp_path / "kept.json")]
    first = CliRunner().invoke(cli, [*command, "--json"])
    assert first.exit_code == 0
    assert CliRunner().invoke(cli, command).exit_code == 0
    kept = json.loads((tmp_path / "kept.json").read_text())["rows"]
    assert [row["case"] for row in kept] == [row["case"] for row in json.loads(first.output)["rows"]]
