"""What every entry of a ledger is: frozen, and written down in one way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from fractions import Fraction
from typing import Any, ClassVar, TypeVar

from oracledp.data.table.unit import MOST_ROWS_PER_PERSON
from oracledp.errors import ModelError, ParameterError
from oracledp.exact.numbers import exact, whole

LONGEST_NAME = 200

E = TypeVar("E", bound="Entry")


class Entry:
    """One kind of entry: frozen, with plain values in its JSON; fractions are strings, so nothing is rounded."""

    kind: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """Every field that says something."""
        plain = {name: _plain(value) for name, value in asdict(self).items()}  # type: ignore[call-overload]
        return {name: value for name, value in plain.items() if value is not None}

    @classmethod
    def from_json(cls: type[E], data: Mapping[str, Any]) -> E:
        """Read what :meth:`to_json` wrote; fields of later versions are passed over."""
        known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        return cls(**{name: cls._parse(name, value) for name, value in data.items() if name in known})

    @classmethod
    def _parse(cls, name: str, value: Any) -> Any:
        if name in ("epsilon", "delta", "rho", "rho_delta"):
            number = exact(value, name)
            if number < 0:
                raise ModelError("a ledger holds no negative numbers: they would give budget back")
            return number
        if name == "assumes":
            return tuple(str(claim) for claim in value)
        if name in ("private", "hashed"):
            return value is True
        if name == "files":
            return tuple((str(file), str(digest)) for file, digest in value)
        if name == "rows_per_person":
            return whole(value, name, most=MOST_ROWS_PER_PERSON)
        return value if value is None else str(value)


def encoded(entry: Entry) -> str:
    """The one text of an entry, over which its digest is taken."""
    return json.dumps(entry.to_json(), ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def short_text(value: str | None, option: str) -> str | None:
    """A name or a purpose that fits on a line of a report, or None."""
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_NAME or not value.isprintable():
        raise ParameterError(f"{option} must be a printable text of at most {LONGEST_NAME} characters on one line")
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    return list(value) if isinstance(value, tuple) else value
