"""Columns at their resolution: cells, codes on every engine, values on the grid, literals at thresholds."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from oracledp.data.schema.grid import MOST_CELLS, Grid
from oracledp.data.table.arrays import encode_array
from oracledp.data.table.values import code_of

SCHEMA = odp.Schema(
    {
        "balance": {"kind": "integer", "lo": -8019, "hi": 102127, "resolution": 1, "thresholds": [0, 500, 12345]},
        "rate": {"kind": "numeric", "lo": 0, "hi": 2.5, "resolution": 0.01, "thresholds": [0.5]},
        "price": {"kind": "numeric", "lo": -3, "hi": 250000, "resolution": "0.001", "nullable": True},
        "dose": {"kind": "integer", "lo": 0, "hi": 101, "resolution": 5},
    }
)


def rows(count: int = 600) -> pd.DataFrame:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "balance": generator.integers(-9000, 110000, count),
            "rate": generator.random(count) * 2.6,
            "price": generator.normal(size=count) * 10 ** generator.uniform(0, 6, count),
            "dose": generator.integers(-3, 104, count),
        }
    )
    frame.loc[::7, "price"] = np.nan
    return frame


def test_a_schema_with_resolutions_survives_its_file(tmp_path: Path) -> None:
    SCHEMA.save(tmp_path / "schema.yaml")
    assert odp.Schema.load(tmp_path / "schema.yaml") == SCHEMA
    assert SCHEMA["price"].to_json()["resolution"] == 0.001


def test_literals_are_those_of_the_thresholds_alone() -> None:
    assert [str(literal) for literal in SCHEMA.literals if literal.column == "balance"] == [
        "balance >= 0",
        "balance >= 500",
        "balance >= 12345",
    ]
    for text in ("balance >= 12345", "rate >= 0.5"):
        literal = SCHEMA.literal(text)
        first = int(SCHEMA[literal.column].holds(literal).argmax())
        assert SCHEMA[literal.column].labels[first].strip("[").startswith(str(literal.value))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_and_frames_give_the_same_codes(tmp_path: Path, ending: str) -> None:
    frame, path = rows(), tmp_path / f"rows.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    one, other = odp.Table.from_frame(frame, SCHEMA), odp.Table.from_file(path, SCHEMA)
    assert np.array_equal(one.codes, other.codes)
    assert np.array_equal(one.counts, other.counts)


@pytest.mark.parametrize("name", SCHEMA.names)
def test_one_value_has_one_code_and_a_code_decodes_to_values_of_its_own(name: str) -> None:
    column, values = SCHEMA[name], rows()[name]
    codes = encode_array(column, values.to_numpy(), values.isna().to_numpy())
    assert codes.tolist() == [code_of(column, None if value != value else value) for value in values.tolist()]
    inside = codes[codes < column.value_size].astype(np.uint16)
    made = column.decode(inside, np.random.default_rng(1).random(len(inside))).astype(np.float64)
    assert np.array_equal(encode_array(column, made, np.zeros(len(made), dtype=np.bool_)), inside)


def test_values_are_written_with_the_precision_of_the_column() -> None:
    made = SCHEMA["rate"].decode(np.arange(251, dtype=np.uint16))
    assert max(len(repr(float(value))) for value in made) <= len("2.49")
    assert SCHEMA["dose"].decode(np.array([0, 20], dtype=np.uint16)).tolist() == [0, 100]


def test_a_value_counts_as_the_nearest_step() -> None:
    codes = [code_of(SCHEMA["rate"], value) for value in (0.004, 0.006, 0.4951, 2.5)]
    assert [SCHEMA["rate"].labels[code] for code in codes] == ["0", "0.01", "0.5", "2.5"]


def test_long_ranges_have_round_cells_and_few() -> None:
    grid = Grid(Fraction(-2000), Fraction(1, 100), 10**9, (Fraction(1, 3),))
    assert grid.size <= MOST_CELLS + 1
    assert grid.starts[0] == 0
    assert int(grid.widths.sum()) == grid.last + 1
    assert bool((grid.widths > 0).all())
    zero = int(grid.codes(np.array([200_000]))[0])
    assert grid.widths[zero] == 1
    assert grid.starts[zero] == 200_000


def test_numbers_without_end_are_malformed_and_not_cast() -> None:
    codes = encode_array(SCHEMA["price"], np.array([np.inf, -np.inf, np.nan, 1e300]), np.zeros(4, dtype=np.bool_))
    assert codes[2] == SCHEMA["price"].value_size
    assert len({int(code) for code in codes}) == 3
