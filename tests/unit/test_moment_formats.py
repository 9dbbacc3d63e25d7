"""Which formats dates and time stamps may have, which text is of which, and what is bought of them."""

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

import oracledp as odp
from oracledp.data.schema.moments import Date, Timestamp
from oracledp.data.schema.text_kinds import FORMATS, KINDS, TextKind, format_from, kind_of
from oracledp.errors import SchemaError

PLAIN = {"kind": "timestamp", "lo": "2020-01-01 00:00:00", "hi": "2029-12-31 00:00:00"}


@pytest.mark.parametrize(
    "spelled",
    [
        "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S %Z", "%d %B %Y %H:%M:%S.%f", "%f%Y-%m-%d %H:%M:%S",
        "%Y-%m-%d %H:%M.%f", "%-d%m%Y %H:%M", "%m %B %d %Y %H:%M",
        "%d %-d %m %Y %H:%M", "%-m/%d/%Y %H:%M", "%Y-%m-%d %H:%M:%SUTC",
        "%Y-%m-%d %H:%M:%S+01:00", "%Y-%m-%d %I:%M:%S %p", "%b %Y", "Z%Y-%m-%d %H:%M", "%y-%m-%d %H:%M",
    ],
)  # fmt: skip
def test_a_format_that_not_every_engine_reads_alike_is_refused(spelled: str) -> None:
    with pytest.raises(SchemaError, match=r"column 'x', key 'format': must hold %Y %m %d %H %M %S, each once"):
        odp.Schema({"x": {**PLAIN, "format": spelled}})


def test_a_date_has_no_clock_and_no_zone() -> None:
    for spelled in ("%Y-%m-%dZ", "%Y-%m-%d.%f", "%Y-%m-%d %H:%M:%S"):
        assert not Date.fits(spelled)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("12 Mar 2024", "date %-d %b %Y"), ("05 March 2024", "date %d %B %Y"), ("March 12, 2024", "date %B %-d, %Y"),
        ("5-Mar-2024", "date %-d-%b-%Y"), ("31 Feb 2024", "text"), ("5 Mär 2024", "text"), ("5 mar 2024", "text"),
        ("2024-03-05T01:02:03Z", "timestamp %Y-%m-%dT%H:%M:%SZ"), ("2024-03-05 01:02:03+02:00", "text"),
        ("2024-03-05T01:02:03.123Z", "timestamp %Y-%m-%dT%H:%M:%S.%fZ"), ("2024-03-05 01:02:03.", "text"),
        ("2024-03-05 01:02:03.123456+00:00", "timestamp %Y-%m-%d %H:%M:%S.%f+00:00"),
    ],
)  # fmt: skip
def test_each_text_is_of_one_kind(text: str, kind: str) -> None:
    assert str(kind_of(text)) == kind
    assert kind_of(text) in KINDS


def test_every_format_of_the_list_is_a_column_s_and_is_found_in_its_own_texts() -> None:
    """Of a column whose texts fit several formats together, too: May is both, and so is the 12th."""
    for kind, formats in FORMATS.items():
        if kind not in (Date, Timestamp):
            continue
        for spelled in formats:
            assert kind.fits(spelled), spelled
            column = kind(name="x", lo=0, hi=1, format=spelled)
            days = [datetime(2024, 1, 1, 3, 4, 5) + timedelta(days=n) for n in range(366)]
            counts = [column.count_of(day) or 0 for day in days]
            kinds = {kind_of(column.written(count)) for count in counts}
            assert format_from(kinds) in (spelled, spelled.replace("%m/%d", "%d/%m")), spelled
            assert [column.count_of(column.written(count)) for count in counts] == [
                count - count % column.grain for count in counts
            ]
            assert all(found in KINDS and found != TextKind("text") for found in kinds)


def test_what_a_file_spells_so_is_bought_drafted_and_written_so(tmp_path: Path) -> None:
    generator = np.random.default_rng(4)
    days = [datetime(2023, 1, 1) + timedelta(seconds=int(s)) for s in generator.integers(0, 10**7, 3000)]
    lines = [f'{day:%-d %B %Y},"{day:%b %-d, %Y}",{day:%Y-%m-%dT%H:%M:%S}.{day.second:03}Z' for day in days]
    (tmp_path / "raw.csv").write_text("long,short,seen\n" + "\n".join(lines) + "\n")
    formats = {"long": "%-d %B %Y", "short": "%b %-d, %Y", "seen": "%Y-%m-%dT%H:%M:%S.%fZ"}
    bought = odp.infer_schema(tmp_path / "raw.csv", epsilon=8, delta="1e-6", source=odp.SeededRandomness(0)).schema
    for schema in (bought, odp.Schema.draft(tmp_path / "raw.csv", public=True)):
        columns = schema.to_json()["columns"]
        assert {name: column["format"] for name, column in columns.items()} == formats
        table = odp.Table.from_file(tmp_path / "raw.csv", schema, strict=True)
        texts = schema.decode(table.codes[:1])
        assert [kind_of(str(texts[name][0])).kind for name in formats] == ["date", "date", "timestamp"]
