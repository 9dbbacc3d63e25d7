"""Persons broken at the front door: rows that are not bounded, shares that are not taken, choices that look around."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from breaks.breaking import Breaks, together, value, wrapped
from oracledp.audit import person_doors
from oracledp.data.table import frames
from oracledp.data.table.persons import PersonsInSql
from oracledp.learners import estimator
from oracledp.learners import persons as fitted_persons
from oracledp.mechanisms import exponential_mechanism
from oracledp.privacy import door

FRESH = wrapped(person_doors, "bounded_table", lambda original, *args: original.__wrapped__(*args))


def _per_row(patch: pytest.MonkeyPatch) -> None:
    """The mechanism gets the whole ε and the door converts nothing, but for the words."""
    patch.setattr(exponential_mechanism, "row_epsilon", lambda epsilon, unit: epsilon)
    patch.setattr(door, "per_unit", lambda promise, unit: replace(promise, unit=unit))


def _by_everybody(original: Any, unit: Any, ids: Any, columns: Any) -> Any:
    """Which rows of a person are kept hangs on how many rows there are."""
    return (
        original(unit, [f"{one}{len(ids)}" for one in ids], columns) if len(ids) % 2 else original(unit, ids, columns)
    )


PERSONS: Breaks = {
    "all rows of a person are kept": (
        "persons, two rows / add-remove",
        together(FRESH, wrapped(frames, "kept_rows", lambda _, unit, ids, columns: range(len(ids)))),
    ),
    "one row too many is kept": (
        "persons, two rows / add-remove",
        together(
            FRESH,
            wrapped(frames, "kept_rows", lambda keep, unit, *rest: keep(replace(unit, rows=unit.rows + 1), *rest)),
        ),
    ),
    "persons are one another's rows": (
        "persons, one row / add-remove",
        together(FRESH, wrapped(frames, "kept_rows", _by_everybody)),
    ),
    "ε per row is sold as ε per person": ("persons, two rows / add-remove", _per_row),
    "a fit learns from every row": (
        "fit, persons / add-remove",
        wrapped(fitted_persons, "kept_rows", lambda _, unit, ids, columns: list(range(len(ids)))),
    ),
    "a fit spends the whole ε on each row": (
        "fit, persons / add-remove",
        together(
            wrapped(estimator, "row_epsilon", lambda _, epsilon, unit: Fraction(epsilon)),
            value(door, "per_unit", lambda promise, unit: replace(promise, unit=unit)),
        ),
    ),
    "an engine keeps every row": ("learn --person / add-remove", value(PersonsInSql, "kept", "true")),
}
