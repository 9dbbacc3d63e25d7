"""A schema and rows from one budget: what is shared out, what is refused before it is paid, what comes out."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from oracledp.errors import DataError, NothingDescribed, OracleDPError, ParameterError
from oracledp.mechanisms.private_schema import SchemaInference
from oracledp.privacy.gaussian_accounting import gaussian_budget
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.synthesis import synthesizer as synthesizer_module
from oracledp.synthesis.raw import RawSynthesis

ROWS = 8000


def people() -> pd.DataFrame:
    generator = np.random.default_rng(3)
    rich = generator.random(ROWS) < 0.4
    return pd.DataFrame(
        {
            "case_id": np.arange(ROWS),
            "pay": np.where(rich, generator.normal(90, 9, ROWS), generator.normal(50, 9, ROWS)).round().astype(int),
            "town": generator.choice(["Bern", "Basel", "Chur"], ROWS, p=[0.5, 0.3, 0.2]),
            "rich": np.where(rich, "yes", "no"),
        }
    )


def made(data: Any, **options: Any) -> tuple[Any, odp.Synthesizer]:
    given = {"epsilon": 1, "delta": "1e-6", "source": odp.SeededRandomness(4)} | options
    return odp.synthesize_raw(data, **given)


def test_values_texts_and_dependence_come_through_and_ids_stay_out() -> None:
    frame = people()
    found, synthesizer = made(frame)
    rows = synthesizer.sample(seed=1)
    assert list(rows) == ["pay", "town", "rich"]
    assert set(found.left_out) == {"case_id"}
    assert abs(rows["pay"].mean() - frame["pay"].mean()) < 1
    assert abs((rows["town"] == "Bern").mean() - 0.5) < 0.02
    gap = rows.groupby("rich")["pay"].mean()
    assert gap["yes"] - gap["no"] > 30
    assert found.schema.bought is not None
    assert synthesizer.schema.bought is None  # its price is in the one guarantee, and not to be added once more
    assert str(synthesizer.guarantee_).startswith("NOT PRIVATE")


def test_both_parts_are_one_budget() -> None:
    inference = SchemaInference(3, Fraction(1), Fraction(1, 10**6), Neighbours.ADD_REMOVE)
    whole = gaussian_budget(Fraction(1) - Fraction(1, 10**6), Fraction(19, 20 * 10**6))
    first, second = RawSynthesis(inference, Fraction(1, 10), "marginals:3").parts
    assert first.rho + second.rho == whole.rho
    assert whole.apart is not None
    assert first.apart is not None
    assert second.apart is not None
    assert first.apart + second.apart == whole.apart
    assert first.bits(66) == whole.bits(66) == second.bits(66)
    assert inference.rare * 3 * 20 == Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"share": 1}, "between 1/1000 and 999/1000"),
        ({"share": 0}, "share"),
        ({"share": "1e-30"}, "between 1/1000 and 999/1000"),
        ({"share": 1 - Fraction(1, 10**30)}, "between 1/1000 and 999/1000"),
        ({"workload": "conjunctions:2"}, "marginals:1"),
        ({"workload": "pay >= 50"}, "marginals:1"),
        ({"epsilon": 0}, "epsilon"),
        ({"delta": 0}, "delta"),
        ({"person": "nobody"}, "nobody"),
        ({"rows_per_person": 2}, "person"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_charged(
    options: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    ledger = odp.Ledger.create(tmp_path / "study.ledger", epsilon=3, delta="1e-5")
    with pytest.raises(OracleDPError, match=problem):
        made(people(), ledger=ledger, **options)
    assert ledger.spent == (0, 0)


def test_one_charge_for_both(tmp_path: Path) -> None:
    ledger = odp.Ledger.create(tmp_path / "study.ledger", epsilon=3, delta="1e-5")
    made(people(), ledger=ledger, source=odp.SystemRandomness())
    assert ledger.spent == (1, Fraction(1, 10**6))


def test_a_check_of_the_columns_comes_before_the_charge(tmp_path: Path) -> None:
    ledger = odp.Ledger.create(tmp_path / "study.ledger", epsilon=3, delta="1e-5")

    def refuse(columns: int) -> None:
        raise ParameterError(f"{columns} columns")

    with pytest.raises(ParameterError, match="3 columns"):
        made(people(), ledger=ledger, check=refuse)
    assert ledger.spent == (0, 0)


def test_persons_are_protected_by_both_readings() -> None:
    frame = people().assign(who=np.arange(ROWS) // 2).drop(columns="case_id")
    _, synthesizer = made(frame, epsilon=2, person="who", rows_per_person=2, source=odp.SystemRandomness())
    promised = synthesizer.guarantee_
    assert promised.unit.person == "who"
    assert promised.epsilon == 2
    assert promised.delta <= Fraction(1, 10**6)
    assert "who" not in synthesizer.schema.names


@pytest.mark.parametrize("share", ["0.001", "0.999"])
def test_the_least_shares_are_carried_out(share: str) -> None:
    found, synthesizer = made(people(), epsilon=4, share=share)
    assert found.to_json()["share"] == str(Fraction(share))
    assert synthesizer.sample(10, seed=0).shape[0] == 10


class Failed(Exception):
    """What a fit may die of."""


def test_the_schema_is_handed_out_before_anything_else_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []
    found, _ = made(people(), on_schema=heard.append)
    assert heard == [found]

    def fail(*arguments: object) -> None:
        raise Failed

    monkeypatch.setattr(synthesizer_module, "fit_mixture", fail)
    with pytest.raises(Failed):
        made(people(), on_schema=heard.append)
    assert heard[1] == heard[0], "with all its words, and the same guarantee"
    assert str(heard[1].guarantee).startswith("NOT PRIVATE")


def test_rows_that_no_column_can_be_described_of_say_so() -> None:
    with pytest.raises(
        NothingDescribed, match="the whole budget is spent, that of the rows too: give a larger epsilon"
    ):
        made(pd.DataFrame({"note": [f"text {number}" for number in range(50)]}))


def test_no_table_is_refused_in_one_line() -> None:
    with pytest.raises(DataError, match="frame or a file name"):
        made(object())


def test_too_many_columns_are_refused_before_anything_is_paid(tmp_path: Path) -> None:
    frame = pd.DataFrame({f"c{number}": ["a", "b"] * 50 for number in range(501)})
    ledger = Ledger.create(tmp_path / "ledger", epsilon=2, delta="1e-5")
    with pytest.raises(ParameterError, match="501 columns: at most 500 are synthesized together"):
        odp.synthesize_raw(frame, epsilon=1, delta="1e-6", ledger=ledger)
    schema = odp.Schema(dict.fromkeys(frame, "a | b"))
    with pytest.raises(ParameterError, match="501 columns"):
        odp.Synthesizer(schema, epsilon=1, delta="1e-6", ledger=ledger).fit(frame)
    assert ledger.charges == ()
