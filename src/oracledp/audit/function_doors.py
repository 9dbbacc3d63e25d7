"""The public functions of the library through the front door: selections, learners, games, on all small tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from oracledp.audit.doors import COARSE, SLOW, Door, Entry, Seen, patched
from oracledp.audit.exact_law import DataSet
from oracledp.audit.free_ties import FreeTies
from oracledp.classes import Conjunctions, Parities, QueryClass, ZeroOneLoss
from oracledp.classes.separation import all_records
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.extras import optional
from oracledp.game.oracle_query import OracleQuery
from oracledp.learning import learn_table
from oracledp.mechanisms import exponential_mechanism as exponential_module
from oracledp.mechanisms.exponential_mechanism import exponential
from oracledp.mechanisms.gaussian_min import gaussian_rspm
from oracledp.mechanisms.mapped_counts import mapped_counts
from oracledp.mechanisms.noisy_min import report_noisy_min
from oracledp.mechanisms.perturbed_min import rspm
from oracledp.mechanisms.votes import size as vote_sizes
from oracledp.mechanisms.votes.mechanism import vote
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import DrawSource

TWO_PARTS: dict[str, Any] = {**SLOW, "kinds": (0, 2), "least": 3e-6, "tails": 2e-2}
SCHEMA = Schema({"columns": {"a": {"kind": "boolean"}, "y": {"kind": "boolean"}}})
TARGET = SCHEMA.literals[1]
REPLACE = (Neighbours.REPLACE_ONE,)
Function = Callable[..., Any]


@cache
def table_of(data: DataSet) -> Table:
    """A table from the counts of the records 00, 01, 10, 11 of (a, y)."""
    return Table.from_codes(np.repeat(all_records(2).astype(np.uint8), np.array(data), axis=0), SCHEMA)


@cache
def two_rules() -> QueryClass:
    """The loss of "always y" and of "y when a"."""
    return ZeroOneLoss.of(Conjunctions(SCHEMA.literals.without("y")), TARGET)


@cache
def signed_rules() -> QueryClass:
    """Never, a, and their negations: a query has two parts, so the noise must pay for both."""
    return Parities(SCHEMA.literals.without("y"), max_width=1).closure()


def selection(function: Function, queries: Callable[[], QueryClass] = two_rules, **options: Any) -> Entry:
    """A function of a table and a class."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        release = function(table_of(data), queries(), neighbours=relation, source=source, **options)
        return Seen(shown(release), release.guarantee)

    return enter


def shown(release: Any) -> str:
    """All that a release says: its JSON, its text."""
    return json.dumps(release.to_json(), sort_keys=True) + str(release) + repr(release)


def from_trees(entry: Entry) -> Entry:
    """The same, sampled from trees whatever the size of the class."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        with patched(exponential_module, "ENUMERATE_UP_TO", 0):
            return entry(data, relation, source)

    return enter


def rule(function: Function, **options: Any) -> Entry:
    """A function of a table and a target."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        release = function(table_of(data), TARGET, neighbours=relation, source=source, **options)
        return Seen(shown(release), release.guarantee)

    return enter


def game(rounds: int, family: Callable[..., QueryClass] = Conjunctions, **options: Any) -> Entry:
    """The query-release game: all that its model holds, its progress included."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        heard: list[tuple[int, int]] = []
        queries = family(SCHEMA.literals.without("y"))
        player = OracleQuery(SCHEMA, queries=queries, rounds=rounds, draws=2, **options)
        player.fit(table_of(data), source=source, progress=lambda done, total: heard.append((done, total)))
        return Seen(json.dumps(player._model().to_json(), sort_keys=True) + str(heard), player.guarantee_)

    return enter


def of_two_parts(entry: Entry) -> Entry:
    """The same, with votes of two parts where the rule for parts is left to itself."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        with patched(vote_sizes, "FEWEST", 2):
            return entry(data, relation, source)

    return enter


