"""A group of commands that are imported when they are asked for: ``--help`` and one command wait for no other."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


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
