"""How a CSV file is spelled: delimiter, decimal mark, encoding and, without a header, the names of its columns."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from oracledp.errors import ParameterError

KEYS = ("delimiter", "decimal", "encoding", "names")
_DECIMALS = (".", ",")


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """What every reader and writer of a table's CSV files must know beside its columns; all of it public.

    ``names`` are those of the columns, in order, of files without a header. Without a ``delimiter`` it is a comma, or a
    tab where the file's name ends in ``.tsv``.

    >>> FileFormat().changed(delimiter=";", decimal=",").to_json()
    {'delimiter': ';', 'decimal': ','}
    """

    delimiter: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        refuse_delimiter(self.delimiter)
        if self.decimal not in _DECIMALS:
            raise ParameterError("decimal must be a point or a comma")
        _refuse_encoding(self.encoding)
        if self.names is not None:
            _refuse_names(self.names)

    @property
    def separator(self) -> str:
        """What separates fields when rows are written."""
        return "," if self.delimiter is None else self.delimiter

    def changed(self, **given: Any) -> FileFormat:
        """The same but for what is given; None changes nothing."""
        return replace(self, **{key: value for key, value in given.items() if value is not None})

    @classmethod
    def parse(cls, entry: object) -> FileFormat:
        """The format of a definition such as ``{delimiter: ";", decimal: ","}``."""
        if entry is None:
            return cls()
        if not isinstance(entry, Mapping):
            raise ParameterError("must be a mapping such as {delimiter: ';', decimal: ','}")
        for key, value in entry.items():
            if key not in KEYS:
                raise ParameterError(f"unknown key {key!r}; it has {', '.join(KEYS)}")
            if key != "names" and not isinstance(value, str):
                raise ParameterError(f"{key} must be a text; put it in quotes")
        given = dict(entry)
        if "names" in given:
            given["names"] = _listed(given["names"])
        return cls(**given)

    def to_json(self) -> dict[str, Any]:
        """What differs from a plain CSV file."""
        plain, found = FileFormat(), {}
        for key in KEYS:
            value = getattr(self, key)
            if value != getattr(plain, key):
                found[key] = list(value) if key == "names" else value
        return found


def refuse_delimiter(delimiter: object) -> None:
    """One character that can separate fields."""
    if delimiter is None:
        return
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise ParameterError("delimiter must be one character, not a quote or a line break")


def _refuse_encoding(encoding: str) -> None:
    try:
        found = codecs.lookup(encoding)
        texts = found._is_text_encoding
    except (LookupError, TypeError, ValueError):
        raise ParameterError(f"encoding {encoding!r} is not known; common ones are utf-8, cp1252, latin-1") from None
    if not texts:
        raise ParameterError(f"encoding {encoding!r} is none of texts")


def _listed(names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ParameterError("names must list the columns of a file without a header, in order")
    return tuple(names)


def _refuse_names(names: tuple[Any, ...]) -> None:
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ParameterError("names must list the columns of a file without a header, in order")
    if len(set(names)) != len(names):
        raise ParameterError("names must differ from one another")
