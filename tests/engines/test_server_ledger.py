"""One budget for several machines: a ledger on a real PostgreSQL server."""

import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from secrets import token_hex
from typing import Any
from urllib.parse import quote

import pytest

from oracledp.errors import BudgetExceeded, DataError, ModelError, ParameterError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger

TENTH = Guarantee(epsilon=Fraction(1, 10), neighbours=Neighbours.DEFAULT, proof="x")


def address_of(libpq: str, name: str) -> str:
    """The server's address as a URL: the socket's folder is its host."""
    parts = dict(pair.split("=", 1) for pair in libpq.split())
    return f"postgresql://{parts['user']}@/{parts['dbname']}?host={quote(parts['host'], safe='')}&ledger={name}"


@pytest.fixture
def place(postgres_address: str) -> str:
    return address_of(postgres_address, token_hex(4))


@pytest.fixture
def database(postgres_address: str) -> Iterator[Any]:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        yield connection


def test_it_charges_like_a_file(place: str) -> None:
    ledger = Ledger.create(place, epsilon=1, delta="1e-6")
    for _ in range(10):
        ledger.acting(actor="ada").charge(TENTH, "rspm")
    with pytest.raises(BudgetExceeded, match=r"\(0, 1e-06\) is left in ledger"):
        ledger.charge(TENTH, "rspm")
    assert Ledger.at(place).spent == (1, 0)
    assert ledger.charges[0].actor == "ada"
    assert ledger.verify() == 10
    with pytest.raises(ParameterError, match="never overwritten"):
        Ledger.create(place, epsilon=1)


def test_what_is_not_there_is_named(place: str) -> None:
    with pytest.raises(ParameterError, match="budget create"):
        Ledger.at(place).charge(TENTH, "rspm")
    with pytest.raises(ParameterError, match="must name one ledger"):
        Ledger.create(place.partition("&ledger")[0], epsilon=1)
    with pytest.raises(DataError, match="cannot be reached") as caught:
        Ledger.create("postgresql://me:secret@127.0.0.1:1/x?ledger=a&connect_timeout=2", epsilon=1)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE oracledp_ledger SET body = replace(body, '1/10', '1/100') WHERE ledger = %s AND number = 1",
        "DELETE FROM oracledp_ledger WHERE ledger = %s AND number = 1",
        "UPDATE oracledp_ledger SET body = replace(body, '\"1\"', '\"2\"') WHERE ledger = %s AND number = 0",
    ],
)
def test_edits_and_deletions_stop_everything(place: str, database: Any, statement: str) -> None:
    ledger = Ledger.create(place, epsilon=1)
    for _ in range(2):
        ledger.charge(TENTH, "rspm")
    database.execute(statement, (place.rpartition("=")[2],))
    with pytest.raises(ModelError, match="changed by hand"):
        ledger.charge(TENTH, "rspm")


CROWD = """
import sys
from fractions import Fraction
from oracledp.errors import BudgetExceeded
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
one, done = Guarantee(epsilon=Fraction(1, 20), neighbours=Neighbours.DEFAULT, proof="x"), 0
try:
    while True:
        Ledger.at(sys.argv[1]).charge(one, "rspm")
        done += 1
except BudgetExceeded:
    print(done)
"""


def test_a_crowd_spends_the_budget_exactly_once(place: str) -> None:
    ledger = Ledger.create(place, epsilon=1)
    runs = [subprocess.Popen([sys.executable, "-c", CROWD, place], stdout=subprocess.PIPE) for _ in range(6)]
    assert sum(int(run.communicate(timeout=300)[0]) for run in runs) == 20
    assert ledger.spent == (1, 0)


def test_a_connection_that_breaks_in_the_middle_samples_nothing(place: str, database: Any) -> None:
    ledger = Ledger.create(place, epsilon=1)
    with pytest.raises(ModelError, match="nothing is sampled"), ledger_transaction(ledger):
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state LIKE 'idle in%'")
    ledger.charge(TENTH, "rspm")  # the lock went with the connection
    assert ledger.spent == (Fraction(1, 10), 0)


def ledger_transaction(ledger: Ledger) -> Any:
    """The moment between reading and committing a charge."""
    from oracledp.privacy.ledger.stores import store_at

    return store_at(ledger.path).locked()
