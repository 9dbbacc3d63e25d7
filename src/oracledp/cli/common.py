"""What several commands share: options, JSON output, progress, the seed that marks its output."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from oracledp.errors import ParameterError
from oracledp.privacy.guarantee import Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.randomness.source import DrawSource, Randomness, SeededRandomness, SystemRandomness

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
Advance = Callable[[int, int], None]

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress on standard error.")
memory_option = click.option("--memory", help="Spill to a private folder above this, for instance 4GB.")
strict_option = click.option(
    "--strict", is_flag=True, help="Refuse values that the schema does not know; tells about the data, and is said so."
)
neighbours_option = click.option(
    "--neighbours",
    type=click.Choice([relation.value for relation in Neighbours]),
    default=Neighbours.DEFAULT.value,
    show_default=True,
    help="Which tables cannot be told apart: one record more or less, or one replaced.",
)
ledger_option = click.option(
    "--ledger", "ledger_path", type=click.Path(dir_okay=False), help="Charge this budget file (see: oracledp budget)."
)


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


def ledger_of(path: str | None) -> Ledger | None:
    """The ledger to charge, if one is named."""
    return None if path is None else Ledger(Path(path))


def emit(as_json: bool, data: dict[str, Any], text: str) -> None:
    """One JSON object, or text; on standard error if standard output takes no more."""
    shown = json.dumps(data, ensure_ascii=False, indent=2) if as_json else text
    try:
        click.echo(shown)
    except OSError as error:
        click.echo(shown, err=True)
        raise ParameterError(f"standard output cannot be written: {error.strerror}; see standard error") from None


@contextmanager
def progress(message: str, quiet: bool) -> Iterator[Advance]:
    """The time and, once ``(done, total)`` is reported, a bar on standard error; nothing of the data.

    Only on a terminal: logs and pipes stay clean.
    """
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda done, total: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task(message, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)
