"""Synthetic tables are charged by their curves, so that several fit where plain sums allow one."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import oracledp as odp
from oracledp.errors import BudgetExceeded
from oracledp.privacy.gaussian_accounting import gaussian_budget
from oracledp.randomness.source import SeededRandomness

SCHEMA = odp.Schema({"columns": {"a": {"kind": "boolean"}, "b": {"kind": "boolean"}}})
TABLE = odp.Table.from_codes(np.repeat([[0, 0], [1, 1]], 200, axis=0).astype(np.uint8), SCHEMA)


def test_four_tables_from_a_budget_that_would_pay_for_two(tmp_path: Path) -> None:
    ledger = odp.Ledger.create(tmp_path / "budget", epsilon=2, delta="1e-5", accountant="curves")
    product = odp.Synthesizer(SCHEMA, epsilon="9/10", delta="1e-6", ledger=ledger)
    assert product.guarantee.rho == gaussian_budget(Fraction(9, 10), Fraction(1, 10**6)).rho
    for seed in range(4):
        product.fit(TABLE, source=SeededRandomness(seed))
    assert ledger.spent[0] == Fraction(36, 10)
    assert all(charge.rho == product.guarantee.rho for charge in ledger.charges)
    with pytest.raises(BudgetExceeded, match="curves"):
        product.fit(TABLE, source=SeededRandomness(4))