def unknown_values(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """A paid look at what the schema does not know: rows of true, false and something else."""
    values = np.repeat(np.array([True, False, "?"], dtype=object), np.array(data))
    schema = Schema({"columns": {"a": {"kind": "boolean"}}})
    frame = optional("pandas", extra="frames").DataFrame({"a": values})
    found = mapped_counts(Table.from_frame(frame, schema), epsilon=Fraction(1), neighbours=relation, source=source)
    return Seen(json.dumps(found.to_json()), found.guarantee)


def function_doors() -> list[Door]:
    """Every public function, each on the coarsest lattice that says something."""
    one, half = Fraction(1), Fraction(1, 2)
    return [
        Door("exponential", selection(exponential, epsilon=one), base=(0, 4, 0, 0)),
        Door("exponential / max", selection(exponential, epsilon=half, goal="max")),
        Door("exponential / trees", from_trees(selection(exponential, epsilon=one)), base=(0, 4, 0, 0)),
        Door("permute-and-flip", selection(exponential, epsilon=one, method="permute-and-flip")),
        Door("permute-and-flip / trees", from_trees(selection(exponential, epsilon=one, method="permute-and-flip"))),
        Door("rspm:k-hot", selection(rspm, epsilon=one), lattice=COARSE),
        Door("rspm:k-hot / max", selection(rspm, epsilon=2 * one, goal="max"), lattice=COARSE),
        Door("rspm:k-hot / two parts", selection(rspm, signed_rules, epsilon=2 * one), **TWO_PARTS),
        Door("rspm:separator", selection(rspm, epsilon=one, embedding="separator"), lattice=COARSE),
        Door("rspm / free ties", selection(rspm, epsilon=one, oracle=FreeTies()), **SLOW),
        Door("rspm:gaussian", selection(gaussian_rspm, epsilon=2 * one, delta=Fraction(1, 20)), least=1e-8),
        Door("report-noisy-min", selection(report_noisy_min, epsilon=one), lattice=COARSE),
        Door("vote:approval", selection(vote, epsilon=one, delta=Fraction(1, 20), parts=2, ballot=1, form="approval")),
        Door(
            "vote:approval / long lists",
            selection(vote, signed_rules, epsilon=one, delta=Fraction(1, 8), parts=2, ballot=2),
            rows=1, base=(1, 0, 1, 0),
        ),
        Door("vote:hard", selection(vote, epsilon=one, delta=Fraction(1, 20), parts=2, form="hard")),
        Door(
            "vote:hard / three parts",
            selection(vote, epsilon=one, delta=Fraction(1, 20), parts=3, form="hard"), rows=1, base=(2, 0, 0, 0),
        ),
        Door("mapped-counts", unknown_values, universe=3, rows=1, base=(1, 0, 1), least=1e-7),
        Door(
            "learn_table / rspm",
            rule(learn_table, epsilon=one, model="conjunction", size=1, mechanism="rspm"), **SLOW,
        ),
        Door("learn_table / parity", rule(learn_table, epsilon=one, model="parity", mechanism="permute-and-flip")),
        Door(
            "learn_table / decision-list",
            rule(learn_table, epsilon=one, model="decision-list", size=2), base=(4, 0, 0, 4),
        ),
        Door("learn_table / disjunction", rule(learn_table, epsilon=one, model="disjunction", size=1)),
        Door("oracle-query:exponential", game(1, epsilon=one, delta=Fraction(1, 100)), relations=REPLACE),
        Door("oracle-query:exponential / 2", game(2, epsilon=one, delta=Fraction(1, 100)), relations=REPLACE),
        Door(
            "oracle-query:vote",
            of_two_parts(game(1, epsilon=8 * one, delta=Fraction(3, 10), query_player="vote")),
            relations=REPLACE, rows=1, base=(1, 0, 0, 0), kinds=(0, 2),
        ),
        Door(
            "oracle-query:rspm",
            game(1, epsilon=4 * one, delta=Fraction(1, 100), query_player="rspm"),
            relations=REPLACE, **SLOW,
        ),
        Door(
            "oracle-query:rspm:separator",
            game(1, epsilon=one, delta=Fraction(1, 100), query_player="rspm:separator"),
            relations=REPLACE, **SLOW,
        ),
        Door(
            "oracle-query:rspm:gaussian",
            game(1, epsilon=4 * one, delta=Fraction(1, 20), query_player="rspm:gaussian"),
            relations=REPLACE, **SLOW,
        ),
    ]  # fmt: skip
