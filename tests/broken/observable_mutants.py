"""Functions that leak beside their release, or keep no books: each is caught by the observables tier."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from broken.mutants import Mutant
from oracledp.audit.end_to_end import SCHEMA
from oracledp.audit.observables import TIER, charged_first, errors_are_silent, nothing_else_shows, seed_is_marked
from oracledp.audit.verdict import Fact
from oracledp.classes import QueryClass
from oracledp.data.table import Table
from oracledp.errors import DataError
from oracledp.mechanisms.exponential_mechanism import exponential
from oracledp.mechanisms.release import Release
from oracledp.privacy.ledger import Ledger


def _release(table: Table, queries: QueryClass, **more: Any) -> Release:
    return exponential(table, queries, epsilon=1, **more)


def _counts_in_release(table: Table, queries: QueryClass, **more: Any) -> Release:
    release = _release(table, queries, **more)
    return replace(release, mechanism=f"exponential on {table.rows} rows, {len(table.counts)} distinct")


def _work_in_release(table: Table, queries: QueryClass, **more: Any) -> Release:
    release = _release(table, queries, **more)
    effort = int((table.counts * table.matrix(queries.literals).sum(axis=1)).sum())
    return replace(release, certificate=replace(release.certificate, method=f"{effort} nodes"))


def _counts_in_log(table: Table, queries: QueryClass, **more: Any) -> Release:
    logging.getLogger("oracledp.mutant").debug("histogram %s", table.counts.tolist())
    return _release(table, queries, **more)


@dataclass(frozen=True)
class _HoldsTable(Release):
    table: Table | None = None


def _table_in_pickle(table: Table, queries: QueryClass, **more: Any) -> Release:
    right = _release(table, queries, **more)
    return _HoldsTable(right.query, right.guarantee, right.certificate, right.mechanism, table)


def _error_on_data(table: Table, queries: QueryClass, **more: Any) -> Release:
    if table.counts.max() > 1:
        raise DataError(f"a record occurs {table.counts.max()} times")
    return _release(table, queries, **more)


def _charged_late(table: Table, queries: QueryClass, *, ledger: Ledger, **more: Any) -> Release:
    release = _release(table, queries, **more)
    ledger.charge(release.guarantee, release.mechanism)
    return release


def _seed_unmarked(table: Table, queries: QueryClass, **more: Any) -> Release:
    release = _release(table, queries, **more)
    return replace(release, guarantee=replace(release.guarantee, private=True))


def _error_with_value(value: str) -> object:
    if value not in SCHEMA.names:
        raise DataError(f"column a, row 2: {value!r} is not a boolean")
    return value


def _shows(call: Callable[..., Release]) -> Callable[[], Fact]:
    return lambda: nothing_else_shows(call.__name__, call)


OBSERVABLE_MUTANTS: tuple[Mutant, ...] = (
    Mutant("counts-in-release", "a release that tells the number of rows", _shows(_counts_in_release), TIER),
    Mutant("work-in-release", "a release that tells how long the search took", _shows(_work_in_release), TIER),
    Mutant("counts-in-log", "private counts in the log", _shows(_counts_in_log), TIER),
    Mutant("table-in-pickle", "a release that carries the table", _shows(_table_in_pickle), TIER),
    Mutant("error-on-data", "an error that only some neighbours raise", _shows(_error_on_data), TIER),
    Mutant("ledger-charged-late", "budget charged after sampling", lambda: charged_first("late", _charged_late), TIER),
    Mutant(
        "seed-unmarked", "a seeded release that promises privacy", lambda: seed_is_marked("s", _seed_unmarked), TIER
    ),
    Mutant(
        "error-with-value", "an error message with a value", lambda: errors_are_silent("e", _error_with_value), TIER
    ),
)
