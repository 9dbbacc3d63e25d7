"""A part's process keeps nothing for the next one: not in memory, not in the environment, not in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import foreign_voters
import numpy as np
import pytest

from oracledp.mechanisms.votes import confinement
from oracledp.mechanisms.votes.ballots import Called
from oracledp.mechanisms.votes.confinement import confinable, confine
from oracledp.mechanisms.votes.isolation import apart

PART: Any = (np.zeros((3, 4), dtype=np.uint8), np.ones(3, dtype=np.int64))
needs_landlock = pytest.mark.skipif(confinable() < 4, reason="this kernel cannot confine a process so far")


@needs_landlock
def test_one_part_finds_nothing_of_another_though_each_leaves_marks_wherever_it_can() -> None:
    marks = [folder / foreign_voters.MARK for folder in (Path(), Path("/tmp"), Path(foreign_voters.__file__).parent)]
    first, second = (apart(Called(foreign_voters.remembers, 1), *PART) for _ in range(2))
    assert first == second == [(((), True), 8)]  # nothing found, but its own folder can be written to
    assert not any(mark.exists() for mark in marks)
    assert foreign_voters.MARKS == []


@needs_landlock
def test_the_ways_out_of_a_parts_process_are_shut() -> None:
    assert apart(Called(foreign_voters.reaches_out, 1), *PART) == [((), 8)]


def test_where_the_system_cannot_confine_a_process_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinement, "_call", lambda *_: -1)
    assert confinable() == 0
    assert not confine(tmp_path)
    monkeypatch.setattr(confinement, "_call", lambda *_: 5)
    monkeypatch.setattr(confinement.sys, "platform", "linux")
    assert confinable() == 5
    monkeypatch.setattr(confinement.sys, "platform", "win32")
    assert confinable() == 0


@pytest.mark.parametrize(("version", "net", "scoped"), [(1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 3, 0), (6, 3, 3)])
def test_nothing_is_asked_of_a_kernel_that_it_does_not_know(version: int, net: int, scoped: int) -> None:
    rules = confinement._rules(version)
    assert (rules.net, rules.scoped) == (net, scoped)
    assert [bit for bit in range(16) if rules.files >> bit & 1] == [
        1, *range(4, 13), *([13] if version >= 2 else []), *([14] if version >= 3 else [])
    ]  # fmt: skip
