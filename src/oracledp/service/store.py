"""What the console remembers: people, data sets and jobs, in one SQLite file. Budgets are in ledgers, not here."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from oracledp.data.schema import Schema
from oracledp.data.table.addresses import is_address
from oracledp.data.table.unit import Unit
from oracledp.errors import DataError, OracleDPError, ParameterError
from oracledp.privacy.ledger import Ledger
from oracledp.privacy.ledger.entry import short_text
from oracledp.privacy.signing import create_key
from oracledp.service.people import Person, digest, new_token

_TABLES = """
CREATE TABLE IF NOT EXISTS people (name TEXT PRIMARY KEY, role TEXT NOT NULL, token TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS datasets (name TEXT PRIMARY KEY, address TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, made TEXT NOT NULL, actor TEXT NOT NULL, dataset TEXT NOT NULL,
  kind TEXT NOT NULL, parameters TEXT NOT NULL, status TEXT NOT NULL, said TEXT NOT NULL);
"""
MOST_SHOWN = 500  # jobs on one page
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


@dataclass(frozen=True)
class DataSet:
    """A data set that an officer registered; its schema and ledger lie in the console's folder."""

    name: str
    address: str
    person: str | None = None
    rows_per_person: int = 1


@dataclass(frozen=True)
class Job:
    """A release that was asked for, and what became of it."""

    id: str
    made: str
    actor: str
    dataset: str
    kind: str
    parameters: dict[str, str]
    status: str
    said: str


class Console:
    """The console's folder: ``console.db``, ``schemas/``, ``ledgers/`` and ``releases/``, for its owner alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._registering = threading.Lock()  # two who register one name at once would share its files
        for name in (".", "schemas", "ledgers", "releases"):
            (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / "console.db"
        if not path.exists():
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        with self._database() as database:
            database.executescript(_TABLES)
            known = {row[1] for row in database.execute("PRAGMA table_info(datasets)")}
            for column in ("person TEXT", "rows_per_person INTEGER NOT NULL DEFAULT 1"):
                if column.split()[0] not in known:  # a console from before persons were told apart
                    database.execute(f"ALTER TABLE datasets ADD COLUMN {column}")
        if not self.key.exists():
            create_key(self.key)

    @property
    def key(self) -> Path:
        """What signs the cards of releases."""
        return self.folder / "signing.key"

    # ---- people ------------------------------------------------------------------------------------------
    def add_person(self, name: str, role: str) -> str:
        """A new person, or a new role and token for a known one; the token is shown once and kept nowhere."""
        person, token = Person(short_text(name, "name") or "", role), new_token()
        with self._database() as database:
            database.execute("INSERT OR REPLACE INTO people VALUES (?, ?, ?)", (person.name, role, digest(token)))
        return token

    def remove_person(self, name: str) -> None:
        """Take somebody's token away; their charges and releases stay."""
        with self._database() as database:
            if database.execute("DELETE FROM people WHERE name = ?", (name,)).rowcount == 0:
                raise ParameterError("nobody of this name has a token")

    def people(self) -> list[Person]:
        """Everybody with a token."""
        return [Person(*row) for row in self._all("SELECT name, role FROM people ORDER BY name")]

    def person(self, token: str) -> Person | None:
        """Whose token this is."""
        return self.holder(digest(token))

    def holder(self, sign: str) -> Person | None:
        """Whose token has this digest; nobody's, once it was taken away or replaced."""
        found = self._all("SELECT name, role FROM people WHERE token = ?", sign)
        return Person(*found[0]) if found else None

    # ---- data sets ---------------------------------------------------------------------------------------
    def register(
        self,
        name: str,
        address: str,
        schema: str,
        *,
        epsilon: str,
        delta: str,
        accountant: str,
        person: str | None = None,
        rows_per_person: int = 1,
    ) -> DataSet:
        """Make a data set known, with the schema that releases read it by and a ledger of its own. No row is read."""
        with self._registering:
            return self._register(
                name,
                address,
                schema,
                Unit(person, rows_per_person),
                epsilon=epsilon,
                delta=delta,
                accountant=accountant,
            )

    def _register(
        self, name: str, address: str, schema: str, asked: Unit, *, epsilon: str, delta: str, accountant: str
    ) -> DataSet:
        if not _NAME.fullmatch(name):
            raise ParameterError("a data set's name has small letters, digits, '-' and '_', at most 60")
        if name in {known.name for known in self.datasets()}:
            raise ParameterError(f"data set {name} is registered already")
        if is_address(address):
            _refuse_password(address)
        else:
            if not os.path.exists(address):  # noqa: PTH110 - a name too long is no file, not an error
                raise DataError(f"there is no file or folder {address}")
            address = os.path.abspath(address)  # noqa: PTH100 - a run has a folder of its own
        path = self.folder / "schemas" / f"{name}.yaml"
        path.write_text(schema, encoding="utf-8", newline="\n")
        try:
            read = Schema.load(path)
        except OracleDPError as error:
            raise type(error)(str(error).replace(str(path), "the schema")) from None
        unit = Unit.of(asked.person, asked.rows if asked.person else None, read)
        ledger = Ledger.create(
            self._free_place(name),
            epsilon=epsilon,
            delta=delta,
            accountant=accountant,
            unit=unit.name,
            witness=self.folder / "ledgers" / f"{name}.witness",
        )
        ledger.register(name, source=address, schema=read, person=unit.person)
        with self._database() as database:
            database.execute("INSERT INTO datasets VALUES (?, ?, ?, ?)", (name, address, unit.person, unit.rows))
        return DataSet(name, address, unit.person, unit.rows)

    def _free_place(self, name: str) -> Path:
        """Where a new ledger goes: in place of one that an interrupted registration left, never of one with charges."""
        place = self.folder / "ledgers" / name
        witness = place.with_name(f"{name}.witness")
        known = witness.read_bytes().count(b"\n") if witness.exists() else 0
        begun = place.exists() and place.stat().st_size > 0
        if known > 2 or (begun and Ledger(place).charges):  # its terms and its data set are two entries
            raise ParameterError(f"a ledger of another data set {name} lies in the console's folder: take another name")
        for left in (place, witness):
            left.unlink(missing_ok=True)
        return place

    def datasets(self) -> list[DataSet]:
        """Every registered data set."""
        rows = self._all("SELECT name, address, person, rows_per_person FROM datasets ORDER BY name")
        return [DataSet(*row) for row in rows]

    def dataset(self, name: str) -> DataSet:
        """One of them."""
        for known in self.datasets():
            if known.name == name:
                return known
        raise ParameterError("there is no such data set")

    def ledger(self, name: str) -> Ledger:
        """The budget of a data set."""
        return Ledger(self.folder / "ledgers" / self.dataset(name).name)

    def schema_path(self, name: str) -> Path:
        """The schema of a data set."""
        return self.folder / "schemas" / f"{self.dataset(name).name}.yaml"

    # ---- jobs --------------------------------------------------------------------------------------------
    def add_job(self, job_id: str, actor: str, dataset: str, kind: str, parameters: dict[str, str]) -> None:
        """Put a job into the queue."""
        made = datetime.now(UTC).isoformat(timespec="seconds")
        row = (job_id, made, actor, self.dataset(dataset).name, kind, json.dumps(parameters), "queued", "")
        with self._database() as database:
            database.execute("INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def jobs(self, status: str | None = None, most: int = -1) -> list[Job]:
        """Jobs, the latest first."""
        where, values = ("WHERE status = ?", (status,)) if status else ("", ())
        rows = self._all(f"SELECT * FROM jobs {where} ORDER BY made DESC, rowid DESC LIMIT ?", *values, most)
        return [_job(row) for row in rows]

    def job(self, job_id: str) -> Job:
        """One of them."""
        for row in self._all("SELECT * FROM jobs WHERE id = ?", job_id):
            return _job(row)
        raise ParameterError("there is no such job")

    def set_status(self, job_id: str, status: str, said: str = "", *, only: str | None = None) -> bool:
        """Say what became of a job, if it still is what it was."""
        with self._database() as database:
            changed = database.execute(
                "UPDATE jobs SET status = ?, said = ? WHERE id = ? AND (? IS NULL OR status = ?)",
                (status, said, job_id, only, only),
            )
            return changed.rowcount == 1

    # ---- what it says ------------------------------------------------------------------------------------
    def cleared(self, text: str) -> str:
        """A message without paths of the machine or addresses of data: analysts and viewers read it."""
        hidden = [(str(self.folder / "ledgers") + os.sep, ""), (str(self.folder / "schemas") + os.sep, "")]
        hidden += [(known.address, known.name) for known in self.datasets()]
        hidden.append((str(self.folder), "the console's folder"))
        for place, name in sorted(hidden, key=lambda pair: -len(pair[0])):
            text = text.replace(place, name) if len(place) > 1 else text
        return text

    # ---- the file ----------------------------------------------------------------------------------------
    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.folder / "console.db", timeout=60)) as database, database:
            yield database

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._database() as database:
            return database.execute(query, values).fetchall()


def _job(row: tuple[Any, ...]) -> Job:
    job_id, made, actor, dataset, kind, parameters, status, said = row
    return Job(job_id, made, actor, dataset, kind, _readable(json.loads(parameters)), status, said)


def _refuse_password(address: str) -> None:
    """A run has its address on its command line, which every user of the machine can read."""
    parts = urlsplit(address)
    if parts.password is not None or "password" in dict(parse_qsl(parts.query, keep_blank_values=True)):
        raise ParameterError("leave the password out of the address: put it into ~/.pgpass of the console's user")


def _readable(parameters: dict[str, str]) -> dict[str, str]:
    """Texts that can be shown: earlier versions took halves of characters."""
    return {name: value.encode(errors="replace").decode() for name, value in parameters.items()}
