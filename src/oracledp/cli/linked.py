"""Two linked tables as commands write them, and ``sample --children-out``, which makes more of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, BinaryIO

import numpy as np

from oracledp.cli.common import emit, promised, spelled, with_schemas
from oracledp.cli.outputs import Outputs, outputs
from oracledp.cli.row_files import refuse_format, refuse_rows, write_rows
from oracledp.data.output.rows import PlainRows
from oracledp.data.schema import FileFormat
from oracledp.errors import ParameterError
from oracledp.exact.numbers import MOST_SEED, whole_or_none
from oracledp.synthesis.linked import LinkedSynthesizer
from oracledp.synthesis.linked_model import LinkedModel

_AT_ONCE = 500_000  # rows of a part, children included


def sample_linked(
    saved: dict[str, Any],
    out: str,
    children_out: str | None,
    *,
    rows: int | None,
    where: tuple[str, ...],
    seed: int | None,
    as_json: bool,
) -> None:
    """More of both tables from a saved model."""
    if children_out is None:
        raise ParameterError("this model is of two linked tables: say where the second goes with --children-out")
    refuse_format(children_out, "--children-out")
    synthesizer = LinkedSynthesizer.of_model(LinkedModel.from_json(saved))
    refuse_rows(rows, len(synthesizer.schema.columns) + 1)
    with outputs(out=out, children_out=children_out) as files:
        made = BothTables.of(synthesizer, rows, seed, where or None)
        made.begin()
        formats = spelled(synthesizer.schema).file, spelled(synthesizer.children_schema).file
        made.write(files, (out, children_out), formats, rescue=False)
        files.settle()
        say(made, (out, children_out), as_json, where=list(where))


class BothTables:
    """Both tables part by part, from one seed, so that their ids agree; a single part is drawn once."""

    def __init__(self, synthesizer: LinkedSynthesizer, count: int, seed: int, where: tuple[str, ...] | None) -> None:
        self.synthesizer = synthesizer
        self.rows = (0, 0)
        self._count, self._seed, self._where = count, seed, where
        self._most = max(_AT_ONCE // (1 + synthesizer.rows_per_person), 1)

    @classmethod
    def of(
        cls, synthesizer: LinkedSynthesizer, rows: int | None, seed: int | None, where: tuple[str, ...] | None = None
    ) -> BothTables:
        """As many parents as were asked for, or as the model says; what is wrong with the request shows now."""
        chosen = whole_or_none(seed, "seed", least=0, most=MOST_SEED)
        chosen = int(np.random.default_rng().integers(1 << 63)) if chosen is None else chosen
        return cls(synthesizer.in_plain_rows(), synthesizer.sample_size(rows, where=where), chosen, where)

    @cached_property
    def _first(self) -> tuple[PlainRows, PlainRows]:
        return next(self._parts())

    def begin(self) -> None:
        """Draw the first part now: rules may leave nothing to draw, which shows only then."""
        assert self._first, "drawn"

    def write(
        self, files: Outputs, paths: tuple[str, str], formats: tuple[FileFormat, FileFormat], *, rescue: bool = True
    ) -> None:
        """Each table to its file."""
        for place, (option, path, file) in enumerate(zip(("out", "children-out"), paths, formats, strict=True)):
            files.write(option, self._writer(place, path, file), rescue=rescue)

    def _writer(self, place: int, path: str, file: FileFormat) -> Callable[[BinaryIO], None]:
        return lambda opened: write_rows(self._table(place), path, opened, file)

    def _table(self, place: int) -> Iterator[PlainRows]:
        rows = 0
        for parts in [self._first] if self._count <= self._most else self._parts():
            rows += len(parts[place])
            yield parts[place]
        self.rows = (rows, self.rows[1]) if place == 0 else (self.rows[0], rows)

    def _parts(self) -> Iterator[tuple[PlainRows, PlainRows]]:
        return self.synthesizer.sample_parts(self._count, seed=self._seed, where=self._where, most=self._most)


def say(made: BothTables, paths: tuple[str, str], as_json: bool, **more: Any) -> None:
    """What was done."""
    promise = made.synthesizer.guarantee_
    schemas, (rows, children) = (made.synthesizer.schema, made.synthesizer.children_schema), made.rows
    result = {
        "rows": rows, "children": children, "guarantee": promise.to_json(), "out": paths[0], "children_out": paths[1],
        **more, **with_schemas(promise, *schemas),
    }  # fmt: skip
    words = f"wrote {rows} rows to {paths[0]} and {children} rows to {paths[1]}"
    emit(as_json, result, "\n".join([words, *promised(promise, *schemas)]))
