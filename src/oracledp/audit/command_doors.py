"""The command line through the front door: ``learn`` and ``synth`` as typed, with files, outputs, exit codes."""

from __future__ import annotations

import json
import tempfile
from fractions import Fraction
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import numpy as np
from click.testing import CliRunner

from oracledp.audit.doors import Door, Entry, Seen, patched
from oracledp.audit.exact_law import DataSet
from oracledp.audit.learner_doors import TWO
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import DrawSource

SCHEMA = '{"columns": {"a": {"kind": "boolean"}, "y": {"kind": "boolean"}}}'


def write_data(folder: Path, data: DataSet) -> None:
    """The table and its schema as files."""
    rows = [f"{bool(a)},{bool(y)}".lower() for (a, y), held in zip(TWO, data, strict=True) for _ in range(held)]
    (folder / "data.csv").write_text("\n".join(["a,y", *rows]) + "\n", encoding="utf-8")
    (folder / "schema.json").write_text(SCHEMA, encoding="utf-8")


def _same_rows(seed: Any = None) -> np.random.Generator:
    """Synthetic rows are drawn from a model without a seed: post-processing, held fixed here."""
    return _GENERATOR(0 if seed is None else seed)


_GENERATOR = np.random.default_rng


@cache
def installed_command() -> click.Group:
    """The command line as it is installed: the audit walks through what users type, not through our modules."""
    script = next(iter(entry_points(group="console_scripts", name="oracledp")))
    group = getattr(import_module(script.module), "cli")  # noqa: B009 - a module found by name
    assert isinstance(group, click.Group)
    return group


def command(*words: str) -> Entry:
    """A command in a folder of its own, where DATA and SCHEMA are: exit code, output, and every file it leaves."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_data(folder, data)
            line = [word.replace("@", f"{name}/") for word in words]
            with patched(np.random, "default_rng", _same_rows):
                result = CliRunner().invoke(installed_command(), [*line, "--neighbours", relation.value], obj=source)
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception
            written = sorted(path for path in folder.iterdir() if path.name not in ("data.csv", "schema.json"))
            files = {path.name: path.read_bytes().decode("latin-1") for path in written}
            text = json.dumps([result.exit_code, result.output.replace(name, ""), files])
            saved = next(json.loads(text) for name, text in files.items() if name.endswith(".json"))
        return Seen(text, Guarantee.from_json(saved["guarantee"]))

    return enter


def learning(*words: str) -> Entry:
    """``oracledp learn`` with a saved release and a page."""
    fixed = ("learn", "@data.csv", "--schema", "@schema.json", "--target", "y", "--json", "--quiet")
    return command(*fixed, "--out", "@rule.json", "--report", "@rule.html", *words)


def command_doors() -> list[Door]:
    """Commands whose law can be walked through; ``synth`` is coupled instead."""
    epsilon = str(Fraction(1))
    return [
        Door("learn decision-list", learning("--model", "decision-list", "--size", "1", "--epsilon", epsilon)),
        Door("learn --mechanism", learning("--mechanism", "permute-and-flip", "--size", "1", "--epsilon", epsilon)),
    ]
