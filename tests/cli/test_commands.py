"""The list of commands, and that each imports only what it needs."""

import json
import subprocess
import sys
from itertools import pairwise

import click
import pytest

from oracledp.cli import cli

COMMANDS = [
    "demo",
    "example",
    "schema",
    "learn",
    "predict",
    "synth",
    "sample",
    "answer",
    "quality",
    "plan",
    "budget",
    "verify",
    "serve",
    "audit",
]
HEAVY = (
    "duckdb", "joblib", "matplotlib", "narwhals", "numpy", "ortools", "pandas", "polars", "pyarrow", "pysat", "rich",
    "scipy", "sklearn", "statsmodels", "yaml",
)  # fmt: skip
ROOMS = ("audit", "game", "learners", "learning", "mechanisms", "oracles", "planning", "report", "synthesis")
SOLVERS = {"joblib", "matplotlib", "ortools", "pysat", "scipy", "sklearn", "pandas", "polars", "pyarrow"}


def loaded(code: str) -> set[str]:
    """The heavy libraries and our own rooms that a fresh process has imported after some code."""
    look = (
        "import json, sys\n"
        f"names = [name for name in {[*HEAVY, *(f'oracledp.{room}' for room in ROOMS)]!r} if name in sys.modules]\n"
        "print(json.dumps(names))"
    )
    result = subprocess.run([sys.executable, "-c", f"{code}\n{look}"], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


def after(*arguments: str) -> set[str]:
    return loaded(
        f"import sys\nfrom oracledp.cli import cli\ncli.main({list(arguments)!r}, 'oracledp', standalone_mode=False)"
    )


def walked(command: click.Command, words: tuple[str, ...]) -> list[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        return [(words, command)]
    context = click.Context(command)
    found = [(name, command.get_command(context, name)) for name in command.list_commands(context)]
    return [pair for name, inner in found if inner is not None for pair in walked(inner, (*words, name))]


def test_the_commands_of_a_user_in_the_order_of_need() -> None:
    assert cli.list_commands(click.Context(cli)) == COMMANDS
    shown = click.Context(cli, info_name="oracledp").get_help()
    places = [shown.index(f"\n  {name} ") for name in COMMANDS]
    assert all(before < behind for before, behind in pairwise(places))


def test_every_command_can_answer_in_json() -> None:
    every = walked(cli, ())
    assert {words[0] for words, _ in every} == set(COMMANDS)
    without = [words for words, command in every if not any("--json" in option.opts for option in command.params)]
    assert without == []


def test_an_unknown_command_is_refused_without_importing_any() -> None:
    with pytest.raises(click.UsageError, match="No such command"):
        cli.main(["bench"], "oracledp", standalone_mode=False)


def test_importing_the_package_imports_nothing_else() -> None:
    assert loaded("import oracledp; oracledp.__version__") == set()


def test_what_most_people_need_imports_no_solver_and_no_engine() -> None:
    found = loaded("import oracledp as odp; odp.Schema, odp.Table, odp.Ledger, odp.rspm, odp.mechanisms, odp.bounds")
    assert found == {"numpy", "oracledp.mechanisms", "oracledp.oracles"}


def test_help_imports_no_command() -> None:
    assert after("--help") == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_imports_neither_solvers_nor_frames(name: str) -> None:
    assert not after(name, "--help") & SOLVERS


@pytest.mark.parametrize(
    ("name", "foreign"),
    [
        ("budget", {"synthesis", "learning", "audit", "planning", "mechanisms", "game"}),
        ("schema", {"synthesis", "learning", "audit", "planning", "game"}),
        ("learn", {"synthesis", "audit", "planning", "game", "learners"}),
        ("predict", {"synthesis", "audit", "planning", "game", "learners"}),
        ("synth", {"audit", "planning", "learners", "learning"}),
        ("sample", {"audit", "planning", "learners", "learning", "report"}),
        ("answer", {"audit", "planning", "learners", "learning", "report", "game"}),
        ("plan", {"audit", "learners", "report", "game"}),
    ],
)
def test_a_command_imports_no_room_that_it_does_not_need(name: str, foreign: set[str]) -> None:
    assert not after(name, "--help") & {f"oracledp.{room}" for room in foreign}
