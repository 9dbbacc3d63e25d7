"""One stage in a process of its own: what it costs in processor time, wall time and peak memory, as one line of JSON.

Run by run.py: python -m benchmarks.scale.stages STAGE FOLDER EXTRA

FOLDER holds rows/ and codes/ of a generated table.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.scale import data

from oracledp.data.schema import Boolean, Categorical, Column, Ordered, Schema
from oracledp.data.table import Table
from oracledp.data.table.duck import private_connection
from oracledp.learning import learn_table
from oracledp.learning.models import accuracy, rule_class
from oracledp.mechanisms.robust import NothingReleased, design_prsma, prsma
from oracledp.synthesis import Synthesizer

MEMORY = "5GB"
Found = dict[str, Any]
Stage = Callable[[Path, Schema], tuple[Callable[[], Any], Callable[[Any], Found]]]


# ---- the physical limit: DuckDB alone ---------------------------------------------------------------
def by_hand(column: Column) -> str:
    """The code of a column as one would write it for data that are known to be clean."""
    if isinstance(column, Ordered):
        steps = " ".join(f"WHEN {column.name} < {cut} THEN {code}::UTINYINT" for code, cut in enumerate(column.cuts))
        return f"CASE {steps} ELSE {len(column.cuts)}::UTINYINT END"
    if isinstance(column, Categorical):
        listed = ", ".join(f"'{value}'" for value in column.values)
        return f"coalesce(enum_code(TRY_CAST({column.name} AS ENUM({listed}))), {len(column.values)}::UTINYINT)"
    assert isinstance(column, Boolean)
    code = f"CAST({column.name} AS UTINYINT)"
    return f"coalesce({code}, 2::UTINYINT)" if column.nullable else code


def coded(folder: Path, schema: Schema) -> str:
    codes = ", ".join(f"{by_hand(column)} AS c{index}" for index, column in enumerate(schema.columns))
    return f"SELECT {codes} FROM read_parquet('{folder}/rows/*.parquet')"


def grouped(source: str, schema: Schema) -> Found:
    names = ", ".join(f"c{index}" for index in range(len(schema.columns)))
    with private_connection(MEMORY) as connection:
        found: Found = connection.sql(f"SELECT {names}, count(*) AS n FROM ({source}) GROUP BY {names}").fetchnumpy()
        return found


def _size(found: Found) -> Found:
    return {"distinct": len(found["n"]), "rows": int(found["n"].sum())}


def encode(folder: Path, schema: Schema) -> Any:
    """Write the codes to disk, for the stage after."""

    def run() -> None:
        (folder / "codes").mkdir()
        with private_connection(MEMORY) as connection:
            connection.execute(f"COPY ({coded(folder, schema)}) TO '{folder}/codes/all.parquet' (FORMAT parquet)")

    return run, lambda _: {}


def group_stored_codes(folder: Path, schema: Schema) -> Any:
    """GROUP BY over codes that are on disk already."""
    return lambda: grouped(f"SELECT * FROM read_parquet('{folder}/codes/*.parquet')", schema), _size


def group_by_hand(folder: Path, schema: Schema) -> Any:
    """GROUP BY over codes worked out in the same query, nothing checked."""
    return lambda: grouped(coded(folder, schema), schema), _size


# ---- ours ----------------------------------------------------------------------------------------------
def table(folder: Path, schema: Schema) -> Any:
    """Parquet to Table, everything checked."""

    def keep(found: Table) -> Found:
        np.savez(folder / "table.npz", codes=found.codes, counts=found.counts)
        return {
            "distinct": len(found.counts),
            "rows": found.rows,
            "table_bytes": found.codes.nbytes + found.counts.nbytes,
        }

    return lambda: Table.from_file(folder / "rows", schema, memory=MEMORY), keep


def kept(folder: Path, schema: Schema) -> Table:
    arrays = np.load(folder / "table.npz")
    return Table(schema, arrays["codes"], arrays["counts"])


def _rule(folder: Path, schema: Schema, **options: Any) -> Any:
    found = kept(folder, schema)
    target = schema.literal(data.TARGET)
    return lambda: learn_table(found, target, epsilon=1, model="conjunction", size=3, **options), lambda release: {
        "error": round(1 - accuracy(release, found), 5)
    }


def exponential(folder: Path, schema: Schema) -> Any:
    """A conjunction of at most three literals by the exponential mechanism."""
    return _rule(folder, schema)


def rspm(folder: Path, schema: Schema) -> Any:
    """The same by perturbed minimisation."""
    return _rule(folder, schema, mechanism="rspm")


def rule_set(folder: Path, schema: Schema) -> Any:
    """What the command line learns by default."""
    found = kept(folder, schema)
    return lambda: learn_table(found, schema.literal(data.TARGET), epsilon=1), lambda release: {
        "error": round(1 - accuracy(release, found), 5)
    }


def robust(folder: Path, schema: Schema) -> Any:
    """PRSMA over conjunctions of at most two literals, (1, 1e-6)-DP."""
    found = kept(folder, schema)
    rules = rule_class("conjunction", schema.literals.without(data.TARGET), schema.literal(data.TARGET), size=2)

    def run() -> Any:
        design = design_prsma(epsilon=1, delta="1e-6", rows=found.rows, max_calls=200_000)
        return design, prsma(found, rules, epsilon=1, delta="1e-6", design=design)

    def explain(answer: Any) -> Found:
        design, release = answer
        missed = isinstance(release, NothingReleased)
        error = None if missed else round(1 - accuracy(release, found), 5)
        return {"calls": design.calls, "parts": design.parts, "rules": rules.size, "error": error}

    return run, explain


def synthesizer(folder: Path, schema: Schema) -> Any:
    """Measure all three-way marginals and fit."""
    found = kept(folder, schema)
    return lambda: Synthesizer(schema, epsilon=1, delta="1e-6").fit(found), lambda fitted: {
        "measured": len(fitted.model_.tables)
    }


STAGES: dict[str, Stage] = {
    stage.__name__: stage
    for stage in (
        encode, group_stored_codes, group_by_hand, table, exponential, rspm, rule_set, robust, synthesizer,
    )
}  # fmt: skip


def peak() -> float:
    """GiB; of this program alone, where the parent's peak would count in ru_maxrss too."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 2**20


def main(stage: str, folder: str, extra: str) -> None:
    run, explain = STAGES[stage](Path(folder), data.schema(int(extra)))
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    result = run()
    after, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter() - start
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    figures = {"stage": stage, "cpu": round(cpu, 2), "wall": round(wall, 2), "peak_gib": round(peak(), 2)}
    print(json.dumps(figures | explain(result)))


if __name__ == "__main__":
    main(*sys.argv[1:])
