"""Entries, limits, events, witnesses and stores of a ledger, one number or one word at a time."""

from __future__ import annotations

import getpass
from fractions import Fraction
from math import exp
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from oracledp.data.schema import Schema
from oracledp.errors import BudgetExceeded, ModelError, ParameterError
from oracledp.privacy.ledger import Charge, Ledger, showing
from oracledp.privacy.ledger.chain import START, Link, checked
from oracledp.privacy.ledger.entries import Delivered, GivenUp, Reservation, Terms
from oracledp.privacy.ledger.entry import LONGEST_NAME, Entry, short_text
from oracledp.privacy.ledger.events import event_of
from oracledp.privacy.ledger.file_store import FileStore
from oracledp.privacy.ledger.limits import Limit
from oracledp.privacy.ledger.old_file import old_links
from oracledp.privacy.ledger.rules import Standing, admitted
from oracledp.privacy.ledger.server_store import ServerStore, _ServerLog
from oracledp.privacy.ledger.spending import refuse_beyond
from oracledp.privacy.ledger.stamps import user
from oracledp.privacy.ledger.witness import create_witness, refuse_rolled_back, remember

ONE, NONE = Fraction(1), Fraction(0)
TERMS = Terms(epsilon=ONE, delta=NONE, neighbours="add-remove")


def chain(count: int) -> list[Link]:
    links = [Link.after(START, TERMS)]
    for number in range(1, count):
        links.append(Link.after(links[-1].digest, Charge(epsilon=ONE / 100, delta=NONE, mechanism=f"m{number}")))
    return links


def test_the_longest_name() -> None:
    assert LONGEST_NAME == 200  # what the documentation says
    assert short_text("x" * 200, "purpose") == "x" * 200
    for text in ("x" * 201, "", "  ", "a\nb"):
        with pytest.raises(ParameterError, match="purpose must be a printable text"):
            short_text(text, "purpose")


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_a_pure_charge_is_randomised_response_between_two(epsilon: str) -> None:
    """With probability p a fair coin is told instead of the truth: the odds (1 - p/2) : p/2 must be e^ε."""
    event = event_of(Charge(epsilon=Fraction(epsilon), delta=NONE, mechanism="m"))
    assert (event["event"], event["num_buckets"]) == ("RandomizedResponseDpEvent", 2)
    odds = (1 - event["noise_parameter"] / 2) / (event["noise_parameter"] / 2)
    assert odds == pytest.approx(exp(float(Fraction(epsilon))))
    assert event_of(Charge(epsilon=ONE, delta=ONE / 9, mechanism="m")) == {"event": "UnsupportedDpEvent"}


def test_a_limit_in_words() -> None:
    assert Limit(epsilon=ONE, delta=NONE).words == "everything: epsilon 1, delta 0"
    assert Limit(epsilon=ONE, delta=NONE, period="day").words == "per day: epsilon 1, delta 0"


def test_who_charges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    monkeypatch.delenv("ORACLEDP_ACTOR", raising=False)
    assert user() == "ada"
    monkeypatch.setenv("ORACLEDP_ACTOR", "grace")
    assert user() == "grace"


def test_a_witness_tells_how_much_shorter_a_copy_is(tmp_path: Path) -> None:
    links, path = chain(4), tmp_path / "witness"
    create_witness(path, links[0])
    remember(path, links)
    assert [refuse_rolled_back(path, links[:kept], "copy", copy=True) for kept in (4, 3, 1)] == [0, 1, 3]
    longer = [*links, Link.after(links[-1].digest, Charge(epsilon=ONE / 100, delta=NONE, mechanism="more"))]
    assert refuse_rolled_back(path, longer, "ledger") == 0
    with pytest.raises(ModelError, match="rolled back"):
        refuse_rolled_back(path, links[:3], "ledger")


def test_a_chain_begins_with_its_terms() -> None:
    terms, entries = checked(chain(1), "ledger")
    assert (terms, entries) == (TERMS, ())
    charge = Charge(epsilon=ONE, delta=NONE, mechanism="m")
    with pytest.raises(ModelError, match="not a readable ledger"):
        checked([Link.after(START, charge)], "ledger")
    with pytest.raises(ModelError, match="changed by hand: entry 1"):
        checked([chain(2)[0], Link.after(START, charge)], "ledger")


