"""Public entry points that are too rich to walk through, run on neighbours under identical released values."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from oracledp.audit.command_doors import command
from oracledp.audit.coupling import Coupled, Different, coupled
from oracledp.audit.doors import Door, Entry, Seen, patched
from oracledp.audit.exact_law import DataSet, Finding
from oracledp.audit.learner_doors import fitted, selected
from oracledp.audit.raw_doors import SHORT, raw_doors
from oracledp.classes import Conjunctions
from oracledp.data.schema import Schema
from oracledp.data.table import Table
from oracledp.game.oracle_query import OracleQuery
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.randomness.source import DrawSource
from oracledp.synthesis import Synthesizer, chosen_fit

SCHEMA = Schema(
    {
        "columns": {
            "smoker": {"kind": "boolean"},
            "sick": {"kind": "boolean"},
            "age": {"kind": "integer", "lo": 0, "hi": 39, "nullable": True},
            "town": {"kind": "categorical", "values": ["A", "B", "C"]},
        }
    }
)
KINDS = np.array([[0, 0, 3, 0], [1, 1, 38, 2], [1, 0, 40, 1], [0, 1, 20, 0]], dtype=np.uint8)  # 40: no age
PRICES = Schema(
    {
        "price": {"kind": "numeric", "lo": 0, "hi": 4, "resolution": "0.01", "nullable": True, "thresholds": [2]},
        "sold": {"kind": "boolean"},
    }
)
VISITS = Schema({"day": {"kind": "date", "lo": "2020-01-01", "hi": "2020-12-31"}, "sick": {"kind": "boolean"}})
DAYS = np.array([[0, 0], [365, 1], [59, 1], [200, 0]], dtype=np.uint16)
SALES = np.array([[0, 0], [399, 1], [401, 1], [123, 0]], dtype=np.uint16)  # 401: no price
TOWNS = Schema(
    {"code": {"kind": "categorical", "values": [f"c{number}" for number in range(120)]}, "far": {"kind": "boolean"}}
)
CODES = np.array([[0, 0], [5, 1], [60, 1], [7, 1]], dtype=np.uint8)
REPLACE, ADD = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE


@cache
def people(data: DataSet) -> Table:
    """A table from the counts of four kinds of people."""
    return Table.from_codes(np.repeat(KINDS, np.array(data), axis=0), SCHEMA)


@cache
def sales(data: DataSet) -> Table:
    """A table from the counts of four kinds of sales, of a column that is counted in stages."""
    return Table.from_codes(np.repeat(SALES, np.array(data), axis=0), PRICES)


@cache
def visits(data: DataSet) -> Table:
    """A table from the counts of four kinds of visits, of a column of dates."""
    return Table.from_codes(np.repeat(DAYS, np.array(data), axis=0), VISITS)


@cache
def towns(data: DataSet) -> Table:
    """A table from the counts of four kinds of towns, of a code whose values are grouped by behaviour."""
    return Table.from_codes(np.repeat(CODES, np.array(data), axis=0), TOWNS)


def synthesized(table: Callable[[DataSet], Table] = people, **options: Any) -> Entry:
    """``Synthesizer.fit``: the model as JSON and pickled, synthetic rows with their types, an answer, the progress."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        heard: list[tuple[int, int]] = []
        private = table(data)
        synthesizer = Synthesizer(private.schema, neighbours=relation, **options)
        with patched(chosen_fit, "SIZES", SHORT):
            synthesizer.fit(private, source=source, progress=lambda done, total: heard.append((done, total)))
        rows = synthesizer.sample(seed=0)
        text = io.StringIO()
        rows.to_csv(text)
        seen = [synthesizer.model_.to_json(), text.getvalue(), str(dict(rows.dtypes)), heard, repr(vars(synthesizer))]
        return Seen(json.dumps(seen) + pickle.dumps(synthesizer).hex(), synthesizer.model_.guarantee)

    return enter


