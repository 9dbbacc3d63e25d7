"""Synthetic records from a released model: post-processing, so a seed is fine here."""

from __future__ import annotations

import numpy as np

from oracledp.data.output.conditions import Conditions, allowed_codes, parse_conditions
from oracledp.errors import ModelError
from oracledp.synthesis.bins import Integers
from oracledp.synthesis.model import SyntheticModel
from oracledp.synthesis.rounding import draw_rows

_TRIES = 100


def draw_codes(
    model: SyntheticModel, n: int | None, where: Conditions | None, generator: np.random.Generator
) -> Integers:
    """``n`` records of codes that meet the conditions and break no deny rule.

    Without ``n`` there are as many rows as the model says the data have, of those that meet the conditions.
    """
    probability = 1.0
    if where is not None:
        allowed = allowed_codes(parse_conditions(where, model.schema), model.schema)
        model, probability = model.restricted(allowed)
    rows = max(round(model.total * probability), 1) if n is None else n
    codes = draw_rows(model.mixture, model.marginals, rows, generator)
    return _without_denied(codes, model, generator)


def _without_denied(codes: Integers, model: SyntheticModel, generator: np.random.Generator) -> Integers:
    """Replace rows that a deny rule forbids by fresh rows that none forbids."""
    if not model.schema.deny:
        return codes
    for _ in range(_TRIES):
        broken = np.flatnonzero(model.schema.denied(codes.astype(model.schema.code_dtype)))
        if not len(broken):
            return codes
        codes[broken] = draw_rows(model.mixture, model.marginals, len(broken), generator, sweeps=0)
    raise ModelError("the deny rules leave next to no record that the model allows")
