"""The observables tier: what can be seen besides a release must not depend on the data, and marks must be made.

With seeded noise a mechanism is a function of its table. Runs on neighbouring tables that release the same must then
agree in everything else that leaves: JSON, text, pickle, log, standard output, warnings, errors. What releases too much
for that is run with the same released values instead (:mod:`~oracledp.audit.coupling`).
"""

from __future__ import annotations

import io
import logging
import pickle
import tempfile
import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from oracledp.audit.coupled_doors import coupled_finding
from oracledp.audit.doors import Door
from oracledp.audit.doors import Seen as Shown
from oracledp.audit.end_to_end import Call, small_pairs, small_rules, small_table
from oracledp.audit.exact_law import DataSet
from oracledp.audit.observed_calls import CALLS, Product, coupled_entries
from oracledp.audit.verdict import Fact
from oracledp.data.table import Table
from oracledp.mechanisms.robust import NothingReleased
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import DrawSource, SeededRandomness

TIER = "observables"
SEEDS = range(3)
ERROR = "error"
Seen = dict[str, str | bytes]


@contextmanager
def _recorded() -> Iterator[io.StringIO]:
    """Everything that is logged, printed or warned of."""
    heard = io.StringIO()
    handler, root = logging.StreamHandler(heard), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with redirect_stdout(heard), redirect_stderr(heard), warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            yield heard
        heard.writelines(str(warning.message) for warning in raised)
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def observe(call: Call, data: DataSet, **more: Any) -> tuple[Hashable, Seen]:
    """What is released, and everything else that can be seen of one run."""
    with _recorded() as heard:
        try:
            release = call(small_table(data), small_rules(), **more)
        except Exception as error:
            released: Hashable = ERROR
            seen: Seen = {"error": f"{type(error).__name__}: {error}"}
        else:
            released = _released(release)
            seen = {"json": str(release.to_json()), "text": f"{release} {release!r}", "pickle": pickle.dumps(release)}
    return released, seen | {"heard": heard.getvalue()}


def _released(release: Any) -> Hashable:
    """The query that was chosen, that none was, or all that a product releases."""
    if isinstance(release, Product):
        return release.released
    return None if isinstance(release, NothingReleased) else tuple(release.query.parts)


def nothing_else_shows(name: str, call: Call) -> Fact:
    """Neighbours that release the same show the same, for every pair of small tables and several seeds."""
    for relation in Neighbours:
        for seed in SEEDS:
            runs: dict[DataSet, tuple[Hashable, Seen]] = {}
            for data in {data for pair in small_pairs(relation) for data in pair}:
                runs[data] = observe(call, data, neighbours=relation, source=SeededRandomness(seed))
            for one, other in small_pairs(relation):
                differing = _difference(runs[one], runs[other])
                if differing:
                    return Fact(name, False, f"{differing} tells neighbours apart that release the same")
    return Fact(name, True, "neighbours that release the same look the same")


def _difference(one: tuple[Hashable, Seen], other: tuple[Hashable, Seen]) -> str:
    """What differs though the release does not; an error is no release, so an error of one of the two differs."""
    if one[0] != other[0] and ERROR not in (one[0], other[0]):
        return ""
    return ", ".join(key for key in sorted({*one[1], *other[1]}) if one[1].get(key) != other[1].get(key))


def nothing_else_shows_when_coupled(door: Door, relation: Neighbours) -> Fact:
    """Neighbours with the same released values show the same: output, files, pickles, and all that is heard."""

    def heard(data: DataSet, neighbours: Neighbours, source: DrawSource) -> Shown:
        with _recorded() as noise:
            seen = door.enter(data, neighbours, source)
        return replace(seen, text=seen.text + noise.getvalue())

    name = f"{door.name} / {relation.value} / only the release shows"
    differs = coupled_finding(replace(door, enter=heard), relation).differs
    return Fact(name, not differs, differs or "neighbours that release the same look the same")


