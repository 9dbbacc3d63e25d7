"""One column's definition, read key by key: every complaint names the column and the key."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, NoReturn

from oracledp.data.schema.ordered import REACH
from oracledp.errors import SchemaError


def hint(given: object, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` where something known is close."""
    close = difflib.get_close_matches(str(given), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


class Entry:
    """One column's definition, read key by key."""

    def __init__(self, name: str, kind: str, entry: Mapping[Any, Any], keys: Collection[str]) -> None:
        self.name, self.entry = name, entry
        for key in entry:
            if key not in keys:
                article = "an" if kind[0] in "aeiou" else "a"
                listed = ", ".join(keys)
                self.refuse(key, f"unknown{hint(key, keys)}; {article} {kind} column has {listed}")

    def refuse(self, key: object, message: str) -> NoReturn:
        """An error that names the column and the key."""
        raise SchemaError(f"column {self.name!r}, key {str(key)!r}: {message}")

    def flag(self, key: str) -> bool:
        """True or false; false where the key is absent."""
        value = self.entry.get(key, False)
        if not isinstance(value, bool):
            self.refuse(key, "must be true or false")
        return value

    def integer(self, key: str, value: object) -> int:
        """A whole number that 64 bits hold with room."""
        if isinstance(value, bool) or not isinstance(value, Integral):
            self.refuse(key, "must be a whole number")
        if abs(int(value)) >= REACH:
            self.refuse(key, "must lie strictly between -2^62 and 2^62")
        return int(value)

    def number(self, key: str, value: object) -> float:
        """A finite 64-bit float."""
        if isinstance(value, bool) or not isinstance(value, Real):
            self.refuse(key, "must be a number")
        try:
            number = float(value) + 0.0  # -0.0 becomes 0.0
        except OverflowError:
            number = math.inf
        if not math.isfinite(number) or (isinstance(value, Integral) and number != value):
            self.refuse(key, "must be a finite number that a 64-bit float holds exactly")
        return number

    def bound(self, key: str) -> object:
        """What stands under a key that must be there."""
        if self.entry.get(key) is None:
            self.refuse(key, "missing; bounds must be given, they are never read from data")
        return self.entry[key]

    def items(self, key: str) -> list[Any] | None:
        """A list, or None where the key is absent."""
        value = self.entry.get(key)
        if value is None:
            return None
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            self.refuse(key, "must be a list")
        return list(value)

    def text(self, key: str, value: object) -> str:
        """A text that survives UTF-8 files and SQL literals."""
        if not isinstance(value, str) or not value:
            self.refuse(key, "must be a text that is not empty; put it in quotes")
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            self.refuse(key, "a text must not hold the character NUL or a lone surrogate")
        return value

    def gaps(self) -> dict[str, Any]:
        """Whether values may be missing, and the mark of those that are, which says so by itself."""
        mark = self.entry.get("missing")
        if mark is None:
            return {"nullable": self.flag("nullable")}
        if "nullable" in self.entry and not self.flag("nullable"):
            self.refuse("missing", "a mark of missing values needs 'nullable: true', or no such key")
        return {"nullable": True, "mark": self.text("missing", mark)}
