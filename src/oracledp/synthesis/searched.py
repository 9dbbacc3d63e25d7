"""Classes that a selection can search: named ones made concrete, and whether there is a sampler at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oracledp.classes import Conjunctions, Disjunctions, Halfspaces, Parities, QueryClass
from oracledp.data.schema import Schema
from oracledp.mechanisms.sampling.tree_sampler import samples
from oracledp.oracles.values import MOST_QUERIES
from oracledp.synthesis.bins import Floats
from oracledp.synthesis.literal_choice import chosen_literals

_PER_COLUMN = (6, 5, 4, 3, 2, 1)  # tests of one column; the first that keeps the class small enough
_MOST = 20_000_000  # queries of a class chosen by name: the price of a selection grows with the logarithm


@dataclass(frozen=True)
class NamedClass:
    """A class by name: its literals are chosen in the fit, from the released one-ways."""

    kind: str
    width: int


@dataclass(frozen=True)
class Searched:
    """A class to select from, and in how many rounds."""

    queries: QueryClass
    rounds: int


def searchable(queries: QueryClass) -> bool:
    """Whether the exponential mechanism can draw from the class."""
    return all(branch.base.size <= MOST_QUERIES or samples(branch.base) for branch in queries.branches())


def concrete(named: NamedClass, schema: Schema, marginals: Sequence[Floats]) -> QueryClass:
    """The class over literals chosen from the released one-ways, as many as keep it searchable."""
    for per_column in _PER_COLUMN:
        queries = _build(named, schema, marginals, per_column)
        if queries.size <= _MOST and searchable(queries):
            break
    return queries


def _build(named: NamedClass, schema: Schema, marginals: Sequence[Floats], per_column: int) -> QueryClass:
    both = named.kind in ("conjunctions", "disjunctions")
    literals = chosen_literals(schema, marginals, per_column, negations=both)
    if named.kind == "conjunctions":
        return Conjunctions(literals, max_width=named.width)
    if named.kind == "disjunctions":
        return Disjunctions(literals, max_width=named.width)
    if named.kind == "parities":
        return Parities(literals, max_width=named.width)
    return Halfspaces(literals, max_nonzero=named.width, thresholds=(1, 2))
