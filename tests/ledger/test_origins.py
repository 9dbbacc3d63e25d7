"""Data sets with a fingerprint: charges come from where they were registered, and rows play no part in it."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from in_process import invoke
from oracledp.data.schema import Schema
from oracledp.errors import BudgetExceeded, ParameterError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.privacy.ledger.origins import Origin

Run = Callable[..., tuple[int, str]]
SCHEMA = "columns:\n  smoker: {kind: boolean}\n  ill: {kind: boolean}\n"
PROMISE = Guarantee(epsilon=Fraction(1, 4), neighbours=Neighbours.DEFAULT, proof="noise")
LEARN = ("--schema", "s.yaml", "--target", "ill", "--epsilon", "1/4", "--quiet", "--ledger", "b", "--dataset", "visits")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    for name in ("d.csv", "other.csv"):
        (tmp_path / name).write_text("smoker,ill\n" + "1,1\n0,0\n" * 50)
    (tmp_path / "s.yaml").write_text(SCHEMA)
    (tmp_path / "t.yaml").write_text(
        SCHEMA.replace("smoker: {kind: boolean}", "smoker: {kind: integer, lo: 0, hi: 2, thresholds: [1]}")
    )

    def run(*arguments: str) -> tuple[int, str]:
        code, out, err = invoke(capsys, *arguments)
        return code, out + err

    assert run("budget", "create", "b", "--epsilon", "3")[0] == 0
    return run


def test_charges_come_from_where_the_data_set_was_registered(run: Run) -> None:
    code, said = run("budget", "register", "b", "visits", "--source", "d.csv", "--schema", "s.yaml", "--json")
    assert code == 0
    registered = json.loads(said)["dataset"]
    assert len(registered["fingerprint"]) == 64
    assert "key" not in registered
    assert run("learn", "d.csv", *LEARN)[0] == 0
    assert run("learn", "./d.csv", *LEARN)[0] == 0
    (one, two) = Ledger(Path("b")).charges
    assert one.fingerprint == two.fingerprint == registered["fingerprint"]
    for data, options in (("other.csv", LEARN), ("d.csv", ("--schema", "t.yaml", *LEARN[2:]))):
        code, said = run("learn", data, *options)
        assert (code, "another source, schema or person column" in said) == (3, True)
    assert len(Ledger(Path("b")).charges) == 2
    for command in ("show", "export"):
        for form in ((), ("--json",)):
            said = run("budget", command, "b", *form)[1]
            assert Ledger(Path("b")).datasets[0].key not in said  # type: ignore[operator]


def test_the_rows_play_no_part(run: Run) -> None:
    """Rows come and go at one address, and the fingerprint stays; it is keyed, so two ledgers share none."""
    ledger = Ledger(Path("b"))
    ledger.register("visits", source="d.csv")
    Path("d.csv").write_text("smoker,ill\n0,1\n")
    assert run("learn", "d.csv", *LEARN)[0] == 0
    other = Ledger.create("c", epsilon=1).register("visits", source="d.csv")
    assert other.fingerprint != ledger.datasets[0].fingerprint


def test_what_was_not_fixed_is_free(run: Run) -> None:
    ledger = Ledger(Path("b"))
    ledger.register("visits", source="d.csv")
    assert run("learn", "d.csv", *LEARN)[0] == 0
    assert run("learn", "d.csv", "--schema", "t.yaml", *LEARN[2:])[0] == 0
    with pytest.raises(BudgetExceeded, match="name the source"):
        ledger.acting(dataset="visits").charge(PROMISE, "rspm")
    ledger.acting(dataset="visits").reading("d.csv").charge(PROMISE, "rspm")
    with pytest.raises(ParameterError, match="together with a source"):
        ledger.register("more", schema=Schema.load("s.yaml"))


def test_a_person_column_can_be_fixed(run: Run) -> None:
    from dataclasses import replace

    from oracledp.data.table.unit import Unit

    ledger = Ledger.create("p", epsilon=1, unit="person")
    ledger.register("visits", source="d.csv", person="patient_id")
    acting = ledger.acting(dataset="visits").reading("d.csv", Schema.load("s.yaml"))
    acting.charge(replace(PROMISE, unit=Unit("patient_id", 2)), "rspm")
    with pytest.raises(BudgetExceeded, match="another source, schema or person column"):
        acting.charge(replace(PROMISE, unit=Unit("visit_id")), "rspm")


def test_a_data_set_that_moved_is_registered_again(run: Run) -> None:
    ledger = Ledger(Path("b"))
    ledger.register("visits", source="d.csv")
    assert run("budget", "register", "b", "visits", "--source", "other.csv")[0] == 2
    assert run("budget", "register", "b", "labs", "--source", "other.csv", "--again")[0] == 2
    assert run("budget", "register", "b", "visits", "--source", "other.csv", "--again")[0] == 0
    assert run("learn", "d.csv", *LEARN)[0] == 3
    assert run("learn", "other.csv", *LEARN)[0] == 0
    assert run("budget", "register", "b", "visits", "--again")[0] == 0
    assert run("learn", "d.csv", *LEARN)[0] == 0
    assert Ledger(Path("b")).charges[-1].fingerprint is None


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("postgresql://ada:pw@db/x?table=t", "postgres://ben@db:5432/x?sslmode=require&table=t", True),
        ("postgresql://db/x?table=t", "postgresql://db/x?table=u", False),
        ("postgresql://db/x?table=t", "postgresql://db/y?table=t", False),
        ("postgresql://db/x?table=t", "postgresql://db:5433/x?table=t", False),
        ("postgresql://db/x?table=t", "postgresql://eb/x?table=t", False),
        ("postgresql:///x?table=t&host=/a", "postgresql:///x?host=/a&sslmode=require&table=t", True),
        ("postgresql:///x?table=t&host=/a", "postgresql:///x?table=t&host=/b", False),
        ("d.csv", "sub/../d.csv", True),
        ("d.csv", "e.csv", False),
    ],
)
def test_places(one: str, two: str, same: bool) -> None:
    assert (Origin(one).place == Origin(two).place) is same
