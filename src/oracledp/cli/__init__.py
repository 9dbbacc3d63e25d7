"""The command line: thin, it parses, calls and prints.

Exit codes: 0 done, 2 bad input, 3 budget, 4 oracle, 128 and the number of a signal.
"""

from __future__ import annotations

import os
import sys

import click

from oracledp.cli.audit import audit
from oracledp.cli.bench import bench
from oracledp.cli.budget import budget
from oracledp.cli.demo import demo
from oracledp.cli.learn import learn
from oracledp.cli.plan import plan
from oracledp.cli.schema import schema
from oracledp.cli.signals import catch_signals, exit_code, say_goodbye
from oracledp.cli.synth import answer, synth
from oracledp.errors import OracleDPError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="oracledp")
def cli() -> None:
    """Oracle-efficient differential privacy: private rules with a proof behind every guarantee."""


for command in (demo, learn, synth, answer, audit, plan, schema, budget, bench):
    cli.add_command(command)


def main() -> None:
    """Run the command line; every mistake we know of is one line on standard error and an exit code."""
    os.umask(0o077)  # what we write is for its owner, the spill files of DuckDB included
    catch_signals()
    try:
        cli.main(standalone_mode=False)
    except OracleDPError as error:
        click.echo(f"oracledp: {error}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        say_goodbye()
        sys.exit(exit_code())
