"""What single values mean, at the edges: categories of numbers, truth values, rounded numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from oracledp.data.schema import Schema
from oracledp.data.table.flaws import Flaw, flaw_code, missing_code
from oracledp.data.table.values import code_of

NUMBERS = Schema({"n": {"kind": "categorical", "values": [1, 2, 30], "nullable": True}})["n"]
WORDS = Schema({"n": {"kind": "categorical", "values": ["a", "2"]}})["n"]
TRUTH = Schema({"n": {"kind": "boolean"}})["n"]


@pytest.mark.parametrize("value", [2, "2", 2.0, " 2 ", np.int8(2), Decimal(2), "2.0"])
def test_a_number_is_the_same_category_however_it_is_stored(value: Any) -> None:
    assert code_of(NUMBERS, value) == 1


@pytest.mark.parametrize("value", [None, float("nan"), "", "nan"])
def test_no_number_is_missing(value: Any) -> None:
    assert code_of(NUMBERS, value) == missing_code(NUMBERS)


@pytest.mark.parametrize("value", [3, "x", 2.5, 10**50, [1]])
def test_other_numbers_are_unlisted(value: Any) -> None:
    assert code_of(NUMBERS, value) == flaw_code(NUMBERS, Flaw.UNLISTED)


def test_texts_and_digits() -> None:
    assert [code_of(WORDS, value) for value in ("a", "2", 2, 2.0)] == [0, 1, 1, 1]
    assert code_of(WORDS, "b") == flaw_code(WORDS, Flaw.UNLISTED)
    assert code_of(WORDS, None) == missing_code(WORDS)


def test_truth() -> None:
    assert [code_of(TRUTH, value) for value in (True, "yes", 1, 1.0, "TRUE", Decimal(1))] == [1] * 6
    assert [code_of(TRUTH, value) for value in (False, "no", 0, 0.0, " false", np.False_)] == [0] * 6
    assert {code_of(TRUTH, value) for value in (2, 0.5, "maybe", Decimal("0.999999999999999999999"))} == {
        flaw_code(TRUTH, Flaw.MALFORMED)
    }
