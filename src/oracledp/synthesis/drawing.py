"""Synthetic records from a released model: post-processing, so a seed is fine here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from oracledp.data.output.conditions import Conditions, allowed_codes, parse_conditions
from oracledp.data.output.lawful import Law, Rows
from oracledp.data.schema.constraints import Determines, Tables
from oracledp.errors import ModelError
from oracledp.synthesis.bins import Integers
from oracledp.synthesis.held import Held
from oracledp.synthesis.model import SyntheticModel
from oracledp.synthesis.rounding import draw_rows

_TRIES = 100
_RARE = 0.8  # of the rows: where more break the rules, lawful ones are drawn instead of exchanging values


def draw_records(model: SyntheticModel, n: int, where: Conditions | None, generator: np.random.Generator) -> Rows:
    """``n`` records that meet the conditions and keep the schema's constraints, and places inside their cells."""
    law = Law(model.schema, dependency_tables(model))
    allowed = None if where is None else _allowed(model, where, law)
    if allowed is not None:
        model, _ = model.restricted(allowed)
    free = _without_forbidden(model, law)
    codes = draw_rows(free.mixture, free.marginals, n, generator)
    rows = Rows(codes, generator.random(codes.shape))
    return rows if law.idle else _held(rows, law, allowed, model, generator)


def record_count(model: SyntheticModel, where: Conditions | None) -> int:
    """How many records the model says there are, of those that meet the conditions; at least one."""
    share = 1.0
    if where is not None:
        share = model.restricted(_allowed(model, where, Law(model.schema, dependency_tables(model))))[1]
    return max(round(model.total * share), 1)


def _without_forbidden(model: SyntheticModel, law: Law) -> SyntheticModel:
    """The model given what rules about a single column leave of it, where it has anything of that."""
    allowed = [np.ones(size, dtype=np.bool_) for size in model.schema.sizes]
    for rule in law.masked_rules():
        if len(rule) == 1:
            ((column, mask),) = rule.items()
            allowed[column] &= ~mask
    if all(mask.all() for mask in allowed):
        return model
    with suppress(ModelError):
        return model.restricted(allowed)[0]
    return model


def _held(
    rows: Rows,
    law: Law,
    allowed: Sequence[NDArray[np.bool_]] | None,
    model: SyntheticModel,
    generator: np.random.Generator,
) -> Rows:
    """Rows that keep the law by exchanging values; those for which that fails are drawn anew among lawful records."""
    held = Held.of(model, law, allowed)
    if held.unmet(rows).mean() < _RARE:
        law.keep(rows, generator)
    left = np.flatnonzero(held.unmet(rows))
    if len(left):
        rows.put(left, held.draw(len(left), generator))
    return rows


def lawful(rows: Rows, law: Law, generator: np.random.Generator, again: Callable[[Integers], Rows]) -> Rows:
    """Rows that keep the law by exchanging values; those for which that fails are drawn again, a few times."""
    if law.idle:
        return rows
    unmet = law.keep(rows, generator)
    for _ in range(_TRIES):
        left = np.flatnonzero(unmet)
        if not len(left):
            return rows
        others = again(left)
        unmet[left] = law.keep(others, generator)
        rows.put(left, others)
    raise ModelError("the constraints and deny rules leave next to no record that the model allows")


def _allowed(model: SyntheticModel, where: Conditions, law: Law) -> list[NDArray[np.bool_]]:
    """The codes that conditions allow; what they ask of a column that follows from another, they ask of that one."""
    allowed = [mask.astype(np.bool_) for mask in allowed_codes(parse_conditions(where, model.schema), model.schema)]
    for found in reversed(model.schema.constraints):
        if isinstance(found, Determines):
            source, target = model.schema.position(found.source), model.schema.position(found.target)
            allowed[source] = allowed[source] & allowed[target][law.tables[found.target]]
    return allowed


def dependency_tables(model: SyntheticModel) -> Tables:
    """The target's code for each code of the source of every dependency: as declared, or the likeliest by the model."""
    schema, found = model.schema, {}
    for constraint in schema.constraints:
        if isinstance(constraint, Determines) and constraint.table is not None:
            found[constraint.target] = np.array(constraint.table, dtype=np.int64)
        elif isinstance(constraint, Determines):
            source, target = schema.position(constraint.source), schema.position(constraint.target)
            found[constraint.target] = _likeliest(model, source, target)
    return found


def _likeliest(model: SyntheticModel, source: int, target: int) -> Integers:
    blocks, binning = model.mixture.layout.blocks(), model.mixture.layout.bins
    parts, weights = model.mixture.parts, model.mixture.weights
    joint = parts[:, blocks[source]].T @ (parts[:, blocks[target]] * weights[:, None])
    mass, fine = model.marginals[target], binning[target].fine
    inside = mass / np.bincount(fine, weights=mass, minlength=binning[target].size)[fine]
    columns = model.schema.columns
    values = columns[target].value_size
    best = np.argmax((joint[:, fine] * inside)[:, :values], axis=1)[binning[source].fine]
    if columns[source].nullable:
        best[-1] = columns[target].size - 1
    return np.asarray(best, dtype=np.int64)
