"""The command line through the front door: ``learn`` and ``synth`` as typed, with files, outputs, exit codes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
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

Files = Callable[[DataSet], dict[str, str]]
SCHEMA = '{"columns": {"a": {"kind": "boolean"}, "y": {"kind": "boolean"}}}'


def files_of(data: DataSet) -> dict[str, str]:
    """The table and its schema as files."""
    rows = [f"{bool(a)},{bool(y)}".lower() for (a, y), held in zip(TWO, data, strict=True) for _ in range(held)]
    return {"data.csv": "\n".join(["a,y", *rows]) + "\n", "schema.json": SCHEMA}


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


def command(*words: str, files: Files = files_of) -> Entry:
    """A command in a folder of its own, where DATA and SCHEMA are: exit code, output, and every file it leaves."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, text in (given := files(data)).items():
                (folder / file).write_text(text, encoding="utf-8")
            line = [word.replace("@", f"{name}/") for word in words]
            with patched(np.random, "default_rng", _same_rows):
                result = CliRunner().invoke(installed_command(), [*line, "--neighbours", relation.value], obj=source)
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception
            written = sorted(path for path in folder.iterdir() if path.name not in given)
            left = {path.name: path.read_bytes().decode("latin-1") for path in written}
            text = json.dumps([result.exit_code, result.output.replace(name, ""), left])
            saved = [text for name, text in left.items() if name.endswith(".json")]  # or what was printed as JSON
        return Seen(text, Guarantee.from_json(json.loads(saved[0] if saved else result.stdout)["guarantee"]))

    return enter


def learning(*words: str, files: Files = files_of) -> Entry:
    """``oracledp learn`` with a saved release and a page."""
    fixed = ("learn", "@data.csv", "--schema", "@schema.json", "--target", "y", "--json", "--quiet")
    return command(*fixed, "--out", "@rule.json", "--report", "@rule.html", *words, files=files)


def command_doors() -> list[Door]:
    """Commands whose law can be walked through; ``synth`` is coupled instead."""
    epsilon = str(Fraction(1))
    return [
        Door("learn decision-list", learning("--model", "decision-list", "--size", "1", "--epsilon", epsilon)),
        Door("learn tree", learning("--model", "tree", "--depth", "1", "--epsilon", epsilon), base=(4, 0, 0, 4)),
        Door("learn --mechanism", learning("--mechanism", "permute-and-flip", "--size", "1", "--epsilon", epsilon)),
    ]
