"""A small version of ``benchmarks.console_faults``: the server of a console killed in the middle of real runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from benchmarks.console_faults import kills, load

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the runs of a server in /proc")


@pytest.mark.parametrize("kind", ["scoring card", "synthetic table"])
def test_budget_is_never_un_spent_or_spent_twice_and_nothing_released_unpaid(tmp_path: Path, kind: str) -> None:
    """Killed as soon as it is charged, with its run (which delivers nothing) and without (which ends by itself)."""
    counted = kills(tmp_path, (kind,), ("charged",), 1)
    assert counted["errors"] == []
    assert counted["kills"] == 2
    assert sum(counted.get(f"{status}, charged", 0) for status in ("done", "lost")) == 2


def test_a_job_that_waits_goes_on_after_a_restart(tmp_path: Path) -> None:
    counted = kills(tmp_path, ("scoring card",), ("asked for",), 1)
    assert counted["right"], counted


def test_analysts_at_once_with_real_runs(tmp_path: Path) -> None:
    counted = load(tmp_path, 4)
    assert counted["right"], counted
