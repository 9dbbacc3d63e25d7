"""What several commands share: options, JSON output, progress, the seed that marks its output."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import click

from oracledp.cli.outputs import CARD, CHARGED, UNRECORDED, CardToWrite
from oracledp.data.schema import FileFormat, Schema
from oracledp.data.table import Table
from oracledp.errors import ParameterError
from oracledp.privacy.guarantee import Guarantee, Neighbours, in_all
from oracledp.privacy.ledger import Ledger
from oracledp.progress_display import Advance
from oracledp.progress_display import progress as shown_progress
from oracledp.randomness.source import DrawSource, Randomness, SeededRandomness, SystemRandomness

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress on standard error.")
memory_option = click.option("--memory", help="Use a private folder on disk beyond this, for instance 4GB.")
strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Refuse values that the schema does not know. A refusal tells about the data, and the guarantee says so.",
)
neighbours_option = click.option(
    "--neighbours",
    type=click.Choice([relation.value for relation in Neighbours]),
    default=Neighbours.DEFAULT.value,
    show_default=True,
    help="Which tables cannot be told apart: one record more or less, or one replaced.",
)


def person_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--person`` and how many rows of each are kept."""
    command = click.option(
        "--rows-per-person", type=int, help="Rows that are kept of each person, by a fixed choice.  [default: 1]"
    )(command)
    return click.option(
        "--person",
        metavar="COLUMN",
        help="Protect persons instead of rows: those with one value of this column, which is not in the schema.",
    )(command)


_FILE = "oracledp.file"  # where a command keeps how its CSV files are spelled


def csv_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--delimiter``, ``--decimal`` and so on, which :func:`spelled` takes past the command."""

    def remember(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            context.meta.setdefault(_FILE, {})[parameter.name] = value

    for name, what in (
        ("names", "A CSV file without a header: the names of its columns in order, such as age,job,pay."),
        ("encoding", "The encoding of CSV files, such as cp1252; by default utf-8, or what the schema says."),
        ("blanks", "What follows delimiters: none, after (a blank), or header (a blank in the first line alone)."),
        ("lines", "How lines are written: lf, or crlf as on Windows; by default as the header's line ends."),
        (
            "thousands",
            "What separates groups of three digits, such as a comma; by default nothing, or what the schema says.",
        ),
        ("decimal", "What comes before the decimals of numbers: a point, or a comma."),
        ("delimiter", "What separates the fields of CSV files; by default a comma, or what the schema says."),
    ):
        command = click.option(f"--{name}", expose_value=False, callback=remember, metavar="TEXT", help=what)(command)
    return command


def file_given() -> dict[str, Any]:
    """How the command's CSV files are spelled, as far as its options say; checked."""
    context = click.get_current_context(silent=True)
    given: dict[str, Any] = dict({} if context is None else context.meta.get(_FILE, {}))
    if "names" in given:
        given["names"] = tuple(name.strip() for name in given["names"].split(","))
    FileFormat(**given)
    return given


def spelled(schema: Schema) -> Schema:
    """A schema for files that are spelled as the command's options say, where they say something."""
    given = file_given()
    return schema.spelled(**given) if given else schema


_CHARGED = "oracledp.charged"  # where a command keeps who charges, and for what


def ledger_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--ledger``, and what its charge should say, which :func:`ledger_of` takes past the command."""

    def remember(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        context.meta.setdefault(_CHARGED, {})[parameter.name] = value

    for name, what in (
        ("dataset", "The data set, by the name under which the ledger knows it."),
        ("purpose", "What the release is for; the ledger keeps it."),
        ("actor", "Who charges; by default the user of this machine."),
        ("sign", "Sign the card with this key (see: oracledp budget key)."),
        ("reservation", "Use what 'oracledp budget reserve' set aside, by its id."),
        ("card", "Write a privacy card for the files of this release (see: oracledp verify)."),
    ):
        command = click.option(f"--{name}", expose_value=False, callback=remember, metavar="TEXT", help=what)(command)
    return click.option(
        "--ledger",
        "ledger_path",
        metavar="PLACE",
        help="Charge this budget: a file or postgresql://…?ledger=NAME (see: oracledp budget).",
    )(command)


def seed_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--seed`` with the flag that it demands."""
    command = click.option("--insecure-seed", is_flag=True, help="Accept that a seeded output is NOT PRIVATE.")(command)
    return click.option("--seed", type=int, help="Repeatable noise, for tests and demos only.")(command)


