"""Group-by tables of a released model: the share of records in every combination of groups, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Any

from oracledp.data.literals import Literal
from oracledp.data.output.conditions import Conditions, parse_conditions
from oracledp.data.schema import Boolean, Column, Ordered
from oracledp.errors import ParameterError
from oracledp.exact.numbers import Exact, probability
from oracledp.showing import html_table
from oracledp.synthesis.answers import Answer, answer_conjunction
from oracledp.synthesis.model import SyntheticModel

MOST_GROUPS = 10_000
Group = tuple[str, tuple[Literal, ...]]


@dataclass(frozen=True)
class GroupTable:
    """A line per combination of groups: how each column's group is called, and its share of all records.

    Every interval holds its true share with the ``confidence`` by itself; if ``together``, all of them do at once.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], Answer], ...]
    confidence: float
    together: bool

    def __str__(self) -> str:
        cells = [(*labels, f"{a.value:.4f}", f"{a.low:.4f} to {a.high:.4f}") for labels, a in self.rows]
        sure = f"{100 * self.confidence:g} % interval{', all at once' if self.together else ''}"
        lines = [(*self.columns, "share", sure), *cells]
        widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        rows = [(*labels, f"{a.value:.4f}", f"{a.low:.4f} – {a.high:.4f}") for labels, a in self.rows]
        return html_table((*self.columns, "share", "interval"), rows, caption="Shares of all records")

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        rows = [{"group": list(labels), **answer.to_json()} for labels, answer in self.rows]
        return {"by": list(self.columns), "confidence": self.confidence, "together": self.together, "rows": rows}


def group_table(
    model: SyntheticModel, by: Sequence[str], where: Conditions, confidence: Exact, *, together: bool
) -> GroupTable:
    """The shares of all combinations of the columns' groups, of the records that meet the conditions."""
    columns = [model.schema[name] for name in by]
    if not columns or len(set(by)) != len(by):
        raise ParameterError("by must name one or more different columns")
    groups = [groups_of(column) for column in columns]
    count = prod(len(listed) for listed in groups)
    if count > MOST_GROUPS:
        raise ParameterError(f"{count:,} groups are too many, {MOST_GROUPS:,} at most: cut a column more coarsely")
    asked = probability(confidence, "confidence")
    sure = 1 - (1 - asked) / count if together else asked
    common = parse_conditions(where, model.schema)
    lines = tuple(_line(model, chosen, common, sure) for chosen in product(*groups))
    return GroupTable(tuple(by), lines, float(asked), together)


def _line(
    model: SyntheticModel, chosen: Sequence[Group], common: tuple[Literal, ...], confidence: Fraction
) -> tuple[tuple[str, ...], Answer]:
    literals = [literal for _, own in chosen for literal in own]
    answer = answer_conjunction(model, [*common, *literals], confidence)
    return tuple(label for label, _ in chosen), answer


def groups_of(column: Column) -> list[Group]:
    """Each value of a column, or of an ordered one each stretch between thresholds; missing ones last.

    >>> from oracledp.data.schema import Schema
    >>> schema = Schema({"age": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [18, 65]}})
    >>> [label for label, _ in groups_of(schema["age"])]
    ['< 18', '18 to < 65', '>= 65']
    """
    present = (Literal.missing(column.name).negated(),) if column.nullable else ()
    if isinstance(column, Ordered):
        found = _stretches(column.value_literals, present)
    elif isinstance(column, Boolean):
        held = Literal.boolean(column.name)
        found = [("false", (held.negated(), *present)), ("true", (held,))]
    else:
        found = [(label, (Literal(column.name, "=", label),)) for label in column.value_labels]
    return [*found, *([("missing", (Literal.missing(column.name),))] if column.nullable else [])]


def _stretches(cuts: Sequence[Literal], present: tuple[Literal, ...]) -> list[Group]:
    if not cuts:
        return [("all", present)]
    first, last = cuts[0], cuts[-1]
    inner = [(f"{a.value} to < {b.value}", (a, b.negated())) for a, b in pairwise(cuts)]
    return [(f"< {first.value}", (first.negated(), *present)), *inner, (f">= {last.value}", (last,))]
