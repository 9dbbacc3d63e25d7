"""The command line: thin, it parses, calls and prints.

Exit codes: 0 done, 1 a claim broken or a mistake of our own, 2 bad input, 3 budget, 4 oracle, 128 and the number of a
signal.
"""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click

from oracledp.cli.lazy import LazyGroup
from oracledp.cli.signals import catch_signals, exit_code, say_goodbye
from oracledp.errors import OracleDPError

COMMANDS = {
    "demo": "Learn a private rule from a real public table.",
    "schema": "Check a schema, or draft one from PUBLIC data.",
    "learn": "Learn a private rule that predicts one column from the others.",
    "predict": "Apply a learned rule to the rows of another file.",
    "synth": "Make a private synthetic version of a table.",
    "sample": "Draw more rows from a synthetic table's saved model.",
    "answer": "The share of records that meet conditions, from a saved model.",
    "plan": "Say what a release will be worth, from public numbers alone.",
    "budget": "Create a privacy budget on disk, or see what is left.",
    "audit": "Hold what is claimed against what is found.",
}


@click.group(
    cls=LazyGroup,
    package="oracledp.cli",
    lines=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="oracledp")
def cli() -> None:
    """Oracle-efficient differential privacy: private rules with a proof behind every guarantee."""


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
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        say_goodbye()
        sys.exit(exit_code())
    except MemoryError:
        stop("this needs more memory than there is; nothing more is written", 2)
    except OSError as error:
        stop(f"the operating system refused: {error.strerror or type(error).__name__}", 2)
    except Exception as error:
        stop(f"a mistake of oracledp's own ({_where(error)}): please report it with the command", 1)


def stop(message: str, code: int) -> NoReturn:
    """One line on standard error, if there is one, and the end."""
    with suppress(OSError):
        click.echo(f"oracledp: {message}", err=True)
    sys.exit(code)


def _where(error: Exception) -> str:
    """The kind of an error and the line of ours that it came from, without its message."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "oracledp" in Path(frame.filename).parts]
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
