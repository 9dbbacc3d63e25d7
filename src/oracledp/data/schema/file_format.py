"""How a CSV file is spelled: delimiter, marks in numbers, encoding, line ends, blanks and, without a header, names."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from oracledp.data.schema.number_marks import NumberMarks
from oracledp.errors import ParameterError

KEYS = ("delimiter", "decimal", "thousands", "encoding", "names", "lines", "blanks")
_DELIMITERS = (",", ";", "\t", "|")
_DECIMALS = (".", ",")
_THOUSANDS = (",", ".", "'", "\u2019", " ", "\u00a0", "\u202f")
_LINES = {"lf": "\n", "crlf": "\r\n"}
_BLANKS = ("none", "after", "header")
_STATEFUL = "iso2022|hz|utf[-_]?7|punycode|idna|(raw[-_])?unicode[-_]escape"  # a line is not read by itself


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """What every reader and writer of a table's CSV files must know beside its columns; all of it public.

    ``names`` are those of the columns, in order, of files without a header. Without a ``delimiter`` it is a comma, or a
    tab where the file's name ends in ``.tsv``. ``thousands`` separates groups of three digits; numbers are read with it
    or without, and written with it. ``lines`` end as on Unix (``lf``) or Windows (``crlf``); ``blanks`` may
    stand ``after`` every delimiter, or after those of the ``header`` alone. Both are how rows are written: any of them
    is read.

    >>> FileFormat().changed(delimiter=";", decimal=",").to_json()
    {'delimiter': ';', 'decimal': ','}
    """

    delimiter: str | None = None
    decimal: str = "."
    thousands: str = ""
    encoding: str = "utf-8"
    names: tuple[str, ...] | None = None
    lines: str | None = None
    blanks: str | None = None

    def __post_init__(self) -> None:
        refuse_delimiter(self.delimiter)
        if self.decimal not in _DECIMALS:
            raise ParameterError("decimal must be a point or a comma")
        _refuse_encoding(self.encoding)
        _refuse_thousands(self.thousands, self.decimal, self.encoding)
        if self.names is not None:
            _refuse_names(self.names)
        if self.lines is not None and self.lines not in _LINES:
            raise ParameterError("lines must be lf or crlf")
        if self.blanks is not None and self.blanks not in _BLANKS:
            raise ParameterError("blanks must be none, after (every delimiter) or header (after its delimiters alone)")

    @property
    def marks(self) -> NumberMarks:
        """How numbers are spelled."""
        return NumberMarks(self.decimal, self.thousands)

    @property
    def line_end(self) -> str:
        """What ends a line that is written."""
        return _LINES[self.lines or "lf"]

    @property
    def separator(self) -> str:
        """What separates fields when rows are written."""
        return "," if self.delimiter is None else self.delimiter

    def as_header(self, line: bytes) -> FileFormat:
        """With the line end and the blanks of a header, where the format does not say them: names are public.

        >>> FileFormat().as_header(b"age, job\\r\\n").to_json()
        {'lines': 'crlf', 'blanks': 'after'}
        """
        if self.names is not None:
            return self
        delimiter = self.separator.encode()
        fields = line.rstrip(b"\r\n").split(delimiter)
        padded = len(fields) > 1 and all(field.startswith(b" ") for field in fields[1:])
        found = {"lines": "crlf" if line.endswith(b"\r\n") else None, "blanks": "after" if padded else None}
        return self.changed(**{key: value for key, value in found.items() if getattr(self, key) is None})

    def named(self, header: Sequence[str]) -> tuple[str, ...]:
        """The names of a header without the blanks that stand after its delimiters, if that leaves them different.

        >>> FileFormat(blanks="after").named(["age", " job"]), FileFormat().named(["age", " job"])
        (('age', 'job'), ('age', ' job'))
        """
        bare = tuple(name.removeprefix(" ") for name in header)
        clear = all(bare) and len(set(bare)) == len(bare)
        return bare if clear and self.padded_header and self.names is None else tuple(header)

    @property
    def padded_header(self) -> bool:
        """Whether blanks stand after the delimiters of the first line."""
        return self.blanks in ("after", "header")

    @property
    def padded_rows(self) -> bool:
        """Whether blanks stand after the delimiters of all other lines."""
        return self.blanks == "after"

    def as_texts(self, later: Sequence[str]) -> FileFormat:
        """With the blanks of the header alone where texts of the rows, of fields after the first, have none.

        >>> [FileFormat(blanks="after").as_texts(texts).blanks for texts in (["no", "yes"], [" no", " yes"], [])]
        ['header', 'after', 'after']
        """
        bare = any(text and not text.startswith(" ") for text in later)
        return replace(self, blanks="header") if bare and self.padded_rows else self

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


def uncut(header: Sequence[str], separator: str = ",") -> str | None:
    """What is wrong with a header that is a single name which another delimiter cuts; None where nothing is.

    >>> uncut(["age;sex"]), uncut(["age", "sex"])
    ("the header is a single name with ';' in it: give the --delimiter of the file", None)
    """
    mark = next((m for m in _DELIMITERS if m != separator and len(header) == 1 and m in header[0]), None)
    return mark and f"the header is a single name with {mark!r} in it: give the --delimiter of the file"


def _refuse_encoding(encoding: str) -> None:
    try:
        found = codecs.lookup(encoding)
        texts = found._is_text_encoding
    except (LookupError, TypeError, ValueError):
        raise ParameterError(f"encoding {encoding!r} is not known; common ones are utf-8, cp1252, latin-1") from None
    if not texts:
        raise ParameterError(f"encoding {encoding!r} is none of texts")
    if re.match(_STATEFUL, found.name):
        raise ParameterError(f"encoding {encoding!r}: what a letter says depends on rows before it; write utf-8 first")


def _refuse_thousands(mark: str, decimal: str, encoding: str) -> None:
    """A separator that files can hold and decimals leave free. It may be the delimiter: such fields are quoted."""
    if mark not in ("", *_THOUSANDS):
        raise ParameterError("thousands must be a comma, a point, an apostrophe or a blank (also a non-breaking one)")
    if mark == decimal:
        named = "a comma" if mark == "," else "a point"
        raise ParameterError(f"thousands and decimal must differ, and both are {named}")
    try:
        mark.encode(encoding)
    except UnicodeEncodeError:
        raise ParameterError(f"thousands: {encoding} has no such letter") from None


def _listed(names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ParameterError("names must list the columns of a file without a header, in order")
    return tuple(names)


def _refuse_names(names: tuple[Any, ...]) -> None:
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ParameterError("names must list the columns of a file without a header, in order")
    if len(set(names)) != len(names):
        raise ParameterError("names must differ from one another")
