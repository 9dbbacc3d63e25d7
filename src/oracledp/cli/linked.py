"""Two linked tables on the command line: ``synth --children`` makes them, ``sample --children-out`` makes more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import click
import numpy as np

from oracledp.cli.common import emit, progress, promised, spelled, with_schemas
from oracledp.cli.outputs import Outputs, outputs
from oracledp.cli.row_files import refuse_format, refuse_rows, write_rows
from oracledp.data.output.rows import PlainRows
from oracledp.data.schema import FileFormat, Schema
from oracledp.data.table.addresses import is_address
from oracledp.data.table.linked import LinkedTable
from oracledp.errors import ParameterError
from oracledp.exact.numbers import MOST_SEED, whole_or_none
from oracledp.privacy.guarantee import Neighbours
from oracledp.synthesis.linked import LinkedSynthesizer
from oracledp.synthesis.linked_model import LinkedModel

if TYPE_CHECKING:  # it reads what reports need, and drawing more rows writes none
    from oracledp.cli.synth_request import SynthRequest

LINK_NAMES = ("children", "children_schema", "children_out")
_AT_ONCE = 500_000  # rows of a part, children included


@dataclass(frozen=True)
class LinkOptions:
    """The options that make two tables of one; all of them or none."""

    children: str | None
    schema_path: str | None
    out: str | None

    @property
    def given(self) -> bool:
        """Whether two tables are asked for."""
        return any(one is not None for one in (self.children, self.schema_path, self.out))


def linked_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--children``, ``--children-schema`` and ``--children-out``."""
    for name, what in (
        ("children-out", "Where the rows of the second table go: .csv or .parquet."),
        ("children-schema", "YAML or JSON schema of the second table."),
        ("children", "A second table with several rows per person, linked to DATA by --person."),
    ):
        command = click.option(f"--{name}", type=click.Path(), help=what)(command)
    return command


def synthesize_linked(asked: SynthRequest, links: LinkOptions) -> None:
    """Measure and fit both tables, write them and the model, say what was done."""
    children, schema_path, children_out = _whole(asked, links)
    own = spelled(Schema.load(schema_path))
    refuse_rows(asked.rows, (asked.rows_per_person or 1) * (len(own.columns) + 1) + len(asked.schema.columns) + 1)
    synthesizer = LinkedSynthesizer(
        asked.schema,
        own,
        epsilon=asked.epsilon,
        delta=asked.delta,
        rows_per_person=asked.rows_per_person or 0,
        ledger=asked.ledger,
        rows=asked.rows,
    )
    linked = synthesizer.linked(asked.person or "")
    with outputs(out=asked.out, children_out=children_out, model=asked.model_path) as files:
        source = asked.source
        with progress("reading the tables", asked.quiet):
            table = LinkedTable.from_files(asked.data, children, linked, memory=asked.memory, strict=asked.strict)
        with progress("measuring and fitting", asked.quiet) as advance:
            synthesizer.fit(table, source=source, progress=advance)
        formats = asked.schema.file, own.file
        _write(files, synthesizer, (asked.out, children_out), formats, asked.rows, asked.seed, asked.as_json)


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
    if where:
        raise ParameterError("--where: a model of two linked tables takes no conditions")
    refuse_format(children_out, "--children-out")
    synthesizer = LinkedSynthesizer.of_model(LinkedModel.from_json(saved))
    refuse_rows(rows, len(synthesizer.schema.columns) + 1)
    with outputs(out=out, children_out=children_out) as files:
        formats = spelled(synthesizer.schema).file, spelled(synthesizer.children_schema).file
        _write(files, synthesizer, (out, children_out), formats, rows, seed, as_json)


def _whole(asked: SynthRequest, links: LinkOptions) -> tuple[str, str, str]:
    """The three names, where nothing is missing and nothing contradicts them."""
    if links.children is None or links.schema_path is None or links.out is None:
        raise ParameterError("two linked tables need --children, --children-schema and --children-out together")
    if asked.person is None or asked.rows_per_person is None:
        raise ParameterError(
            "two linked tables need --person, the column of ids in both, and --rows-per-person, the most children kept"
        )
    for option, contradicts in (
        ("--method", asked.method == "oracle-query"),
        ("--neighbours", asked.neighbours == Neighbours.REPLACE_ONE.value),
        ("--workload", asked.workloads != ("marginals:3",)),
        ("--report", asked.report is not None),
        ("--internal-report", asked.internal_report is not None),
    ):
        if contradicts:
            raise ParameterError(f"{option}: not for two linked tables")
    if is_address(asked.data) or is_address(links.children):
        raise ParameterError("two linked tables are read from files, not from a database")
    refuse_format(links.out, "--children-out")
    return links.children, links.schema_path, links.out


@dataclass
class _Parts:
    """One of both tables part by part; both are drawn from one seed, so that their ids agree."""

    synthesizer: LinkedSynthesizer
    place: int
    count: int
    seed: int
    rows: int = 0

    def __iter__(self) -> Iterator[PlainRows]:
        self.rows = 0
        most = max(_AT_ONCE // (1 + self.synthesizer.rows_per_person), 1)
        for parts in self.synthesizer.sample_parts(self.count, seed=self.seed, most=most):
            self.rows += len(parts[self.place])
            yield parts[self.place]


def _writer(part: _Parts, path: str, file: FileFormat) -> Callable[[BinaryIO], None]:
    return lambda opened: write_rows(part, path, opened, file)


def _write(
    files: Outputs,
    synthesizer: LinkedSynthesizer,
    paths: tuple[str, str],
    formats: tuple[FileFormat, FileFormat],
    rows: int | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Both tables and, where it was asked for, the model; then what was done."""
    synthesizer.in_plain_rows()
    chosen = whole_or_none(seed, "seed", least=0, most=MOST_SEED)
    chosen = int(np.random.default_rng().integers(1 << 63)) if chosen is None else chosen
    count = synthesizer.sample_size(rows)
    parts = [_Parts(synthesizer, place, count, chosen) for place in (0, 1)]
    for option, part, path, file in zip(("out", "children-out"), parts, paths, formats, strict=True):
        files.write(option, _writer(part, path, file))
    files.write_text("model", synthesizer.model_.to_text)
    promise, schemas = synthesizer.guarantee_, (synthesizer.schema, synthesizer.children_schema)
    made, children = (part.rows for part in parts)
    result = {
        "rows": made, "children": children, "guarantee": promise.to_json(), "out": paths[0], "children_out": paths[1],
        **with_schemas(promise, *schemas),
    }  # fmt: skip
    words = f"wrote {made} rows to {paths[0]} and {children} rows to {paths[1]}"
    emit(as_json, result, "\n".join([words, *promised(promise, *schemas)]))
    files.settle()
