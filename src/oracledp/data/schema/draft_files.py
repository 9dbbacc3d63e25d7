"""The columns of a public file, with how they are spelled: delimiter, marks of missing values, numbers, words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oracledp.data.schema.file_format import FileFormat
from oracledp.data.schema.moments import TEXT
from oracledp.data.schema.number_marks import POINT, NumberMarks
from oracledp.data.schema.text_kinds import CENTS, TextKind, is_bare, is_fixed, kind_of, number_of, spelled_numbers
from oracledp.data.table.transcoding import as_utf8, header_line, header_of, is_utf8
from oracledp.errors import DataError
from oracledp.scratch import private_folder

_TRUTHS = (("false", "true"), ("False", "True"), ("FALSE", "TRUE"))


@dataclass(frozen=True)
class Drafted:
    """A column's values, None where one is missing, and the part of its definition that says how they are spelled."""

    values: Sequence[Any]
    spelling: dict[str, Any] = field(default_factory=dict)


def read_file(path: Path, file: FileFormat) -> tuple[dict[str, Drafted], FileFormat]:
    """A CSV or Parquet file; the rows are public, so everything about them may be looked at."""
    import duckdb

    if not path.is_file():
        raise DataError(f"{path}: no such file")
    reader = "parquet" if path.suffix in (".parquet", ".pq") else "csv"
    with private_folder() as folder, duckdb.connect(":memory:", config={"temp_directory": str(folder)}) as connection:
        try:
            if reader == "parquet":
                relation = connection.sql("SELECT * FROM read_parquet(?)", params=[str(path)])
                rows = relation.fetchall()
                return {name: typed_column([r[at] for r in rows]) for at, name in enumerate(relation.columns)}, file
            return _read_csv(connection, path, file)
        except duckdb.Error:
            raise DataError(f"{path.name}: cannot be read as {reader}") from None


def _read_csv(connection: Any, path: Path, file: FileFormat) -> tuple[dict[str, Drafted], FileFormat]:
    readable = path if is_utf8(file.encoding) else as_utf8(connection, path, file.encoding, path.suffix == ".gz")
    if file.delimiter is None:
        ((found,),) = connection.sql("SELECT Delimiter FROM sniff_csv(?)", params=[str(readable)]).fetchall()
        file = file.changed(delimiter=found if found != "," else None)
    asked, file = file, file.as_header(header_line(readable))
    options = f"all_varchar = true, delim = ?, header = {str(file.names is None).lower()}, quote = '\"', escape = '\"'"
    query = f"SELECT * FROM read_csv(?, {options}, auto_detect = true)"
    relation = connection.sql(query, params=[str(readable), file.separator])
    rows, names = relation.fetchall(), file.names
    if names is None:
        names = file.named(header_of(readable, path.name, file.separator, readable.suffix == ".gz"))
    if len(set(names)) != len(names):
        raise DataError(f"{path.name}: two columns have the same name")
    if len(names) != len(relation.columns):
        raise DataError(f"{path.name}: has {len(relation.columns)} columns, and {len(names)} names are given")
    if asked.blanks is None:
        file = file.as_texts([text for row in rows for text in row[1:] if text is not None])
    return {name: spelled_column([row[at] for row in rows], file.marks) for at, name in enumerate(names)}, file


def typed_column(values: Sequence[Any]) -> Drafted:
    """A column of a source that has types: where it holds texts, it has no moments as such.

    >>> typed_column(["2026-01-31", None]).spelling
    {'stored': 'text'}
    """
    held = [value for value in values if value is not None and value == value]
    return Drafted(values, {"stored": TEXT} if any(isinstance(value, str) for value in held) else {})


def spelled_column(texts: Sequence[str | None], marks: NumberMarks = POINT) -> Drafted:
    """A column of texts as what they say: numbers where all of them are, truth values, or texts.

    >>> spelled_column(["1.5", "?", "2.00"])
    Drafted(values=[Fraction(3, 2), None, 2], spelling={'missing': '?', 'places': 1})
    """
    kinds = {text: kind_of(text, marks) for text in set(texts)}
    held = {text for text, kind in kinds.items() if not kind.missing}
    spelling = _mark(Counter(kinds[text] for text in texts if kinds[text].missing))
    values: list[Any] = [text if text in held else None for text in texts]
    if held and all(kinds[text].kind in ("number", "bit") for text in held):
        read = {text: _number(text, marks) for text in held}
        numbers = [None if text is None else read[text] for text in values]
        return Drafted(numbers, spelling | _decimals([kinds[text] for text in held]) | _separators(held, marks))
    words = next((pair for pair in _TRUTHS if held and held <= set(pair)), None)
    if words is not None:
        own = {} if words == ("False", "True") else {"spelling": list(words)}
        return Drafted([None if text is None else text == words[1] for text in values], spelling | own)
    return Drafted(values, spelling)


def _mark(missing: Counter[TextKind]) -> dict[str, Any]:
    common = missing.most_common(1)
    return {"missing": common[0][0].mark} if common and common[0][0].mark is not None else {}


def _number(text: str | None, marks: NumberMarks) -> Any:
    number = number_of(text, marks)
    assert number is not None, "its kind says so"
    return int(number) if number.denominator == 1 else number


def _decimals(kinds: Sequence[TextKind]) -> dict[str, Any]:
    """How numbers are written where that is not the usual way."""
    if all(kind.kind == "bit" for kind in kinds):
        return {"spelling": ["0", "1"]}
    needed, written = spelled_numbers(kinds)
    written = 0 if any(kind.kind == "bit" for kind in kinds) else written
    money = needed == CENTS and is_fixed(kinds)
    return {} if not needed and not written else {"places": written} | ({"kind": "decimal"} if money else {})


def _separators(texts: Collection[str | None], marks: NumberMarks) -> dict[str, Any]:
    """Numbers that could have separators of thousands and have none are written without, too."""
    grouped = any(text is not None and marks.is_grouped(text) for text in texts)
    return {"thousands": False} if not grouped and any(is_bare(text, marks) for text in texts) else {}
