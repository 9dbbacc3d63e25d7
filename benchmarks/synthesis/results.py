"""Where measurements go and come from: one file of JSON lines per experiment, in the folder ``results``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "results"


def read(experiment: str) -> list[dict[str, Any]]:
    """The lines of an experiment; none where it has not been run."""
    path = FOLDER / f"{experiment}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def record(experiment: str, lines: Iterator[dict[str, Any]], keys: tuple[str, ...]) -> None:
    """Print and keep lines as they come; each group of equal keys replaces what was known of it before."""
    seen = set[tuple[Any, ...]]()
    FOLDER.mkdir(exist_ok=True)
    for line in lines:
        print(json.dumps(line), flush=True)
        key, known = tuple(line[name] for name in keys), read(experiment)
        if key not in seen:
            seen.add(key)
            known = [old for old in known if tuple(old[name] for name in keys) != key]
        ordered = sorted([*known, line], key=lambda one: json.dumps([one[name] for name in keys]))
        (FOLDER / f"{experiment}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ordered))
