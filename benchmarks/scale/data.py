"""Generated tables of any length: Parquet files in a folder, made by DuckDB, the same for the same arguments.

Every row belongs to one of a chosen number of profiles, and its columns follow from the profile, so that the number of
distinct records is under control: at most twice the number of profiles. Half of them are rare. The label is a
conjunction of two literals, wrong in one row of ten, so that the best rule of width 2 or 3 is known.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb

from oracledp.data.schema import Schema

REGIONS = [f"region {number:02d}" for number in range(12)]
LEVELS = ["none", "primary", "secondary", "college", "bachelor", "master", "doctorate"]
SECTORS = [f"sector {letter}" for letter in "ABCDEFGHI"]
TARGET = "sick"
PLANTED = "age >= 65 and smoker"
NOISE = 0.1


def schema(extra: int = 0) -> Schema:
    """Twelve columns of every kind, and ``extra`` booleans."""
    columns: dict[str, Any] = {
        "age": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [18, 25, 35, 45, 55, 65, 75]},
        "income": {"kind": "numeric", "lo": 0, "hi": 200_000, "bins": 10, "clip": True},
        "weight": {"kind": "numeric", "lo": 30, "hi": 150, "thresholds": [55, 70, 85, 100]},
        "region": {"kind": "categorical", "values": REGIONS},
        "education": {"kind": "categorical", "values": LEVELS, "nullable": True},
        "sector": {"kind": "categorical", "values": SECTORS[:-1], "other": "other"},
        "children": {"kind": "integer", "lo": 0, "hi": 5, "clip": True},
        "smoker": {"kind": "boolean"},
        "married": {"kind": "boolean"},
        "insured": {"kind": "boolean", "nullable": True},
        "urban": {"kind": "boolean"},
        TARGET: {"kind": "boolean"},
    }
    more: dict[str, Any] = {f"extra{number}": {"kind": "boolean"} for number in range(extra)}
    return Schema(more | columns)


def _draw(number: int, size: int, what: str = "p") -> str:
    """A pseudo-random integer below ``size`` from the profile or the row."""
    return f"CAST(hash({what} * 64 + {number}) % {size} AS INTEGER)"


def _choice(number: int, words: list[str]) -> str:
    listed = ", ".join(f"'{word}'" for word in words)
    return f"list_extract([{listed}], 1 + {_draw(number, len(words))})"


def _rows(first: int, last: int, profiles: int, extra: int) -> str:
    """The rows as SQL. A profile is the square of a uniform number, so that frequencies differ."""
    booleans = "".join(f", {_draw(20 + number, 2)} = 1 AS extra{number}" for number in range(extra))
    share = "(hash(i * 2) >> 11) / 9007199254740992.0"
    return f"""
        SELECT age, income, weight, region, education, sector, children, smoker, married, insured, urban,
               (age >= 65 AND smoker) != ({_draw(0, 10, "i")} = 0) AS {TARGET}
               {"".join(f", extra{number}" for number in range(extra))}
        FROM (SELECT i, {_draw(1, 100)} AS age,
                     CAST({_draw(2, 11)} * 20000 + {_draw(1, 20000, "i")} AS DOUBLE) AS income,
                     CAST(30 + {_draw(3, 120)} + {_draw(2, 1000, "i")} / 1000 AS DOUBLE) AS weight,
                     {_choice(4, REGIONS)} AS region,
                     nullif({_choice(5, LEVELS)}, 'none') AS education,
                     {_choice(6, SECTORS)} AS sector,
                     {_draw(7, 8)} AS children,
                     {_draw(8, 2)} = 1 AS smoker, {_draw(9, 2)} = 1 AS married,
                     CASE {_draw(10, 5)} WHEN 0 THEN NULL WHEN 1 THEN true ELSE false END AS insured,
                     {_draw(11, 2)} = 1 AS urban{booleans}
              FROM (SELECT i, CAST({profiles} * ({share}) * ({share}) AS BIGINT) AS p FROM range({first}, {last}) t(i)))
    """


def generate(folder: Path, *, rows: int, profiles: int, extra: int = 0, files: int = 8) -> None:
    """Write the table as Parquet files into an empty folder that only we can read."""
    folder.mkdir(mode=0o700)
    edges = [rows * number // files for number in range(files + 1)]
    with duckdb.connect(":memory:", config={"memory_limit": "4GB", "temp_directory": str(folder)}) as connection:
        for number, (first, last) in enumerate(pairwise(edges)):
            target = folder / f"part-{number:03d}.parquet"
            connection.execute(f"COPY ({_rows(first, last, profiles, extra)}) TO '{target}' (FORMAT parquet)")
