"""Two linked tables through the front door: a person's row and all its children come and go together.

Runs on neighbours are coupled under identical released values (proofs/linked-tables.md).
"""

from __future__ import annotations

import io
import json
import pickle
from fractions import Fraction
from typing import Any

from oracledp.audit.command_doors import command
from oracledp.audit.doors import Door, Entry, Seen, patched
from oracledp.audit.exact_law import DataSet
from oracledp.data.schema import Schema
from oracledp.extras import optional
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import DrawSource
from oracledp.synthesis import chosen_fit
from oracledp.synthesis.linked import LinkedSynthesizer

PEOPLE = Schema({"smoker": "boolean", "age": "integer 0..39?"})
VISITS = Schema({"urgent": "boolean", "ward": "A | B | C"})
# Each kind of person by its rows in both tables: one without visits, one with too many equal ones, one that the first
# table does not know, one that it knows twice.
KINDS: tuple[tuple[list[Any], list[Any]], ...] = (
    ([(True, 3)], []),
    ([(False, 38)], [(True, "C")] * 5),
    ([], [(True, "A"), (False, "B")]),
    ([(True, None), (False, 7)], [(True, "A"), (False, "B"), (False, "C"), (True, "C")]),
)
ADD_REMOVE = (Neighbours.ADD_REMOVE,)
_SHORT = ((24, 6),) * 2  # fits of few components and steps: they touch released values only


def rows_of(data: DataSet) -> tuple[list[Any], list[Any]]:
    """The rows of so many persons of each kind, in both tables, with their ids."""
    persons = [(f"{kind}/{number}", kind) for kind, held in enumerate(data) for number in range(held)]
    tables = [[(name, *row) for name, kind in persons for row in KINDS[kind][place]] for place in (0, 1)]
    return tables[0], tables[1]


def _frame(rows: list[Any], names: tuple[str, ...]) -> Any:
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return optional("pandas", extra="frames").DataFrame(columns, dtype=object)


def linked(rows_per_person: int, epsilon: Fraction) -> Entry:
    """``LinkedSynthesizer.fit``: the model as JSON and pickled, both tables with their types, the progress."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        heard: list[tuple[int, int]] = []
        parents, children = rows_of(data)
        frames = _frame(parents, ("id", *PEOPLE.names)), _frame(children, ("id", *VISITS.names))
        synthesizer = LinkedSynthesizer(
            PEOPLE, VISITS, epsilon=epsilon, delta=Fraction(1, 1000), rows_per_person=rows_per_person
        )
        with patched(chosen_fit, "SIZES", _SHORT):
            synthesizer.fit(*frames, person="id", source=source, progress=lambda *step: heard.append(step))
        seen: list[Any] = [synthesizer.model_.to_json(), heard, repr(vars(synthesizer))]
        for made in synthesizer.sample(seed=0):
            text = io.StringIO()
            made.to_csv(text)
            seen += [text.getvalue(), str(dict(made.dtypes))]
        return Seen(json.dumps(seen) + pickle.dumps(synthesizer).hex(), synthesizer.guarantee_)

    return enter


def files(data: DataSet) -> dict[str, str]:
    """The same rows as files, and their schemas."""
    parents, children = rows_of(data)
    return {
        "people.csv": _csv(parents, ("id", *PEOPLE.names)),
        "visits.csv": _csv(children, ("id", *VISITS.names)),
        "people.json": json.dumps(PEOPLE.to_json()),
        "visits.json": json.dumps(VISITS.to_json()),
    }


def _csv(rows: list[Any], names: tuple[str, ...]) -> str:
    lines = [",".join("" if value is None else str(value) for value in row) for row in rows]
    return "\n".join([",".join(names), *lines]) + "\n"


def linked_doors() -> list[Door]:
    """The class with several budgets, and the command line."""
    arguments = (
        "synth", "@people.csv", "--schema", "@people.json", "--children", "@visits.csv", "--children-schema",
        "@visits.json", "--person", "id", "--rows-per-person", "3", "--epsilon", "20", "--delta", "1e-3",
        "--out", "@made.csv", "--children-out", "@made-visits.csv", "--model", "@model.json", "--quiet",
    )  # fmt: skip
    lopsided: dict[str, Any] = {"rows": 1, "base": (12, 3, 1, 2), "relations": ADD_REMOVE}
    return [
        Door("linked", linked(3, Fraction(2)), **lopsided),
        Door("linked / one child", linked(1, Fraction(2)), **lopsided),
        Door("linked / large budget", linked(3, Fraction(20)), **lopsided),
        Door("synth --children", command(*arguments, files=files), **lopsided, kinds=(1, 3)),
    ]
