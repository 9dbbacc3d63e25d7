"""PRSMA where the number of rows is private: a share of ε counts them first."""

from fractions import Fraction
from pathlib import Path

import pytest
from prsma_examples import ADD, LIMITED, a_design, rules, run

from oracledp.errors import BudgetExceeded
from oracledp.mechanisms.robust import Design, RobustMechanism, certified_delta
from oracledp.mechanisms.robust import mechanism as module
from oracledp.mechanisms.robust.mechanism import MeasuredRobustMechanism
from oracledp.mechanisms.row_count import SHARE, RowCount
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import SeededRandomness


def test_without_a_public_number_of_rows_a_share_of_epsilon_counts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, object]] = []

    def searched(**numbers: object) -> Design:
        asked.append(numbers)
        return a_design(rows=numbers["rows"], epsilon_inner=Fraction(1, 400))

    ledger = Ledger.create(tmp_path / "budget", epsilon=2, delta="1/100")
    monkeypatch.setattr(module, "design_prsma", searched)
    found = run(design=None, ledger=ledger)
    assert (asked[0]["epsilon"], asked[0]["rows"]) == (2 * (1 - SHARE), module.REFERENCE)
    assert ledger.spent == (2, Fraction(1, 100))
    assert (found.guarantee.epsilon, found.guarantee.neighbours) == (2, ADD)
    with pytest.raises(BudgetExceeded):
        run(design=None, ledger=ledger)


def counted() -> MeasuredRobustMechanism:
    reference = RobustMechanism.calibrate(
        rules(), a_design(rows=1 << 20, epsilon_inner=Fraction(1, 400)), neighbours=ADD, oracle=LIMITED
    )
    return MeasuredRobustMechanism(RowCount(Fraction(1)), reference, "k-hot")


@pytest.mark.parametrize("rows", [0, 1, 9, 700, 3000, 10**5, 10**9, 1 << 40])
def test_every_count_comes_to_a_confirmed_design(rows: int) -> None:
    mechanism = counted()
    found = mechanism.settled(rows, SeededRandomness(rows % 7))
    assert certified_delta(found.design) <= found.design.delta
    assert found.base.perturbation.fits(found.design.rows)
    if rows >= 3000:
        assert 0.8 * rows <= found.design.rows <= 1.2 * rows
        assert found.design.signal**2 > mechanism.reference.design.signal**2 * rows / (1 << 20) / 2
    if rows < found.design.parts:
        assert found == mechanism.reference
    assert mechanism.guarantee.epsilon == found.guarantee.epsilon + 1
