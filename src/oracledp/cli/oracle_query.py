"""``oracledp synth --method oracle-query``: the query-release game from the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click
from click.core import ParameterSource

from oracledp.classes import Conjunctions, Disjunctions, Halfspaces, Parities, QueryClass
from oracledp.cli.common import emit, progress
from oracledp.errors import ParameterError
from oracledp.game.oracle_query import OracleQuery
from oracledp.game.rules import PLAYERS
from oracledp.ledger import Ledger
from oracledp.literals import Literal, Literals
from oracledp.randomness import Randomness
from oracledp.report import internal_comparison
from oracledp.report.game import game_page
from oracledp.schema import Schema
from oracledp.table import Table
from oracledp.whole_files import write_whole

METHODS = ("measured", "oracle-query")
_CLASSES = ("marginals", "conjunctions", "disjunctions", "parities", "halfspaces")

method_option = click.option(
    "--method", type=click.Choice(METHODS), default="measured", show_default=True,
    help="Measure and fit, or play the query-release game (replace-one; one workload, the class it is about).",
)  # fmt: skip
player_option = click.option(
    "--player", type=click.Choice(PLAYERS), default="exponential", show_default=True,
    help="Who chooses the queries of oracle-query.",
)  # fmt: skip


def class_of(text: str, schema: Schema) -> QueryClass:
    """The query class that a workload names: ``conjunctions:3``, ``disjunctions:2``, ``parities:3``, ``halfspaces:3``.

    >>> class_of("parities:2", Schema({"a": {"kind": "boolean"}, "b": {"kind": "boolean"}})).size
    4
    """
    found = re.fullmatch(rf"({'|'.join(_CLASSES)})(?::([1-9]\d?))?", text.strip())
    if found is None:
        raise ParameterError(f"--workload {text}: oracle-query plays for one of {', '.join(_CLASSES)}, with :WIDTH")
    width = int(found[2] or 3)
    both = _literals(schema)
    if found[1] == "halfspaces":
        return Halfspaces(schema.literals, max_nonzero=width, thresholds=tuple(range(1 - width, width + 1)))
    if found[1] == "parities":
        return Parities(schema.literals, max_width=width)
    return Disjunctions(both, max_width=width) if found[1] == "disjunctions" else Conjunctions(both, max_width=width)


def _literals(schema: Schema) -> Literals:
    """The schema's literals, and the negations of booleans: the other columns' literals add up to theirs."""
    negated = tuple(literal.negated() for literal in schema.literals if literal == Literal.boolean(literal.column))
    return Literals((*schema.literals, *negated))


@dataclass(frozen=True)
class GameRequest:
    """What the user asked of ``synth``, as far as the game needs it."""

    schema: Schema
    epsilon: str
    delta: str
    workloads: tuple[str, ...]
    player: str
    rows: int | None
    out: str
    model_path: str | None
    seed: int | None
    quiet: bool
    as_json: bool

    def play(
        self,
        read: Callable[[], Table],
        write_rows: Callable[[Any, str], None],
        ledger: Ledger | None,
        source: Randomness,
    ) -> None:
        """Play the game, write rows and model, say what was done."""
        _refuse_options()
        if len(self.workloads) != 1:
            raise ParameterError("--method oracle-query takes one --workload: the class the game is about")
        game = OracleQuery(
            self.schema,
            epsilon=self.epsilon,
            delta=self.delta,
            queries=class_of(self.workloads[0], self.schema),
            query_player=self.player,
            ledger=ledger,
        )
        with progress("reading the table", self.quiet):
            table = read()
        with progress("playing the game", self.quiet) as advance:
            game.fit(table, source=source, progress=advance)
        frame = game.sample(self.rows, seed=self.seed)
        write_rows(frame, self.out)
        if self.model_path is not None:
            game.save(self.model_path)
        _write_pages(game, table, frame, self.quiet)
        played = game.record().to_json()
        result = {
            "rows": len(frame), "guarantee": game.guarantee_.to_json(), "played": played, "out": self.out,
            "report": click.get_current_context().params["report"],
        }  # fmt: skip
        words = f"wrote {len(frame)} rows to {self.out}; played {played['rounds']} rounds\n{game.guarantee_}"
        emit(self.as_json, result, words)


def _refuse_options() -> None:
    """The game is private under replace-one alone."""
    context = click.get_current_context()
    given = context.get_parameter_source("neighbours") is not ParameterSource.DEFAULT
    if given and context.params["neighbours"] != "replace-one":
        raise ParameterError("--method oracle-query is private under replace-one only: its payoff needs a public n")


def _write_pages(game: OracleQuery, table: Table, frame: Any, quiet: bool) -> None:
    """The page for release and the one that is not, where they were asked for."""
    asked = click.get_current_context().params
    if asked["report"] is not None:
        write_whole(asked["report"], game_page(game.model_))
    if asked["internal_report"] is not None:
        with progress("comparing real and synthetic rows", quiet):
            internal_comparison(table, frame, asked["internal_report"], schema=game.schema)
        click.echo(f"{asked['internal_report']} is NOT PRIVATE: do not release it", err=True)