@pytest.mark.parametrize("version", [1, 2])
def test_old_ledgers_have_one_version(version: int, tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text(f'{{"oracledp-ledger": {version}, "epsilon": "1", "delta": "0", "neighbours": "add-remove"}}\n')
    if version == 1:
        assert len(old_links(path)) == 1
    else:
        with pytest.raises(ModelError, match="not a readable ledger"):
            old_links(path)


def test_a_damaged_file_is_not_taken_for_a_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    path.write_bytes(b"SQLite format 3\x00" + b"\x07" * 5000)
    with pytest.raises(ModelError, match="not a readable ledger"):
        FileStore(path).read()


class Cursor:
    """What a server answers: that there is a table, and no row in it."""

    def __init__(self) -> None:
        self.executed: list[Any] = []

    def execute(self, *given: Any) -> None:
        self.executed.append(given)

    def fetchone(self) -> tuple[bool]:
        return (True,)

    def fetchall(self) -> list[Any]:
        return []


def test_a_server_is_told_every_link() -> None:
    cursor, links = Cursor(), chain(2)
    log = _ServerLog(cursor, "main", [])
    for number, link in enumerate(links):
        log.append(link)
        assert cursor.executed[-1][1] == ("main", number, link.kind, link.body, link.digest)
    assert log.links == links
    assert len(cursor.executed) == 2


def test_a_ledger_that_a_server_does_not_have() -> None:
    store = ServerStore("postgresql://somebody@somewhere/data?ledger=main")
    with pytest.raises(ParameterError, match="there is no ledger 'main' on the server"):
        store._known(Cursor())


def test_a_picture_has_the_line_of_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[float] = []
    axes = SimpleNamespace(step=lambda *given, **more: None, set=lambda **more: None)
    axes.axhline = lambda height, **more: lines.append(height)
    monkeypatch.setattr(showing, "figure", lambda: (None, axes))
    ledger = SimpleNamespace(charges=(), budget=(Fraction(3), Fraction(1, 1000)), path="ledger")
    showing.Shown.plot(ledger)  # type: ignore[arg-type]
    assert lines == [3.0]


def standing_with(*entries: Entry) -> Standing:
    return Standing(TERMS, entries, "the ledger")


def test_nothing_is_delivered_without_a_charge_or_twice() -> None:
    charge = Charge(epsilon=ONE / 100, delta=NONE, mechanism="m", release="7f")
    new = Delivered(release="7f", files=(("rule.json", "00"),))
    assert admitted(new, standing_with(charge)) == new
    for entries in ((), (charge, new)):
        with pytest.raises(ModelError):
            admitted(new, standing_with(*entries))


def test_only_a_reservation_is_given_up_and_what_is_reserved_is_not_spent() -> None:
    set_aside = Reservation(epsilon=Fraction(9, 10), delta=NONE, release="7f", until="2999-01-01T00:00:00+00:00")
    given_up = GivenUp(release="7f")
    assert admitted(given_up, standing_with(set_aside)) == given_up
    for entries in ((), (set_aside, given_up)):
        with pytest.raises(ParameterError, match="no such reservation"):
            admitted(given_up, standing_with(*entries))
    other = Charge(epsilon=Fraction(2, 10), delta=NONE, mechanism="m")
    with pytest.raises(BudgetExceeded):
        admitted(other, standing_with(set_aside))
    assert admitted(other, standing_with(set_aside, given_up)).epsilon == Fraction(2, 10)


def test_a_schema_is_fixed_together_with_a_source(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget", epsilon=1)
    schema = Schema({"a": {"kind": "boolean"}})
    for fixed in ({"schema": schema}, {"person": "id"}):
        with pytest.raises(ParameterError, match="together with a source"):
            ledger.register("visits", **fixed)  # type: ignore[arg-type]
    assert ledger.register("visits", source="visits.csv", schema=schema).fingerprint is not None
    assert ledger.register("others").fingerprint is None


def test_what_is_left_of_a_limit_is_said() -> None:
    terms = Terms(epsilon=ONE, delta=ONE / 2, neighbours="add-remove")
    limit = Limit(epsilon=ONE / 2, delta=ONE / 10, actor="ada")
    spent = Charge(epsilon=ONE / 4, delta=ONE / 50, mechanism="m", actor="ada")
    new = Charge(epsilon=ONE / 8, delta=ONE / 9, mechanism="m", actor="ada")
    with pytest.raises(BudgetExceeded, match=r"\(0\.25, 0\.08\) is left of \[actor ada"):
        refuse_beyond(terms, [limit], [spent], new, "the ledger")
