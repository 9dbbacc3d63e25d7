"""Damaged documents: valid ones with a node replaced, removed or repeated, and bytes with pieces cut out or changed."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, -1, 1, 2**31, 2**63, 2**64, 10**400, float("nan"), float("inf"), 1e308])
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["", "1/0", "0.1", "-1", "nan", "replace-one", "conjunction", "boolean", "\x00", "😀", "1e999"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every node below the root."""
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


@st.composite
def damaged(draw: st.DrawFn, *documents: Any) -> Any:
    """One of the documents with a few nodes replaced, removed, repeated or renamed."""
    document = copy.deepcopy(draw(st.sampled_from(documents)))
    for _ in range(draw(st.integers(1, 3))):
        paths = list(places(document))
        if not paths:
            return draw(VALUES)
        *parents, key = draw(st.sampled_from(paths))
        holder = document
        for step in parents:
            holder = holder[step]
        _damage(draw, holder, key)
    return document


def _damage(draw: st.DrawFn, holder: Any, key: Any) -> None:
    how = draw(st.sampled_from(["replace", "remove", "repeat", "rename"]))
    if how == "replace":
        holder[key] = draw(VALUES)
    elif how == "remove":
        del holder[key]
    elif isinstance(holder, list):
        holder.extend([holder[key]] * draw(st.integers(1, 3)))
    else:
        holder[draw(st.text(max_size=8))] = holder.pop(key) if how == "rename" else holder[key]


@st.composite
def damaged_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """The content with pieces cut out, changed or put in."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        length = draw(st.integers(0, 40) | st.integers(0, len(content)))
        content = content[:start] + draw(st.binary(max_size=12)) + content[start + length :]
    return content
