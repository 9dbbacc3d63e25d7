"""``oracledp synth --method oracle-query``: the query-release game from the command line."""

from __future__ import annotations

import re
from functools import partial

import click

from oracledp.classes import Conjunctions, Disjunctions, Halfspaces, Parities, QueryClass
from oracledp.cli.common import emit, progress, promised, with_schemas
from oracledp.cli.row_files import RowParts
from oracledp.cli.synth_request import SynthRequest
from oracledp.data.literals import Literal, Literals
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.game.oracle_query import OracleQuery
from oracledp.game.settings import PLAYERS
from oracledp.report.game import game_page

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


def play(asked: SynthRequest) -> None:
    """Play the game, write rows, model and pages, say what was done."""
    if asked.neighbours not in (None, "replace-one"):
        raise ParameterError("--method oracle-query is private under replace-one only: its payoff needs a public n")
    if len(asked.workloads) != 1:
        raise ParameterError("--method oracle-query takes one --workload: the class the game is about")
    game = OracleQuery(
        asked.schema,
        epsilon=asked.epsilon,
        delta=asked.delta,
        queries=class_of(asked.workloads[0], asked.schema),
        query_player=asked.player,
        ledger=asked.ledger,
    )
    with asked.files() as files:
        source, table = asked.source, asked.table()
        with progress("playing the game", asked.quiet) as advance:
            game.fit(table, source=source, progress=advance)
        game.shape_ = asked.shape
        frame = game.sample(asked.rows, seed=asked.seed)
        made = RowParts(len(frame), lambda: iter([frame]))
        page = partial(game_page, game.model_, rows=len(frame), about=asked.about)
        asked.write(files, lambda: table, made, game.model_.to_text, page)
        played = game.record().to_json()
        result = {
            "rows": len(frame), "guarantee": game.guarantee_.to_json(), "played": played, "out": asked.out,
            "report": asked.report, **with_schemas(game.guarantee_, asked.schema),
        }  # fmt: skip
        words = f"wrote {len(frame)} rows to {asked.out}; played {played['rounds']} rounds"
        emit(asked.as_json, result, "\n".join([words, *promised(game.guarantee_, asked.schema)]))
        files.settle()
