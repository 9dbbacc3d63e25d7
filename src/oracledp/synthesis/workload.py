"""What a synthetic table should be accurate on: marginals, ranges, query classes, single queries, with weights."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

from oracledp.classes import Conjunctions, Query, QueryClass
from oracledp.data.literals import Literal, Literals
from oracledp.data.output.conditions import parse_conditions
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.exact.numbers import positive
from oracledp.synthesis.counted import CountedQuery, countable, counted
from oracledp.synthesis.searched import NamedClass, searchable

DEFAULT = "marginals:3"
WIDEST_MARGINAL = 3
_NAME = re.compile(r"(marginals|conjunctions|disjunctions|parities|halfspaces|ranges)(?::(.*))?", re.DOTALL)
_WIDTHS = {"conjunctions": 4, "disjunctions": 4, "parities": 4, "halfspaces": 3}  # where none is given
NAMES = "marginals:K (K = 1, 2, 3), conjunctions:W, disjunctions:W, parities:K, halfspaces:K, ranges"


@dataclass(frozen=True)
class Weighted:
    """One class to search, and its weight."""

    searched: NamedClass | QueryClass
    weight: Fraction


@dataclass(frozen=True)
class Workload:
    """A parsed workload. ``order`` says up to how many columns every marginal is measured."""

    order: int
    marginals: Fraction  # the weight of what every table is measured on
    ranges: Fraction = Fraction(0)
    classes: tuple[Weighted, ...] = ()
    queries: tuple[tuple[CountedQuery, Fraction], ...] = ()

    @classmethod
    def parse(cls, given: Any, schema: Schema) -> Workload:
        """Read a name, a query, a class, a list of any of these, or a mapping (or pairs) from them to weights.

        >>> schema = Schema({"smoker": {"kind": "boolean"}, "adult": {"kind": "boolean"}})
        >>> parsed = Workload.parse({"marginals:2": 3, ("smoker", "adult"): 1, "halfspaces": 1}, schema)
        >>> parsed.order, [str(query.query) for query, _ in parsed.queries], parsed.classes[0].searched.width
        (2, ['smoker and adult'], 3)
        """
        order, marginals, ranges = 0, Fraction(0), Fraction(0)
        classes: list[Weighted] = []
        queries: list[tuple[CountedQuery, Fraction]] = []
        for item, weight in _items(given):
            name = _NAME.fullmatch(item.strip()) if isinstance(item, str) else None
            if name is None and isinstance(item, QueryClass):
                classes.append(Weighted(_checked(item, schema), weight))
            elif name is None:
                queries.append((_query(item, schema), weight))
            elif name[1] == "marginals":
                order, marginals = max(order, _width(name, WIDEST_MARGINAL)), marginals + weight
            elif name[1] == "ranges":
                _refuse_ranges(name, schema)
                ranges += weight
            else:
                classes.append(Weighted(NamedClass(name[1], _width(name)), weight))
        if not (order or ranges or classes or queries):
            raise ParameterError(f"the workload is empty; it may hold {NAMES}, query classes and queries")
        if not marginals:  # what the rest of the model stands on
            order, marginals = (WIDEST_MARGINAL if classes else 2), Fraction(1)
        return cls(max(order, 2), marginals, ranges, tuple(classes), tuple(queries))


def _items(given: Any) -> Iterator[tuple[Any, Fraction]]:
    """The parts of a workload with their weights, one where none is given."""
    if isinstance(given, Mapping):
        yield from ((item, _weight(weight)) for item, weight in given.items())
    elif isinstance(given, str | Literal | Query | QueryClass):
        yield given, Fraction(1)
    elif isinstance(given, Iterable):
        for item in given:
            if isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], int | float | Rational):
                yield item[0], _weight(item[1])
            else:
                yield item, Fraction(1)
    else:
        raise ParameterError(f"a workload is {NAMES}, a query class, a query, or a list of these")


def _weight(weight: Any) -> Fraction:
    try:
        found = positive(weight, "weight")
    except ParameterError:
        raise ParameterError("the weight of a workload must be a positive number") from None
    return found


def _width(name: re.Match[str], most: int | None = None) -> int:
    kind, text = name[1], name[2]
    if text is None and kind in _WIDTHS:
        return _WIDTHS[kind]
    if text is None or not re.fullmatch(r"[1-9][0-9]{0,3}", text) or (most is not None and int(text) > most):
        limit = f"from 1 to {most}; ask for conjunctions:W beyond that" if most else "a positive integer"
        raise ParameterError(f"workload {name[0]!r}: the number after '{kind}:' must be {limit}")
    return int(text)


def _refuse_ranges(name: re.Match[str], schema: Schema) -> None:
    if name[2] is not None:
        raise ParameterError(f"workload {name[0]!r}: 'ranges' takes no number")
    if not any(column.ordered for column in schema.columns):
        raise ParameterError("workload 'ranges': the schema has no ordered column (integer or numeric)")


def _checked(owner: QueryClass, schema: Schema) -> QueryClass:
    if not countable(owner, schema) or not searchable(owner):
        raise ParameterError(
            f"a workload cannot search these {owner.kind} ({owner.size} queries): use conjunctions, disjunctions, "
            "sparse halfspaces, or a class of at most two million queries"
        )
    for literal in owner.literals:
        schema[literal.column].holds(literal)
    return owner


def _query(item: Any, schema: Schema) -> CountedQuery:
    """A user's query: an odp query, one condition, or several that must all hold."""
    if isinstance(item, Query):
        return counted(item, schema)
    if not isinstance(item, str | Literal) and (not isinstance(item, Sequence) or not item):
        raise ParameterError(f"a workload may hold {NAMES}, query classes, queries and conditions")
    try:
        literals = parse_conditions(item, schema)
    except ParameterError as error:
        raise ParameterError(f"{error} (a workload may also hold {NAMES})") from None
    distinct = Literals(tuple(dict.fromkeys(literals)))
    for literal in distinct:
        schema[literal.column].holds(literal)
    return CountedQuery.of(Conjunctions(distinct).query(*range(len(distinct))), schema)
