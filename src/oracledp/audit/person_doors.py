"""Persons with several rows through the front door: all their rows come and go together (proofs/persons.md)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from oracledp.audit.command_doors import SCHEMA as SCHEMA_TEXT
from oracledp.audit.command_doors import learning
from oracledp.audit.doors import Door, Entry, Seen
from oracledp.audit.exact_law import DataSet
from oracledp.audit.function_doors import SCHEMA, Function, shown, two_rules
from oracledp.audit.learner_doors import shown_model
from oracledp.data.table import Table
from oracledp.extras import optional
from oracledp.mechanisms.exponential_mechanism import exponential
from oracledp.mechanisms.votes.mechanism import vote
from oracledp.privacy.guarantee import Neighbours
from oracledp.randomness.source import DrawSource

PERSONS = (
    ((0, 1),),
    ((0, 1), (0, 1), (0, 1)),
    ((1, 0), (0, 0), (1, 1)),
    ((0, 0), (0, 0)),
)  # the rows (a, y) of each kind
ADD_REMOVE = (Neighbours.ADD_REMOVE,)


def rows_of(data: DataSet) -> list[tuple[str, int, int]]:
    """The rows of so many persons of each kind, with their ids: of each kind, the last one comes and goes."""
    return [
        (f"{kind}/{number}", *row)
        for kind, (rows, persons) in enumerate(zip(PERSONS, data, strict=True))
        for number in range(persons)
        for row in rows
    ]


@cache
def bounded_table(data: DataSet, rows_per_person: int) -> Table:
    """The table of these persons."""
    rows = rows_of(data)
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("id", "a", "y"))}
    return Table.from_columns(columns, SCHEMA, person="id", rows_per_person=rows_per_person)


def of_persons(function: Function, rows_per_person: int, **options: object) -> Entry:
    """A function of a bounded table and a class."""

    def enter(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
        table = bounded_table(data, rows_per_person)
        release = function(table, two_rules(), neighbours=relation, source=source, **options)
        return Seen(shown(release), release.guarantee)

    return enter


def fitted_persons(data: DataSet, relation: Neighbours, source: DrawSource) -> Seen:
    """The fit of an estimator on a frame with a column of ids, of which two rows each are kept."""
    from oracledp.learners import TreeClassifier

    rows = rows_of(data)
    frame = optional("pandas", extra="frames").DataFrame(
        {name: [row[place] for row in rows] for place, name in enumerate(("id", "a", "y"))}
    )
    model = TreeClassifier(
        epsilon=1, depth=1, bounds=(0, 1), target="y", classes=[0, 1], neighbours=relation, random_state=source
    ).fit(frame, person="id", rows_per_person=2)
    return Seen(shown_model(model), model.guarantee_)


def file_of_persons(data: DataSet) -> dict[str, str]:
    """The same rows as a file, and their schema."""
    rows = [f"{name},{bool(a)},{bool(y)}".lower() for name, a, y in rows_of(data)]
    return {"data.csv": "\n".join(["id,a,y", *rows]) + "\n", "schema.json": SCHEMA_TEXT}


def person_doors() -> list[Door]:
    """Selections, a vote with a δ that grows, and the command line."""
    one, half = Fraction(1), Fraction(1, 2)
    tree = ("--model", "tree", "--depth", "1", "--epsilon", "1", "--person", "id", "--rows-per-person", "2")
    return [
        Door("persons, one row", of_persons(exponential, 1, epsilon=half), base=(0, 2, 0, 0)),
        Door("persons, two rows", of_persons(exponential, 2, epsilon=one), base=(0, 2, 0, 0), relations=ADD_REMOVE),
        Door(
            "persons, vote",
            of_persons(vote, 2, epsilon=one, delta=Fraction(1, 10), parts=2, ballot=1),
            rows=1,
            base=(1, 1, 0, 0),
            relations=ADD_REMOVE,
        ),
        Door("fit, persons", fitted_persons, rows=1, base=(0, 3, 0, 1), relations=ADD_REMOVE),
        Door("learn --person", learning(*tree, files=file_of_persons), rows=1, base=(0, 3, 0, 1), relations=ADD_REMOVE),
    ]