@dataclass(frozen=True, eq=False)
class Watched:
    """A source that notes what the ledger says when the first random bit is drawn."""

    ledger: Ledger
    spent: list[Fraction] = field(default_factory=list)

    @property
    def private(self) -> bool:
        """It passes for the operating system."""
        return True

    def bytes(self, count: int) -> bytes:
        """Seeded bytes, after a look at the ledger."""
        self.spent.append(self.ledger.spent[0])
        return SeededRandomness(len(self.spent)).bytes(count)


def charged_first(name: str, call: Call) -> Fact:
    """The whole epsilon is on disk before the first random bit is drawn."""
    with tempfile.TemporaryDirectory() as folder:
        watched = Watched(Ledger.create(Path(folder) / "ledger.json", epsilon=10, delta=Fraction(1, 2)))
        release = call(small_table((1, 1, 0, 0)), small_rules(), ledger=watched.ledger, source=watched)
    good = bool(watched.spent) and watched.spent[0] == release.guarantee.epsilon
    return Fact(name, good, f"epsilon {watched.spent[0] if watched.spent else 0} was on disk at the first random bit")


def seed_is_marked(name: str, call: Call) -> Fact:
    """A release made from a seed says that it is not private."""
    release = call(small_table((1, 1, 0, 0)), small_rules(), source=SeededRandomness(0))
    marked = not release.guarantee.private and not release.guarantee.robust and "NOT PRIVATE" in str(release)
    return Fact(name, marked, "marked NOT PRIVATE" if marked else "a seeded release promises privacy")


def errors_are_silent(name: str, read: Callable[[str], object]) -> Fact:
    """Reading bad data fails with a message that is the same whatever the bad value is."""
    messages = set()
    for secret in ("4711", "Ω-secret", "0815"):
        try:
            read(secret)
        except Exception as error:
            messages.add(f"{type(error).__name__}: {error}")
        else:
            messages.add("no error")
    silent = len(messages) == 1 and "no error" not in messages
    return Fact(name, silent, "one message for every value" if silent else "the message depends on the value")


def values_are_silent(name: str, read: Callable[[str], Table]) -> Fact:
    """A value that the schema does not know gives the table of a value that it knows, and no error."""
    tables = set()
    for secret in ("4711", "Ω-secret", "0815", "", "false"):
        try:
            table = read(secret)
        except Exception as error:
            tables.add(type(error).__name__)
        else:
            tables.add(f"{table.codes.tolist()} {table.counts.tolist()}")
    silent = len(tables) == 1
    return Fact(name, silent, "one table for every value" if silent else "what is read depends on the value")


def read_frame(value: str, *, strict: bool = False) -> Table:
    """A frame whose second row holds a value that the schema does not know."""
    import numpy as np

    from oracledp.audit.end_to_end import SCHEMA
    from oracledp.extras import optional

    frame = optional("pandas", extra="frames").DataFrame(
        {"a": np.array([True, value], dtype=object), "y": [True, False]}
    )
    return Table.from_frame(frame, SCHEMA, strict=strict)


def read_file(value: str, *, strict: bool = False) -> Table:
    """The same in a CSV file."""
    from oracledp.audit.end_to_end import SCHEMA

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        path.write_text(f"a,y\ntrue,true\n{value},false\n", encoding="utf-8")
        try:
            return Table.from_file(path, SCHEMA, strict=strict)
        except Exception as error:  # the folder's name is not the message's doing
            raise type(error)(str(error).replace(folder, "")) from None


def findings() -> list[Fact]:
    """Every public function, every rule."""
    return [
        *(nothing_else_shows(f"{name} / only the release shows", call) for name, call in CALLS.items()),
        *(nothing_else_shows_when_coupled(door, rel) for door in coupled_entries() for rel in door.relations),
        *(charged_first(f"{name} / charged first", call) for name, call in CALLS.items()),
        *(seed_is_marked(f"{name} / seeds are marked", call) for name, call in CALLS.items()),
        values_are_silent("frames / no value is refused", read_frame),
        values_are_silent("files / no value is refused", read_file),
        errors_are_silent("frames / strict errors hold no value", partial(read_frame, strict=True)),
        errors_are_silent("files / strict errors hold no value", partial(read_file, strict=True)),
    ]
