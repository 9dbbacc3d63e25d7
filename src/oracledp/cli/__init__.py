"""The command line: thin, it parses, calls and prints.

Exit codes: 0 done, 1 a claim broken or a mistake of our own, 2 bad input, 3 budget, 4 oracle, 128 and the number of a
signal.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from oracledp.cli.signals import catch_signals, exit_code, say_goodbye, stopped
from oracledp.errors import OracleDPError


class LazyGroup(click.Group):
    """Commands by name, each in a module of that name below ``package``, with the line that ``--help`` shows.

    >>> group = LazyGroup(package="oracledp.cli", lines={"budget": "Create a privacy budget."})
    >>> group.list_commands(click.Context(group)), group.get_command(click.Context(group), "budget")
    (['budget'], <Group budget>)
    """

    def __init__(self, *arguments: Any, package: str, lines: Mapping[str, str], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.package = package
        self.lines = lines

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which a newcomer needs them."""
        return list(self.lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import what is asked for, and nothing else."""
        if cmd_name not in self.lines:
            return None
        command = getattr(import_module(f"{self.package}.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The lines, without a look at the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.lines.items()))


COMMANDS = {
    "demo": "Learn a private rule from a real public table, and draw it.",
    "example": "Write a made-up table and its schema to try things on.",
    "schema": "Buy a schema of a private table, draft one from PUBLIC data, or check one.",
    "learn": "Learn a private rule that predicts one column from the others.",
    "predict": "Apply a learned rule to the rows of another file.",
    "synth": "Make a private synthetic version of a table.",
    "sample": "Draw more rows from a synthetic table's saved model.",
    "answer": "Estimate the share of records that meet conditions, from a saved model.",
    "quality": "Compare real rows with synthetic ones. NOT PRIVATE: for your eyes only.",
    "plan": "See what error to expect, before you spend any budget.",
    "budget": "Create a privacy budget, set limits, see what is left.",
    "verify": "Check that released files, their privacy card and its charge belong together.",
    "serve": "Run the console in a browser: data sets, budgets, releases.",
    "audit": "Compare the claimed epsilon of every mechanism with the exact one.",
}


@click.group(
    cls=LazyGroup,
    package="oracledp.cli",
    lines=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="oracledp")
def cli() -> None:
    """Private rules, scoring cards, trees and synthetic tables, with a proof behind every guarantee.

    New here? Type: oracledp example, and follow what it says.
    """


def main() -> None:
    """Run the command line; every mistake is one line on standard error and an exit code.

    What nobody foresaw is one line too: a traceback may hold private values.
    """
    os.umask(0o077)  # what we write is for its owner, the spill files of DuckDB included
    catch_signals()
    try:
        cli.main(standalone_mode=False)
    except OracleDPError as error:
        stop(str(error), error.exit_code)
    except click.ClickException as error:
        stop(_usage(error), 2)
    except (click.Abort, KeyboardInterrupt):
        leave()
    except MemoryError:
        stop("this needs more memory than there is; nothing more is written", 2)
    except OSError as error:
        stop(f"the operating system refused: {error.strerror or type(error).__name__}", 2)
    except Exception as error:
        stop(f"a mistake of oracledp's own ({_where(error)}): please report it with the command", 1)


def _usage(error: click.ClickException) -> str:
    """What is wrong with the command line, and which help says more."""
    context = getattr(error, "ctx", None)
    more = "" if context is None else f" (see: {context.command_path} --help)"
    return error.format_message().replace("\n", " ") + more


def stop(message: str, code: int) -> NoReturn:
    """One line on standard error, if there is one, and the end."""
    if stopped():
        leave()
    with suppress(OSError):
        click.echo(f"oracledp: {message}", err=True)
    sys.exit(code)


def leave() -> NoReturn:
    """The end that a signal asked for."""
    say_goodbye()
    sys.exit(exit_code())


def _where(error: Exception) -> str:
    """The kind of an error and the line of ours that it came from, without its message."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "oracledp" in Path(frame.filename).parts]
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
