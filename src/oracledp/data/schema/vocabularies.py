"""Short public lists that everybody knows: who meets one word of them in a column expects the others, too."""

from __future__ import annotations

from collections.abc import Collection

_PAIRS = (("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("female", "male"), ("f", "m"))
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LOWER = (*_PAIRS, _MONTHS, tuple(m[:3] for m in _MONTHS), _DAYS, tuple(d[:3] for d in _DAYS))
_LISTS: tuple[tuple[str, ...], ...] = tuple(
    dict.fromkeys(tuple(cased(word) for word in words) for words in _LOWER for cased in (str, str.upper, str.title))
)


def completed(texts: Collection[str]) -> tuple[str, ...] | None:
    """The one public list that holds all these texts, in its own order; None where there is none, or several.

    A blank before every text is kept.

    >>> completed(["yes"]), completed([" Male"]), completed(["may"]), completed(["red"])
    (('no', 'yes'), (' Female', ' Male'), None, None)
    >>> completed(["may", "jun"])[:3]
    ('jan', 'feb', 'mar')
    """
    blank = " " if texts and all(text.startswith(" ") for text in texts) else ""
    bare = {text.removeprefix(blank) for text in texts}
    found = [words for words in _LISTS if bare and bare <= set(words)]
    return tuple(f"{blank}{word}" for word in found[0]) if len(found) == 1 else None