def played(**options: Any) -> Entry:
    """``OracleQuery.fit``: the model, synthetic rows, the record of the game, the progress."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        heard: list[tuple[int, int]] = []
        queries = Conjunctions(SCHEMA.literals.with_negations(), max_width=2)
        game = OracleQuery(SCHEMA, queries=queries, draws=5, **options)
        game.fit(people(data), source=source, progress=lambda done, total: heard.append((done, total)))
        seen = [game._model().to_json(), game.sample(seed=0).to_csv(), heard]
        return Seen(json.dumps(seen) + pickle.dumps(game).hex(), game.guarantee_)

    return enter


def synthesis_door(name: str, **options: Any) -> Door:
    """A synthesizer on lopsided tables: one kind of person is common, the others come and go."""
    return Door(name, synthesized(**options), rows=1, base=(20, 0, 0, 3))


def coupled_doors() -> list[Door]:
    """What is measured, selected and played over many steps."""
    budget: dict[str, Any] = {"epsilon": Fraction(2), "delta": Fraction(1, 1000)}
    wide = tuple(tuple(row) for row in np.eye(40, dtype=int)[:3].tolist())
    kinds = tuple((*row, label) for row in wide for label in (0, 1))
    return [
        synthesis_door("synthesizer", **budget),
        synthesis_door("synthesizer / large budget", epsilon=Fraction(20), delta=Fraction(1, 1000)),
        synthesis_door("synthesizer / ranges", workload=["marginals:2", "ranges"], **budget),
        replace(
            synthesis_door("synthesizer / rounds", workload=["marginals:2", "conjunctions:2"], **budget), kinds=(1, 3)
        ),
        synthesis_door("synthesizer / stages", table=sales, epsilon=Fraction(20), delta=Fraction(1, 1000)),
        synthesis_door("synthesizer / dates", table=visits, epsilon=Fraction(20), delta=Fraction(1, 1000)),
        synthesis_door("synthesizer / behaviour", table=towns, epsilon=Fraction(20), delta=Fraction(1, 1000)),
        synthesis_door("synthesizer / queries", workload=["marginals:1", "smoker and sick"], **budget),
        *raw_doors(),
        Door("schema infer", command("schema", "infer", "@data.csv", "--epsilon", "20", "--delta", "1e-3",
                                     "--out", "@bought.yaml", "--json"), rows=1, base=(40, 0, 0, 8)),
        Door("oracle-query", played(rounds=5, **budget), rows=1, base=(5, 0, 0, 3), relations=(REPLACE,)),
        Door("oracle-query / play",
             played(rounds=3, responds_to="play", **budget), rows=1, base=(5, 0, 0, 3), relations=(REPLACE,)),
        Door("private selector, same split", selected, rows=1, base=(3, 0, 0, 3), relations=(REPLACE,), repeats=6),
        Door("fit list, many literals", fitted("DecisionListClassifier", kinds, epsilon=Fraction(1)),
             universe=6, rows=1, base=(2, 0, 0, 0, 0, 2)),
        Door("synth", command("synth", "@data.csv", "--schema", "@schema.json", "--epsilon", "1", "--delta", "1e-3",
                              "--out", "@rows.csv", "--model", "@model.json", "--report", "@page.html", "--quiet"),
             rows=1, base=(5, 0, 0, 3), kinds=(0, 1)),
        Door("synth --infer-schema",
             command("synth", "@data.csv", "--infer-schema", "@bought.yaml", "--epsilon", "4", "--delta", "1e-3",
                     "--out", "@rows.csv", "--model", "@model.json", "--report", "@page.html", "--quiet"),
             rows=1, base=(200, 0, 0, 40), kinds=(0, 1)),
        Door("synth --method oracle-query",
             command("synth", "@data.csv", "--schema", "@schema.json", "--epsilon", "1", "--delta", "1e-3",
                     "--method", "oracle-query", "--workload", "conjunctions:1",
                     "--out", "@rows.csv", "--model", "@model.json", "--report", "@page.html", "--quiet"),
             rows=1, base=(5, 0, 0, 3), kinds=(0, 1), relations=(REPLACE,)),
    ]  # fmt: skip


@dataclass(frozen=True)
class CoupledFinding(Finding):
    """What the released values cost together, by the claim's own accounting; ``differs`` says what else showed."""

    differs: str = ""

    @property
    def holds(self) -> bool:
        """Every pair within the claim and nothing else different."""
        return not self.broken

    @property
    def broken(self) -> bool:
        """Whether some pair exceeds the claim or is told apart."""
        return bool(self.differs) or self.epsilon_low > float(self.claimed.epsilon)

    def to_json(self) -> dict[str, Any]:
        """A row of the audit table."""
        return {**super().to_json(), "differs": self.differs}


def coupled_finding(door: Door, relation: Neighbours) -> CoupledFinding:
    """All pairs of neighbours, in both orders, each with released values of its own."""
    both = [pair for one, other in door.pairs(relation) for pair in ((one, other), (other, one))]
    pairs = both * door.repeats
    claimed: Guarantee | None = None
    worst = 0.0
    for number, (one, other) in enumerate(pairs):
        try:
            found = _couple(door, relation, one, other, number)
        except Different as difference:
            return _finding(door, relation, claimed, float("inf"), len(pairs), str(difference))
        claimed = found.guarantee or claimed
        worst = max(worst, 0.0 if found.guarantee is None else float(found.epsilon(found.guarantee)))
    return _finding(door, relation, claimed, worst, len(pairs), "")


def _couple(door: Door, relation: Neighbours, one: DataSet, other: DataSet, seed: int) -> Coupled:
    def run(data: DataSet, source: DrawSource) -> tuple[str, Guarantee]:
        seen = door.enter(data, relation, source)
        return seen.text, seen.guarantee

    return coupled(lambda source: run(one, source), lambda source: run(other, source), seed)


def _finding(
    door: Door, relation: Neighbours, claimed: Guarantee | None, worst: float, pairs: int, differs: str
) -> CoupledFinding:
    promise = claimed or Guarantee(epsilon=Fraction(1), neighbours=relation, proof="none")
    return CoupledFinding(door.name, promise, worst, worst, 0.0, 0.0, pairs, differs=differs)
