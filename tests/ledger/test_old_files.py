"""Ledgers of the first version are read as they stand, and become new ones with their next charge."""

from fractions import Fraction
from pathlib import Path

import pytest

from oracledp.errors import BudgetExceeded, ModelError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger

HEADER = '{"oracledp-ledger": 1, "epsilon": "1", "delta": "1/1000000", "neighbours": "add-remove"}\n'
LINE = '{"epsilon": "1/2", "delta": "0", "mechanism": "rspm", "assumes": ["x"], "private": false}\n'
QUARTER = Guarantee(epsilon=Fraction(1, 4), neighbours=Neighbours.DEFAULT, proof="x")


def old(path: Path, content: str) -> Ledger:
    path.write_text(content)
    return Ledger(path)


def test_reading_changes_nothing(tmp_path: Path) -> None:
    ledger = old(tmp_path / "budget.json", HEADER + LINE)
    assert ledger.remaining == (Fraction(1, 2), Fraction(1, 10**6))
    assert ledger.charges[0].assumes == ("x",)
    assert not ledger.charges[0].private
    assert (tmp_path / "budget.json").read_text() == HEADER + LINE


def test_the_next_charge_makes_it_a_new_one(tmp_path: Path) -> None:
    ledger = old(tmp_path / "budget.json", HEADER + LINE)
    ledger.charge(QUARTER, "rspm")
    assert ledger.spent == (Fraction(3, 4), 0)
    assert (tmp_path / "budget.json").read_bytes().startswith(b"SQLite")
    assert [path.name for path in tmp_path.iterdir()] == ["budget.json"]
    assert (tmp_path / "budget.json").stat().st_mode & 0o777 == 0o600
    assert ledger.verify() == 2
    ledger.charge(QUARTER, "rspm")
    with pytest.raises(BudgetExceeded):
        ledger.charge(QUARTER, "rspm")


def test_a_torn_line_was_never_sampled_and_is_dropped(tmp_path: Path) -> None:
    ledger = old(tmp_path / "budget.json", HEADER + LINE + '{"epsilon": "0.5", "del')
    assert ledger.spent == (Fraction(1, 2), 0)
    ledger.charge(QUARTER, "rspm")
    assert ledger.spent == (Fraction(3, 4), 0)


def test_a_charge_that_lost_only_its_newline_stays_spent(tmp_path: Path) -> None:
    ledger = old(tmp_path / "budget.json", (HEADER + LINE).rstrip("\n"))
    assert ledger.spent == (Fraction(1, 2), 0)
    ledger.charge(QUARTER, "rspm")
    assert ledger.spent == (Fraction(3, 4), 0)


@pytest.mark.parametrize(
    "content",
    [
        '{"oracledp-ledger": 1}\n',
        '{"oracledp-ledger": 3, "epsilon": "1", "delta": "0", "neighbours": "add-remove"}\n',
        HEADER + LINE.replace("1/2", "-1/2"),
        HEADER + '{"epsilon": "1/2"}\n',
        HEADER.replace("add-remove", "nobody"),
        HEADER.replace('"1"', '"inf"'),
    ],
)
def test_a_damaged_one_stops_everything_and_stays(tmp_path: Path, content: str) -> None:
    ledger = old(tmp_path / "budget.json", content)
    with pytest.raises(ModelError):
        ledger.charge(QUARTER, "rspm")
    assert (tmp_path / "budget.json").read_text() == content
