"""The file of results: rows by section and case, with the machine they were measured on."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.engine.measure import Row


def read(path: Path) -> dict[str, Any]:
    """What was measured so far; nothing if the file is not there."""
    return json.loads(path.read_text()) if path.is_file() else {"machine": {}, "rows": []}


def merge(known: dict[str, Any], rows: Iterable[Row]) -> dict[str, Any]:
    """New rows take the place of old ones of the same section and case.

    >>> old = {"machine": {}, "rows": [{"section": "a", "case": "x", "again": 2}]}
    >>> merge(old, [{"section": "a", "case": "x", "again": 1}])["rows"]
    [{'section': 'a', 'case': 'x', 'again': 1}]
    """
    kept = {(row["section"], row["case"]): row for row in known["rows"]}
    kept |= {(row["section"], row["case"]): row for row in rows}
    return {"machine": machine(), "rows": list(kept.values())}


def write(path: Path, results: dict[str, Any]) -> None:
    """One row per line, so that changes can be read."""
    lines = ",\n  ".join(json.dumps(row) for row in results["rows"])
    path.write_text(f'{{"machine": {json.dumps(results["machine"])},\n "rows": [\n  {lines}\n ]}}\n')


def machine() -> dict[str, str]:
    """The kind of processor, the Python version and the day."""
    return {"processor": _processor(), "python": platform.python_version(), "day": f"{datetime.now(UTC):%Y-%m-%d}"}


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
