"""A column in one line: ``integer 0..120``, ``numeric 0..2.5 by 0.01``, ``boolean?``, ``cook | smith``."""

from __future__ import annotations

import re
from typing import Any

from oracledp.errors import SchemaError

_NUMBER = r"[+-]?[0-9]+(?:[.][0-9]+)?"
_ORDERED = re.compile(rf"(integer|numeric)\s+({_NUMBER})\s*[.][.]\s*({_NUMBER})(?:\s+by\s+({_NUMBER}))?")
_AMOUNT = re.compile(rf"decimal\s+({_NUMBER})\s*[.][.]\s*({_NUMBER})\s+places\s+([0-9])")
_MOMENT = re.compile(r"(date|timestamp|duration)\s+([0-9].*?)\s*[.][.]\s*([0-9].*)")


def in_full(name: str, line: str) -> dict[str, Any]:
    """The definition that a line stands for; a question mark at the end says that values may be missing.

    >>> in_full("age", "integer 0..120?")
    {'kind': 'integer', 'lo': 0, 'hi': 120, 'resolution': 1, 'nullable': True}
    >>> in_full("job", "cook | smith | other: else")
    {'kind': 'categorical', 'values': ['cook', 'smith'], 'other': 'else'}
    """
    bare = line.strip()
    nullable = {"nullable": True} if bare.endswith("?") else {}
    bare = bare.removesuffix("?").strip()
    if bare == "boolean":
        return {"kind": "boolean"} | nullable
    found = _ORDERED.fullmatch(bare)
    if found is not None:
        return _ordered(name, *found.groups()) | nullable
    found = _AMOUNT.fullmatch(bare)
    if found is not None:
        return {"kind": "decimal", "lo": float(found[1]), "hi": float(found[2]), "places": int(found[3])} | nullable
    found = _MOMENT.fullmatch(bare)
    if found is not None:
        return {"kind": found[1], "lo": found[2], "hi": found[3]} | nullable
    if "|" in bare:
        return _listed(bare) | nullable
    raise SchemaError(
        f"column {name!r}: {line!r} is no short form; write 'boolean', 'integer 0..120', 'numeric 0..2.5 by 0.01', "
        "'decimal 0..99 places 2', 'date 2000-01-01..2029-12-31' or 'cook | smith'"
    )


def _ordered(name: str, kind: str, lo: str, hi: str, by: str | None) -> dict[str, Any]:
    if kind == "numeric" and by is None:
        raise SchemaError(
            f"column {name!r}: say how finely numbers are told apart, such as 'numeric {lo}..{hi} by 0.01'"
        )
    read = int if kind == "integer" and all(map(_whole, (lo, hi))) else float
    return {"kind": kind, "lo": read(lo), "hi": read(hi), "resolution": 1 if by is None else by}


def _whole(text: str) -> bool:
    return "." not in text


def _listed(bare: str) -> dict[str, Any]:
    words = [word.strip() for word in bare.split("|")]
    other = [word.removeprefix("other:").strip() for word in words if word.startswith("other:")]
    values = [word for word in words if not word.startswith("other:")]
    return {"kind": "categorical", "values": values} | ({"other": other[0]} if other else {})
