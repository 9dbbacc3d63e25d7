"""What the library relies on in an SQL dialect: the engine's counts are those of the same rows read here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from oracledp.audit.conformance.verdict import demand
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.data.table.dialects import DIALECTS
from oracledp.data.table.pushdown import PushDown
from oracledp.extras import optional

SCHEMA = Schema(
    {
        "columns": {
            "age": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [18, 40, 65], "nullable": True},
            "pay": {"kind": "numeric", "lo": 0, "hi": 10, "thresholds": [1.5, 3]},
            "job": {"kind": "categorical", "values": ["cook", "smith", "o'hara"], "other": "other"},
            "fit": {"kind": "boolean"},
        }
    }
)
ROWS: tuple[tuple[int | None, float, str, bool], ...] = (
    (17, 1.5, "cook", True),
    (18, 1.499, "smith", False),
    (99, 9.99, "o'hara", True),
    (None, 0.0, "cook", False),
    (40, 3.0, "nobody knows", True),
    (140, 11.0, "cook", True),
    (17, 1.5, "cook", True),
)
Run = Callable[[str], Iterable[Sequence[int]]]


def check_dialect(name: str, types: dict[str, str], run: Run, *, source: str = "people") -> None:
    """A table ``source`` with the rows of :data:`ROWS` in an engine, and a function that runs a query there.

    ``types`` names the engine's types of the columns age, pay, job and fit.
    """
    demand(name in DIALECTS, f"no dialect of the name {name!r} is installed")
    plan = PushDown(SCHEMA, name, types)
    there = Table.from_pushdown(plan, run(plan.query(source)))
    columns = {column: [row[place] for row in ROWS] for place, column in enumerate(SCHEMA.names)}
    here = Table.from_frame(optional("pandas", extra="frames").DataFrame(columns), SCHEMA)
    demand(there.rows == len(ROWS), f"the engine counted {there.rows} rows of {len(ROWS)}")
    same = _sorted(there) == _sorted(here)
    demand(same, f"the engine encodes other records than the library: {_sorted(there)} beside {_sorted(here)}")


def _sorted(table: Table) -> list[tuple[list[int], int]]:
    return sorted((row.tolist(), int(count)) for row, count in zip(table.codes, table.counts, strict=True))
