"""One game from the first round to the last: proposals against private selections."""

from __future__ import annotations

from collections.abc import Callable

from oracledp.classes.base import QueryClass
from oracledp.classes.linked import PastQueries
from oracledp.classes.signed import Signed
from oracledp.classes.tables import Parts
from oracledp.data.packed_records import PackedRecords
from oracledp.data.table import Table
from oracledp.game.data_player import Codes, ContextFTPL
from oracledp.game.play import Play
from oracledp.game.query_player import QueryPlayer
from oracledp.game.settings import Rules
from oracledp.mechanisms.payoff import Payoff
from oracledp.mechanisms.scoreboard import Scoreboard
from oracledp.randomness.source import Randomness, public_generator

Progress = Callable[[int, int], None]


def silent(done: int, total: int) -> None:
    """Progress that nobody sees."""


def play_match(
    table: Table,
    closed: QueryClass,
    player: QueryPlayer,
    rules: Rules,
    source: Randomness,
    progress: Progress = silent,
) -> Play:
    """All rounds: the data player proposes from released queries alone, the query player answers privately."""
    schema = table.schema
    data_player, past = ContextFTPL(schema, rules.perturbation), PastQueries(closed, schema)
    private = table.packed(closed.literals)
    board = _board(closed, private, table) if player.lists_queries else None
    queries: list[Parts] = []
    draws: list[Codes] = []
    proposals: list[PackedRecords] = []
    for done in range(rules.rounds):
        draws.append(data_player.play(past.linked(rules.optimism), rules.draws, public_generator(source)))
        proposals.append(schema.packed(closed.literals, draws[-1].astype(schema.code_dtype)))
        answered = tuple(proposals) if rules.averaging else (proposals[-1],)
        if board is not None:
            _post(board, proposals[-1], done + 1, averaging=rules.averaging)
        queries.append(player.respond(Payoff(closed, private, table.counts, answered, board), source))
        past.add(queries[-1])
        progress(done + 1, rules.rounds)
    return Play(tuple(queries), tuple(draws), rules.weights)


def _board(closed: QueryClass, private: PackedRecords, table: Table) -> Scoreboard | None:
    """Whether there is one depends on public numbers only: no more rows are distinct than there are, or can be."""
    if not isinstance(closed, Signed) or not Scoreboard.affordable(closed, min(table.rows, table.schema.domain_size)):
        return None
    return Scoreboard(closed, private, table.counts)


def _post(board: Scoreboard, proposal: PackedRecords, done: int, *, averaging: bool) -> None:
    if not averaging:
        board.clear()
    board.add(proposal, done if averaging else 1)