def source_of(seed: int | None, insecure_seed: bool) -> Randomness:
    """The operating system's randomness, or a seed if its consequence is accepted.

    An audit that runs a command inside its own process passes its source as the context's object.
    """
    context = click.get_current_context(silent=True)
    if context is not None and isinstance(context.obj, DrawSource):
        return context.obj
    if seed is None:
        return SystemRandomness()
    if not insecure_seed:
        raise ParameterError("--seed makes the output NOT PRIVATE; add --insecure-seed if that is what you want")
    return SeededRandomness(seed)


def ledger_of(path: str | None, data: str, schema: Schema | None = None) -> Ledger | None:
    """The ledger to charge for what is read from ``data``, if one is named, with what its charges should say."""
    context = click.get_current_context(silent=True)
    charged = {} if context is None else context.meta.get(_CHARGED, {})
    given = {name: value for name, value in charged.items() if value is not None}
    if path is None:
        for name in given:
            raise ParameterError(f"--{name} speaks of a charge: name a ledger with --ledger")
        if context is not None:
            context.meta[UNRECORDED] = not context.params.get("quiet", False)
        return None
    said = {name: given.get(name) for name in ("actor", "purpose", "dataset")}
    ledger = Ledger.at(path).acting(**said).reading(data, schema).releasing(given.get("reservation"))
    if "reservation" in given and ledger.release not in {one.release for one in ledger.reservations}:
        raise ParameterError("--reservation: nothing is set aside under this id, or no longer")
    if context is not None:
        context.meta[CHARGED] = ledger
        carded(context, ledger, given)
    return ledger


def carded(context: click.Context, ledger: Ledger, given: Mapping[str, str]) -> None:
    """Have the outputs of this command leave a card, if one is asked for."""
    if "sign" in given and "card" not in given:
        raise ParameterError("--sign signs a card: name one with --card")
    if "card" in given:
        context.meta[CARD] = CardToWrite(given["card"], ledger, given.get("sign"))


def emit(as_json: bool, data: dict[str, Any], text: str) -> str:
    """One JSON object, or text; on standard error if standard output takes no more. What was printed is returned."""
    shown = json.dumps(data, ensure_ascii=False, indent=2) if as_json else text
    try:
        click.echo(shown)
    except OSError as error:
        click.echo(shown, err=True)
        raise ParameterError(f"standard output cannot be written: {error.strerror}; see standard error") from None
    return shown


def progress(message: str, quiet: bool) -> AbstractContextManager[Advance]:
    """The library's own display, unless it is not wanted."""
    return shown_progress(message, "silent" if quiet else "auto")


@dataclass(frozen=True, kw_only=True)
class PrivateRequest:
    """The options that such a command takes, by name."""

    data: str
    schema_path: str | None
    person: str | None
    rows_per_person: int | None
    ledger_path: str | None
    seed: int | None
    insecure_seed: bool
    memory: str | None
    strict: bool
    quiet: bool
    as_json: bool

    @cached_property
    def schema(self) -> Schema:
        """The schema, read once."""
        if self.schema_path is None:
            raise ParameterError("name the schema of the table with --schema")
        return spelled(Schema.load(self.schema_path))

    @cached_property
    def source(self) -> Randomness:
        """Where the noise comes from."""
        return source_of(self.seed, self.insecure_seed)

    @cached_property
    def ledger(self) -> Ledger | None:
        """What is charged."""
        return ledger_of(self.ledger_path, self.data, self.schema)

    def table(self) -> Table:
        """The private table."""
        with progress("reading the table", self.quiet):
            return Table.from_address(
                self.data,
                self.schema,
                memory=self.memory,
                strict=self.strict,
                person=self.person,
                rows_per_person=self.rows_per_person,
            )


def promised(guarantee: Guarantee, *schemas: Schema) -> list[str]:
    """A guarantee in words and, where schemas were bought, what it costs with them."""
    total = in_all(guarantee, *(schema.bought for schema in schemas))
    return [str(guarantee), *([] if total is None else [total])]


def with_schemas(guarantee: Guarantee, *schemas: Schema) -> dict[str, Any]:
    """The same for programs: nothing, or the guarantee of release and schemas together."""
    total = guarantee.with_schemas(*(schema.bought for schema in schemas))
    return {} if total is None else {"guarantee_with_schema": total.to_json()}
