"""From Parquet files to releases, stage by stage, against DuckDB alone: growth with rows, distinct records and columns.

Run: python -m benchmarks.scale.run [rows|records|columns|quick] [--most ROWS] [--into results.json]

Tables are generated into a private folder that is removed however the run ends. The largest takes about 3 GB of disk.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.scale import data

from oracledp.scratch import private_folder

KEEP_FREE = 20 << 30
BYTES_PER_ROW = 60  # rows and codes on disk, with room to spare
ALWAYS = ("encode", "group_stored_codes", "group_by_hand", "table", "exponential")
LEARN = ("rspm", "rule_set", "robust", "synthesizer")


@dataclass(frozen=True)
class Case:
    """One table and the stages to measure on it."""

    rows: int
    profiles: int
    extra: int = 0
    stages: tuple[str, ...] = ALWAYS


SERIES = {
    "quick": [Case(10**5, 10**4, stages=(*ALWAYS, "rspm"))],
    "rows": [Case(rows, 500_000, stages=(*ALWAYS, *LEARN)) for rows in (10**6, 10**7, 10**8)],
    "records": [Case(10**7, profiles, stages=(*ALWAYS, "rspm")) for profiles in (10**4, 10**5, 10**6, 5 * 10**6)],
    "columns": [Case(10**7, 10**5, extra, stages=(*ALWAYS, "rspm")) for extra in (0, 20, 40)],
}


def measure(case: Case) -> list[dict[str, Any]]:
    """Generate a table, run its stages one after the other, remove it."""
    free = shutil.disk_usage(os.environ.get("TMPDIR", "/tmp")).free
    if free < KEEP_FREE + BYTES_PER_ROW * case.rows:
        sys.exit(f"{case.rows:,} rows would leave less than 20 GB of disk free")
    found = []
    with private_folder() as folder:
        data.generate(folder / "rows", rows=case.rows, profiles=case.profiles, extra=case.extra)
        size = sum(file.stat().st_size for file in (folder / "rows").iterdir())
        for stage in case.stages:
            found.append(_run(stage, folder, case) | {"profiles": case.profiles, "table_rows": case.rows})
            found[-1] |= {"columns": len(data.schema(case.extra).columns), "parquet_bytes": size}
            print(json.dumps(found[-1]), flush=True)
    return found


def _run(stage: str, folder: Path, case: Case) -> dict[str, Any]:
    # one thread for products of matrices: their threads spin when the machine is busy
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.scale.stages", stage, str(folder), str(case.extra)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        return {"stage": stage, "failed": done.stderr.strip().splitlines()[-1:]}
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("series", nargs="*", default=["quick"], choices=list(SERIES))
    parser.add_argument("--most", type=float, default=1e8, help="skip longer tables")
    parser.add_argument("--least", type=float, default=0, help="skip shorter tables")
    parser.add_argument("--without", nargs="*", default=[], help="stages to leave out")
    parser.add_argument("--into", type=Path, help="a JSON file to add the results to")
    options = parser.parse_args()
    for name in options.series:
        for case in SERIES[name]:
            if options.least <= case.rows <= options.most:
                stages = tuple(stage for stage in case.stages if stage not in options.without)
                rows = [{"series": name, **row} for row in measure(replace(case, stages=stages))]
                if options.into is not None:
                    known = json.loads(options.into.read_text()) if options.into.exists() else []
                    options.into.write_text(json.dumps([*known, *rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
