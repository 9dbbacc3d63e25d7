"""What a release would be worth before anything is spent: ``oracledp plan`` in a process of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from threading import BoundedSemaphore
from typing import Any

from oracledp.data.table.unit import Unit
from oracledp.errors import ParameterError
from oracledp.privacy.persons import row_epsilon
from oracledp.service.jobs import COMMAND, refuse_long
from oracledp.service.store import Console

LONGEST = 60  # seconds for one plan
OPTIONS = {
    "learn": ("target", "epsilon", "delta", "model", "size", "rows", "target-error"),
    "synth": ("epsilon", "delta", "rows", "target-error"),
}
_AT_ONCE = BoundedSemaphore(2)


def planned(console: Console, dataset: str, kind: str, given: Mapping[str, str]) -> dict[str, Any]:
    """The plan as ``oracledp plan --json`` has it; what is wrong with its numbers is said in one line. It reads no row.

    With several rows per person each has its share of ε, and the rows that are asked about are those that are kept.
    """
    if kind not in OPTIONS:
        raise ParameterError(f"a plan is for one of {', '.join(OPTIONS)}")
    unknown = set(given) - set(OPTIONS[kind])
    if unknown:
        raise ParameterError(f"{sorted(unknown)[0]!r} is not an option of a plan for {kind}")
    refuse_long(given)
    known = console.dataset(dataset)
    unit = Unit(known.person, known.rows_per_person)
    shared = {**given, "epsilon": str(row_epsilon(given.get("epsilon", ""), unit))}
    options = [f"--{name}={value}" for name, value in shared.items() if value != ""]
    command = [*COMMAND, "plan", kind, f"--schema={console.schema_path(known.name)}", *options, "--json"]
    if not _AT_ONCE.acquire(timeout=LONGEST):
        raise ParameterError("too many plans are being made: try again in a minute")
    try:
        made = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        raise ParameterError(f"this plan takes longer than {LONGEST} seconds: make it on the command line") from None
    finally:
        _AT_ONCE.release()
    if made.returncode != 0:
        raise ParameterError((made.stderr.strip().splitlines() or ["the plan failed"])[-1].removeprefix("oracledp: "))
    found: dict[str, Any] = json.loads(made.stdout)
    return found
