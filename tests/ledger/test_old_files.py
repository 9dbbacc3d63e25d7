"""Ledgers of the first version are read as they stand, and become new ones with their next charge."""

from fractions import Fraction
from pathlib import Path

import pytest

from oracledp.errors import BudgetExceeded, ModelError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.privacy.ledger.chain import Link
from oracledp.privacy.ledger.file_store import write_new

HEADER = '{"oracledp-ledger": 1, "epsilon": "1", "delta": "1/1000000", "neighbours": "add-remove"}\n'
LINE = '{"epsilon": "1/2", "delta": "0", "mechanism": "rspm", "assumes": ["x"], "private": false}\n'
QUARTER = Guarantee(epsilon=Fraction(1, 4), neighbours=Neighbours.DEFAULT, proof="x")


# a ledger of version 2 as it was written before data sets had fingerprints and releases had digests
BEFORE_DIGESTS = (
    (
        "terms",
        '{"accountant":"curves","created":"2026-11-18T00:43:30+00:00","delta":"1/1000000","epsilon":"1",'
        '"neighbours":"add-remove","unit":"row"}',
        "a950e9b59afcf1524f48be05011e316fec0ee770acc28e474d15e7a62b852ca2",
    ),
    (
        "dataset",
        '{"name":"visits","note":"n","time":"2026-11-18T00:43:30+00:00"}',
        "b760f1ce59dd85f01244ec9d1593b4c614120e1edbf78a68d28c3834feac7d7a",
    ),
    (
        "limit",
        '{"actor":"each","delta":"1/1000000","epsilon":"1","period":"year","time":"2026-11-18T00:43:30+00:00"}',
        "db03ed182b86f6bd73e39baccacc9560872ab5e031848d43d7369d8d5f82f6f1",
    ),
    (
        "charge",
        '{"actor":"ada","assumes":[],"dataset":"visits","delta":"0","epsilon":"1/4","mechanism":"rspm",'
        '"private":true,"proof":"noise","release":"697feb7d4bfb646868f2c6b50f30217e","rho":"1/32",'
        '"time":"2026-11-18T00:43:30+00:00","version":"0.2.0"}',
        "54c7a6cd16417bd0e1010b7c40b8b2c1ac8b9b6ef16d0e635ca463018a18db84",
    ),
)


def test_a_ledger_from_before_digests_goes_on(tmp_path: Path) -> None:
    write_new(tmp_path / "budget", [Link(*row) for row in BEFORE_DIGESTS])
    ledger = Ledger(tmp_path / "budget").acting(dataset="visits", actor="ada")
    assert ledger.verify() == 3
    assert ledger.delivered == {}
    assert (ledger.charges[0].hashed, ledger.charges[0].fingerprint) == (None, None)
    made = ledger.releasing().charge(QUARTER, "rspm")
    ledger.deliver(made.release or "", {"rule.json": "00"})
    ledger.register("visits", source=tmp_path / "visits.csv", again=True)
    assert ledger.verify() == 6
    assert ledger.spent == (Fraction(1, 2), 0)


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
