"""A record of a file is one row, wherever it stands and whatever is in it: neighbours differ by it alone."""

from pathlib import Path

import pytest

import oracledp as odp
from oracledp.data.schema import FileFormat
from oracledp.data.schema.number_marks import LONGEST_NUMBER
from oracledp.data.schema.text_kinds import kind_of
from oracledp.data.table.texts import read_texts
from oracledp.errors import ParameterError

FILL = b"pppp,q," + b"r" * 92 + b"\n"  # a plain record of 100 bytes
NOTE = b'"' + b"x,q,z\n" * 10 + b'",b,c\n'  # one record, whose lines look like records
SCHEMA = odp.Schema({"y": {"kind": "categorical", "values": ["q", "w"], "other": "o"}})

STRICT = odp.Schema({"y": {"kind": "categorical", "values": ["b", "q", "w"]}})


@pytest.mark.parametrize("before", [0, 30, 50, 62])
def test_quotes_across_the_megabytes_that_a_scanner_may_take_at_a_time_stay_one_record(
    before: int, tmp_path: Path
) -> None:
    """Several scanners begin every 8,000,000 bytes, in the midst of a quoted text as well."""
    first = b"p,w," + b"r" * (before - 5) + b"\n" if before else b""
    (tmp_path / "rows.csv").write_bytes(b"x,y,z\n" + first + FILL * 79_999 + NOTE + FILL * 20_000)
    rows = 100_000 + bool(before)
    for strict in (False, True):
        assert odp.Table.from_file(tmp_path / "rows.csv", STRICT if strict else SCHEMA, strict=strict).rows == rows
    places = read_texts(tmp_path / "rows.csv").counts[1]
    assert (sum(places.values()), places["q"], places["b"]) == (rows, 99_999, 1)


@pytest.mark.parametrize("head", ["", "0.", "0", "-", "1e", "1.", "00:", "2026-"])
@pytest.mark.parametrize("digit", "01")
@pytest.mark.parametrize("tail", ["", ".", ":00:00", ":00", "e3", "-01-01"])
def test_no_text_is_too_long_to_be_of_a_kind(head: str, digit: str, tail: str) -> None:
    """Python refuses to read more than 4,300 digits, which would tell of one row."""
    for length in (LONGEST_NUMBER, 4300, 5000, 50_000):
        assert kind_of(head + digit * length + tail).kind in ("text", "number", "missing")


def test_a_long_number_is_malformed_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("a\n" + "1\n" * 20 + f"0.{'1' * 5000}\n{'1' * 5000}\n{'1' * 5000}:00:00\n")
    for kind in (
        "numeric 0..9 by 0.01",
        "integer 0..9",
        {"kind": "duration", "lo": "0:00:00", "hi": "9:00:00", "clip": True},
    ):
        table = odp.Table.from_file(tmp_path / "long.csv", odp.Schema({"a": kind}))
        assert table.rows == 23


@pytest.mark.parametrize("encoding", ["iso2022_jp", "iso2022_kr", "hz", "utf-7", "unicode_escape", "punycode"])
def test_encodings_in_which_a_row_changes_what_others_say_are_refused(encoding: str) -> None:
    with pytest.raises(ParameterError, match="depends on rows before it"):
        FileFormat(encoding=encoding)
