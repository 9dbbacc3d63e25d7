"""Every file that could touch a guarantee is changed by the mutation run, or set apart with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import privacy_path
import pytest

MUTANTS = Path(privacy_path.__file__).parent


def test_every_file_of_the_rooms_is_mutated_or_set_apart() -> None:
    assert not privacy_path.unlisted(), "add these to PATTERNS of tests/mutants/privacy_path.py, or to APART with why"


def test_a_new_file_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in privacy_path.ROOMS:
        (tmp_path / room).mkdir()
    (tmp_path / "synthesis" / "peeking.py").write_text("def peek(records):\n    return records.counts\n")
    monkeypatch.setattr(privacy_path, "SOURCE", tmp_path)
    assert privacy_path.unlisted() == {"synthesis/peeking.py"}


def test_what_is_set_apart_is_there_and_reads_no_private_counts() -> None:
    """Whoever unseals, charges or draws is no mere post-processing."""
    for name, why in privacy_path.APART.items():
        text = (privacy_path.SOURCE / name).read_text()
        assert why
        assert not any(
            word in text for word in ("unseal", "SystemRandomness(", "noisy_counts(", "discrete_laplace(")
        ), name


def test_functions_that_only_guess_are_there() -> None:
    for name in privacy_path.GUESSING:
        privacy_path.skipped(privacy_path.SOURCE / name)


def test_every_explanation_is_one() -> None:
    entries = json.loads((MUTANTS / "equivalent.json").read_text())
    assert all(len(entry["key"]) == 4 and len(entry["why"]) > 40 for entry in entries)
    assert len({tuple(entry["key"]) for entry in entries}) == len(entries)
