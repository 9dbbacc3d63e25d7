"""Query classes: what can be asked, with identification sets, parts, duals and names. No data here."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from oracledp.classes.base import Branch, Parts, Query, QueryClass, Separator
from oracledp.classes.decision_lists import DecisionLists
from oracledp.classes.dual import Dual
from oracledp.classes.formulas import ReadOnceFormulas
from oracledp.classes.halfspaces import Halfspaces
from oracledp.classes.loss import ZeroOneLoss
from oracledp.classes.signed import Signed
from oracledp.classes.subsets import Conjunctions, Disjunctions, Parities
from oracledp.data.literals import Literals
from oracledp.errors import ModelError, OracleDPError

__all__ = [
    "Branch",
    "Conjunctions",
    "DecisionLists",
    "Disjunctions",
    "Dual",
    "Halfspaces",
    "Parities",
    "Parts",
    "Query",
    "QueryClass",
    "ReadOnceFormulas",
    "Separator",
    "Signed",
    "ZeroOneLoss",
    "class_from_json",
    "query_from_json",
]

_SIMPLE: dict[str, type[QueryClass]] = {
    c.kind: c for c in (Conjunctions, Disjunctions, Parities, Halfspaces, DecisionLists, ReadOnceFormulas)
}


def class_from_json(data: dict[str, Any]) -> QueryClass:
    """Read what :meth:`QueryClass.to_json` wrote.

    >>> queries = Parities(Literals.named("a", "b")).closure()
    >>> class_from_json(queries.to_json()) == queries
    True
    """
    try:
        return _read_class(dict(data))
    except OracleDPError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelError("this is not a query class written by oracledp") from error


def _read_class(data: dict[str, Any]) -> QueryClass:
    kind = data.pop("kind")
    literals = Literals.from_json(data.pop("literals"))
    if kind in (Signed.kind, ZeroOneLoss.kind):
        return _read_wrapper(kind, literals, data)
    if kind not in _SIMPLE:
        raise ModelError(f"unknown query class {kind!r}")
    for key in ("weights", "thresholds"):
        if key in data:
            data[key] = tuple(Fraction(value) for value in data[key])
    if data.get("code") is not None:
        data["code"] = tuple(tuple(int(bit) for bit in column) for column in data["code"])
    return _SIMPLE[kind](literals, **data)


def _read_wrapper(kind: str, literals: Literals, data: dict[str, Any]) -> QueryClass:
    """A closure or a loss, which must be over the literals of the class inside it (and a target)."""
    inner = _read_class(dict(data["base" if kind == Signed.kind else "hypotheses"]))
    expected = literals if kind == Signed.kind else literals[:-1]
    if len(literals) == 0 or inner.literals != expected:
        raise ModelError(f"a {kind} class and the class inside it have different literals")
    return Signed(literals, inner) if kind == Signed.kind else ZeroOneLoss(literals, inner)


def query_from_json(data: dict[str, Any]) -> Query:
    """Read what :meth:`Query.to_json` wrote."""
    try:
        owner, parts = class_from_json(data["class"]), [int(part) for part in data["parts"]]
    except OracleDPError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelError("this is not a query written by oracledp") from error
    return owner.query(*parts)
