"""What a game's release may say: the guarantee, the columns, how the game went, and every query it released."""

from __future__ import annotations

import numpy as np

from oracledp.classes.linked import LinkedQueries
from oracledp.game.played import GameModel
from oracledp.game.record import public_record
from oracledp.report.about import About, summary
from oracledp.report.page import bar, contents, grid, page, section
from oracledp.report.words import promise

_TITLES = (
    "What it promises",
    "Columns",
    "How the game went",
    "The queries, round by round",
    "The columns of the average play",
)


def game_page(model: GameModel, *, rows: int | None = None, about: About | None = None) -> str:
    """The page for one game; everything on it follows from released queries."""
    released = [("Rows released", f"{rows:,}")] if rows is not None else []
    facts = [("What it is", f"A synthetic table from a game of {len(model.play.queries):,} rounds"), *released]
    sections = [
        summary(facts, model.guarantee, about or About()),
        contents(*_TITLES),
        section("What it promises", promise(model.guarantee)),
        section("Columns", _columns(model)),
        section("How the game went", _record(model)),
        section("The queries, round by round", _rounds(model)),
        section("The columns of the average play", _marginals(model)),
    ]
    return page(
        "A private synthetic table from a game", sections, footer="Made with oracledp. Nothing here is unreleased."
    )


def _columns(model: GameModel) -> str:
    rows = [(column.name, column.kind, column.size) for column in model.schema.columns]
    return grid(("column", "kind", "values"), rows, numbers=(2,))


def _record(model: GameModel) -> str:
    record = public_record(model.play, model.queries.closure(), model.schema)
    rows = [
        ("class of queries", f"{model.queries.kind}, {model.queries.size:,} of them"),
        ("query player", model.query_player),
        ("rounds", f"{record.rounds:,}"),
        ("different queries", f"{record.distinct_queries:,}"),
        ("records proposed per round", f"{record.draws:,}"),
        ("calls of the data player's oracle", f"{record.data_oracle_calls:,}"),
        ("the data player's average regret", f"{record.data_regret:.4f}"),
    ]
    note = (
        '<p class="note">Each round one player proposes records and the other, privately, names a query on which they '
        "are wrong. Regret says how much better one fixed record would have done against all queries named: the "
        "smaller, the closer the game is to its end.</p>"
    )
    return grid(("", ""), rows) + note


def _rounds(model: GameModel, most: int = 40) -> str:
    """Each query with its share of the round's own proposal and of the average play."""
    play = model.play
    linked = LinkedQueries.of(play.queries, model.queries.closure(), model.schema)
    average = play.shares @ linked.values(play.records)
    rows = []
    for place, (query, draws) in enumerate(zip(model.released_queries()[:most], play.draws, strict=False)):
        proposed = float(linked.values(draws)[:, place].mean())
        rows.append((place + 1, str(query), f"{100 * proposed:.1f} %", f"{100 * float(average[place]):.1f} %"))
    more = f'<p class="note">The first {most} of {len(play.queries):,} rounds.</p>' if len(play.queries) > most else ""
    return grid(("round", "query", "in that proposal", "in the end"), rows, numbers=(0, 2, 3)) + more


def _marginals(model: GameModel, most: int = 12) -> str:
    blocks = []
    for place, column in enumerate(model.schema.columns):
        mass = np.bincount(model.play.records[:, place], weights=model.play.shares, minlength=column.size)
        top = np.argsort(-mass, kind="stable")[:most]
        chosen = sorted(top.tolist()) if column.ordered else top.tolist()
        rows = [(column.labels[i], f"{100 * mass[i]:.1f} %", bar(float(mass[i]))) for i in chosen]
        blocks.append(grid((column.name, "share", ""), rows, numbers=(1,), caption=f"{column.name}, by share"))
    return "<br>".join(blocks)
