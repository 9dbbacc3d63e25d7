"""What the library relies on in a query class, looked at query by query: hand in a small member of the family."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from oracledp.audit.conformance.verdict import NotConforming, demand
from oracledp.classes import class_from_json, query_from_json
from oracledp.classes.base import QueryClass
from oracledp.classes.points import Link, Points
from oracledp.classes.separation import all_records
from oracledp.classes.tables import parts_table
from oracledp.data.packed_records import PackedRecords
from oracledp.errors import ModelError

MOST_QUERIES = 3000
MOST_LITERALS = 10


def check_class(queries: QueryClass) -> None:
    """Everything a class promises, on all records over its literals.

    >>> from oracledp.classes import Conjunctions
    >>> from oracledp.data.literals import Literals
    >>> check_class(Conjunctions(Literals.named("a", "b", "c"), max_width=2))
    """
    demand(queries.size <= MOST_QUERIES, f"hand in a class of at most {MOST_QUERIES} queries, not {queries.size}")
    demand(queries.dimension <= MOST_LITERALS, f"hand in a class over at most {MOST_LITERALS} literals")
    records = all_records(queries.dimension).astype(np.uint8)
    listed = list(queries.all_parts())
    truth = np.array([queries.evaluate(parts, records) for parts in listed], dtype=bool)
    _check_listing(queries, listed)
    _check_embedding(queries, listed)
    _check_values(queries, listed, truth, records)
    _check_separator(queries, listed, truth)
    _check_reduction(queries, listed, truth, records)
    _check_words(queries, listed)


def _check_listing(queries: QueryClass, listed: list[tuple[int, ...]]) -> None:
    demand(len(listed) == queries.size, f"size says {queries.size}, but all_parts lists {len(listed)} queries")
    demand(len(set(listed)) == len(listed), "all_parts lists a query twice")
    ordered = sorted(listed, key=queries.order_key)
    demand(ordered == listed, "all_parts does not list the queries in the order of order_key")
    for parts in listed:
        demand(list(parts) == sorted(set(parts)), f"the parts {parts} are not increasing")
        demand(all(0 <= part < queries.part_count for part in parts), f"{parts} has a part beyond part_count")
        demand(queries.contains(parts), f"contains denies the listed query {parts}")
    known = set(listed)
    for parts in ((queries.part_count,), (-1,)):
        demand(parts in known or not queries.contains(parts), f"contains accepts {parts}")


def _check_embedding(queries: QueryClass, listed: list[tuple[int, ...]]) -> None:
    """k-hot with dummies (trap P2): every query, padded, has exactly ``hot`` parts."""
    for parts in listed:
        small = sum(1 for part in parts if part < queries.sizable_parts)
        if queries.dummies:
            demand(queries.sizable(parts) == small, f"sizable says {queries.sizable(parts)} of {parts}, not {small}")
            padded = len(parts) + queries.dummies - small
            demand(padded == queries.hot, f"{parts} has {padded} parts once it is padded, and hot says {queries.hot}")
        else:
            demand(len(parts) == queries.hot, f"{parts} has {len(parts)} parts, and hot says {queries.hot}")


def _check_values(
    queries: QueryClass, listed: list[tuple[int, ...]], truth: NDArray[np.bool_], records: NDArray[np.uint8]
) -> None:
    covered = queries.coverage(parts_table(listed), records)
    demand(np.array_equal(covered, truth), "coverage differs from evaluate")
    for parts, values in zip(listed, truth, strict=True):
        form = queries.points(parts)
        if form is not None:
            same = np.array_equal(_by_points(form, records), values)
            demand(same, f"the points of {parts} do not say what evaluate says")
        for other in queries.changed(parts):
            demand(queries.contains(tuple(other)), f"changed leads from {parts} to {other}, which is no query")
    constant = queries.constant_query()
    if constant is not None:
        values = queries.evaluate(constant, records)
        demand(bool(np.all(values == values[0])), "constant_query is not constant")


def _by_points(form: Points, records: NDArray[np.uint8]) -> NDArray[np.bool_]:
    if form.link is Link.ALL:
        return np.asarray(records[:, [literal for literal, _ in form.terms]].all(axis=1))
    total = np.zeros(len(records), dtype=np.int64)
    for literal, points in form.terms:
        total += points * records[:, literal].astype(np.int64)
    return np.asarray(total % 2 == 1 if form.link is Link.ODD else total >= form.threshold)


def _check_separator(queries: QueryClass, listed: list[tuple[int, ...]], truth: NDArray[np.bool_]) -> None:
    """Any two queries that differ somewhere differ on at least ``margin`` elements."""
    separator = queries.separator()
    seen = np.array([queries.evaluate(parts, separator.records) for parts in listed], dtype=np.int64)
    for first, second in combinations(range(len(listed)), 2):
        if not np.array_equal(truth[first], truth[second]):
            apart = int(np.abs(seen[first] - seen[second]).sum())
            demand(
                apart >= separator.margin,
                f"{listed[first]} and {listed[second]} differ on {apart} elements of the separator, "
                f"fewer than its margin of {separator.margin}",
            )
    noise = np.arange(1, len(separator) + 1, dtype=np.int64) ** 2
    costs = queries.linear_costs(noise)
    if costs is not None:
        for parts, values in zip(listed, seen, strict=True):
            said = costs.constant + sum(int(costs.parts[part]) for part in parts)
            demand(said == int(values @ noise), f"linear_costs gives {parts} another price than the separator does")


def _check_reduction(
    queries: QueryClass, listed: list[tuple[int, ...]], truth: NDArray[np.bool_], records: NDArray[np.uint8]
) -> None:
    """The weighted sum of a query is that of its branch over the reduced records, and a constant."""
    weights = (np.arange(len(records), dtype=np.int64) * 7919) % 23 - 11
    features, signed, constant = queries.reduce(PackedRecords.of(records), weights)
    by_extra = {branch.extra: branch for branch in queries.branches()}
    for parts, values in zip(listed, truth, strict=True):
        extra = next((extra for extra in by_extra if set(extra) <= set(parts)), None)
        demand(extra is not None, f"no branch leads to {parts}")
        assert extra is not None
        branch, inner = by_extra[extra], tuple(part for part in parts if part not in extra)
        held = int(branch.base.evaluate(inner, features.matrix()) @ signed)
        value = int(signed.sum()) - held if branch.negated else held
        demand(value + constant == int(values @ weights), f"reduce and branches give {parts} another value")


def _check_words(queries: QueryClass, listed: list[tuple[int, ...]]) -> None:
    try:
        again = class_from_json(queries.to_json())
    except ModelError as error:
        raise NotConforming(f"the class cannot be read back from its JSON: {error}") from None
    demand(again == queries, "the class read back from its JSON is another one")
    for parts in listed[:50]:
        query = queries.query(*parts)
        demand(bool(str(query).strip()), f"describe says nothing of {parts}")
        demand(query_from_json(query.to_json()) == query, f"{parts} read back from JSON is another query")
        queries.picture(parts)
