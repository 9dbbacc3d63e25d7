"""Dates and time stamps: read alike from files and frames, written in their own format."""

from datetime import date, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from oracledp.data.table.values import code_of
from oracledp.errors import SchemaError

SCHEMA = odp.Schema(
    {
        "born": {"kind": "date", "lo": date(1950, 1, 1), "hi": "2009-12-31", "format": "%d/%m/%Y", "nullable": True,
                 "thresholds": ["1980-01-01", "2000-01-01"]},
        "seen": {"kind": "timestamp", "lo": "2026-01-01 00:00:00", "hi": "2026-01-31 23:59:59", "resolution": 3600},
    }
)  # fmt: skip
TEXTS = [
    "01/02/1980",
    "31/12/1979",
    "31/02/1980",
    "1980-02-01",
    "",
    "nan",
    "29/02/2000",
    " 01/01/1900 ",
    "99/99/9999",
    "x",
]
TIMES = ["2026-01-01 00:59:59", "2026-01-01 01:00:00", "2026-01-31 23:59:59", "2027-01-01 00:00:00", "2026-01-01", "",
         "2026-01-15 24:00:00", "1999-01-01 00:00:00", "2026-01-05 10:60:00", "2026-01-09 10:10:10"]  # fmt: skip


def test_files_and_frames_give_the_same_codes(tmp_path: Path) -> None:
    frame = pd.DataFrame({"born": TEXTS, "seen": TIMES})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    one, other = odp.Table.from_frame(frame, SCHEMA), odp.Table.from_file(tmp_path / "rows.csv", SCHEMA)
    assert np.array_equal(one.codes, other.codes)
    assert np.array_equal(one.counts, other.counts)
    assert one.mapped is not None
    assert other.mapped is not None
    assert np.array_equal(one.mapped, other.mapped)


def test_objects_and_texts_mean_the_same_and_values_come_back_in_the_format() -> None:
    born, seen = SCHEMA["born"], SCHEMA["seen"]
    assert code_of(born, "01/02/1980") == code_of(born, date(1980, 2, 1)) == code_of(born, datetime(1980, 2, 1, 5))
    assert code_of(seen, pd.Timestamp("2026-01-01 05:30:00")) == 5
    assert code_of(born, 7) == code_of(born, "x") == born.size + 1
    for column in (born, seen):
        codes = np.arange(column.value_size, dtype=np.uint16)
        made = column.decode(codes, np.random.default_rng(0).random(len(codes)))
        assert [code_of(column, value) for value in made] == codes.tolist()
    assert seen.decode(np.array([5], dtype=np.uint16)).tolist() == ["2026-01-01 05:00:00"]


def test_literals_files_and_words() -> None:
    assert [str(literal) for literal in SCHEMA["born"].literals] == [
        "born >= 1980-01-01", "born >= 2000-01-01", "born is missing",
    ]  # fmt: skip
    assert odp.Schema(SCHEMA.to_json()) == SCHEMA
    table = odp.Table.from_frame(pd.DataFrame({"born": TEXTS, "seen": TIMES}), SCHEMA)
    assert int(table.matrix([SCHEMA.literal("born >= 1980-01-01")])[:, 0] @ table.counts) == 2
    from oracledp.data.wording import all_of

    assert all_of([SCHEMA.literal("born >= 1980-01-01"), SCHEMA.literal("born >= 2000-01-01")]) == "born >= 2000-01-01"


@pytest.mark.parametrize(
    ("key", "entry"),
    [
        ("format", {"format": "%d.%m"}),
        ("format", {"format": "%d%m%Y%Y"}),
        ("lo", {"lo": "soon"}),
        ("lo", {"lo": "2020-01-01"}),
        ("thresholds", {"thresholds": ["1900-01-01"]}),
        ("resolution", {"resolution": 0.5}),
    ],
)
def test_what_cannot_be_is_refused_by_key(key: str, entry: dict[str, object]) -> None:
    with pytest.raises(SchemaError, match=f"column 'born', key '{key}'"):
        odp.Schema({"born": {"kind": "date", "lo": "2000-01-01", "hi": "2009-12-31"} | entry})


def test_synthetic_dates_are_dates() -> None:
    generator = np.random.default_rng(0)
    days = pd.Timestamp("1990-01-01") + pd.to_timedelta(generator.integers(0, 3000, 2000), unit="D")
    frame = pd.DataFrame({"born": days, "old": days < pd.Timestamp("1994-01-01")})
    schema = odp.Schema({"born": {"kind": "date", "lo": "1950-01-01", "hi": "2009-12-31"}, "old": "boolean"})
    fitted = odp.Synthesizer(schema, epsilon=2, delta="1e-6").fit(frame, source=odp.SeededRandomness(0))
    made = pd.to_datetime(fitted.sample(500, seed=0)["born"].astype(str))
    assert abs((made.mean() - frame["born"].mean()).days) < 120
