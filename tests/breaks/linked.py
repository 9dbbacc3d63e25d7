"""Two linked tables broken at the front door: children that weigh too much, budgets spent twice, ids told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from breaks.breaking import Breaks, together, value, wrapped
from oracledp.audit.linked_doors import PEOPLE
from oracledp.data.table import frames
from oracledp.data.table import linked as linked_table
from oracledp.data.table.linked import WHOLE
from oracledp.synthesis import linked

NUMBER = len(PEOPLE.columns)  # where both tables have the number of children


def _whole_each(original: Any, schema: Any, columns: Any, weights: Any, assumes: Any) -> Any:
    """Every child weighs as much as one record: those of one person, several."""
    return original(schema, columns, None if weights is None else np.full_like(weights, WHOLE), assumes)


def _as_if_bounded(original: Any, schema: Any, columns: Any, weights: Any, assumes: Any) -> Any:
    """More children than are allowed weigh as if there were no more."""
    shown = [np.minimum(column, 3) if place == NUMBER else column for place, column in enumerate(columns)]
    return original(schema, shown, None if weights is None else WHOLE // shown[NUMBER], assumes)


def _told(patch: pytest.MonkeyPatch) -> list[Any]:
    """The ids of the private table, known to whoever writes the synthetic one."""
    known: list[Any] = []
    read = linked.LinkedSynthesizer._read

    def remember(self: Any, parents: Any, *rest: Any) -> Any:
        known[:] = list(parents["id"])
        return read(self, parents, *rest)

    patch.setattr(linked.LinkedSynthesizer, "_read", remember)
    return known


def _private_keys(patch: pytest.MonkeyPatch) -> None:
    known, drawn = _told(patch), linked.LinkedSynthesizer._drawn

    def copied(self: Any, *rest: Any) -> Any:
        parents, children = drawn(self, *rest)
        names = dict(zip(parents["id"], known, strict=False))
        return parents.assign(id=[names.get(one, one) for one in parents["id"]]), children

    patch.setattr(linked.LinkedSynthesizer, "_drawn", copied)


def _exact_number(patch: pytest.MonkeyPatch) -> None:
    known = _told(patch)
    patch.setattr(linked, "record_count", lambda model, where: len(known))


LINKED: Breaks = {
    "children weighed as if one moved a count by one": ("linked / add-remove", value(linked, "WHOLE", 1)),
    "every child weighs as much as a record": ("linked / add-remove", wrapped(linked_table, "_table", _whole_each)),
    "children that nobody bounds": (
        "linked / add-remove",
        together(
            wrapped(frames, "kept_rows", lambda keep, unit, ids, columns: (
                keep(unit, ids, columns) if unit.rows == 1 else np.arange(len(ids)))),
            wrapped(linked_table, "_table", _as_if_bounded),
        ),
    ),
    "both tables at the whole budget": (
        "linked / large budget / add-remove", wrapped(linked, "shares", lambda _, budget: (budget, budget)),
    ),
    "ids of the private table": ("linked / add-remove", _private_keys),
    "as many parents as there are": ("linked / add-remove", _exact_number),
}  # fmt: skip
