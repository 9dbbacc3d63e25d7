"""Shares of records read off measured parities: an indicator is a sum of products of signed features."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

from oracledp.synthesis.model import SyntheticModel


def parity_estimate(
    model: SyntheticModel, part: tuple[int, ...], allowed: Sequence[NDArray[np.bool_]]
) -> tuple[float, float] | None:
    """An unbiased share and its standard deviation, or None where the features or parities do not express the query.

    With 1[column allowed] = a_0 + Σ_f a_f s_f for every column, the query is the product of these sums: the
    constants are known, products of features come from parities, and so do single ones of columns counted in stages;
    other single ones come from the tables of their values.
    """
    expansions = [_expansion(model, column, allowed[column]) for column in part]
    known = [expansion for expansion in expansions if expansion is not None]
    if len(known) < len(part):
        return None
    measured = _parities(model)
    count, variance = 0.0, 0.0
    for choice in product(*known):
        chosen = tuple(feature for feature, _ in choice if feature >= 0)
        weight = prod(coefficient for _, coefficient in choice)
        if len(chosen) < 2 or weight == 0:
            continue  # single features follow below
        if chosen not in measured:
            return None
        value, noise = measured[chosen]
        count, variance = count + weight * value, variance + weight**2 * noise
    for number, column in enumerate(part):
        others = prod(expansion[0][1] for k, expansion in enumerate(known) if k != number)
        single = _single(model, column, known[number], measured)
        if single is None:
            return None
        count, variance = count + others * single[0], variance + others**2 * single[1]
    constant = prod(expansion[0][1] for expansion in known)
    return constant + count / model.total, sqrt(variance) / model.total


Expansion = list[tuple[int, float]]


def _expansion(model: SyntheticModel, column: int, allowed: NDArray[np.bool_]) -> Expansion | None:
    """The coefficients of a column's indicator: the constant (named -1), then its features."""
    features = model.features.of(column)
    signs = [model.features.signs[f][model.bins[column].fine] for f in features]
    design = np.stack([np.ones(len(allowed)), *signs], axis=1)
    solution = np.linalg.lstsq(design, allowed.astype(np.float64), rcond=None)[0]
    if np.abs(design @ solution - allowed).max() > 1e-9:
        return None
    return [(-1, float(solution[0])), *((f, float(a)) for f, a in zip(features, solution[1:], strict=True))]


def _single(
    model: SyntheticModel, column: int, expansion: Expansion, measured: dict[tuple[int, ...], tuple[float, float]]
) -> tuple[float, float] | None:
    """The sum of a column's single features by their coefficients, and its variance; None where it was not counted."""
    if model.bins[column].stages:
        if any((feature,) not in measured for feature, _ in expansion[1:]):
            return None
        found = [(coefficient, *measured[(feature,)]) for feature, coefficient in expansion[1:]]
        return sum(a * value for a, value, _ in found), sum(a**2 * noise for a, _, noise in found)
    table = next(t for t in model.tables if t.columns == (column,) and t.levels == (-1,))
    fine = model.bins[column].fine
    weights = sum((a * model.features.signs[f][fine] for f, a in expansion[1:]), np.zeros(len(fine)))
    return float(weights @ table.values), float((weights**2).sum() * table.variance)


def _parities(model: SyntheticModel) -> dict[tuple[int, ...], tuple[float, float]]:
    return {
        tuple(subset): (float(value), float(measured.variance))
        for measured in model.parities
        for subset, value in zip(measured.subsets.tolist(), measured.values.tolist(), strict=True)
    }
