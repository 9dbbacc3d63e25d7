"""Every public entry point as the observables tier calls it: a small table in, what leaves out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from oracledp.audit.command_doors import command_doors
from oracledp.audit.coupled_doors import coupled_doors
from oracledp.audit.doors import Door
from oracledp.audit.end_to_end import EPSILON, PUBLIC, SCHEMA, Call, with_epsilon
from oracledp.audit.gradient_doors import gradient_doors
from oracledp.audit.learner_doors import learner_doors
from oracledp.audit.robust_doors import two_samples
from oracledp.classes.base import QueryClass
from oracledp.data.table import Table
from oracledp.learning import learn_table
from oracledp.mechanisms.gaussian_min import gaussian_rspm
from oracledp.mechanisms.mapped_counts import mapped_counts
from oracledp.mechanisms.robust.mechanism import prsma
from oracledp.mechanisms.votes.mechanism import vote
from oracledp.privacy.guarantee import Guarantee, Neighbours

DELTA = Fraction(1, 20)
TARGET = SCHEMA.literals[1]


@dataclass(frozen=True)
class Product:
    """A product that is no single query: what it releases, and the whole of it."""

    released: str
    guarantee: Guarantee
    whole: Any

    def to_json(self) -> str:
        """What it releases."""
        return self.released

    def __str__(self) -> str:
        return f"{self.whole} {self.guarantee}"


def learned(model: str) -> Call:
    """A rule of this model for the target."""
    return lambda table, queries, **more: learn_table(table, TARGET, epsilon=EPSILON, model=model, size=1, **more)


def _counted(table: Table, queries: QueryClass, **more: Any) -> Product:
    """The rows as a frame, one column of them unknown to the schema wherever a holds."""
    from oracledp.extras import optional

    rows = np.repeat(table.codes, table.counts, axis=0)
    names = {"a": np.where(rows[:, 0] == 1, "?", "true").astype(object), "y": rows[:, 1] == 1}
    read = Table.from_frame(optional("pandas", extra="frames").DataFrame(names), SCHEMA)
    found = mapped_counts(read, epsilon=EPSILON, **more)
    return Product(json.dumps(found.to_json()), found.guarantee, found)


def fitted(kind: str, **size: int) -> Call:
    """``fit`` of an estimator with declared labels."""

    def call(table: Table, queries: QueryClass, **more: Any) -> Product:
        from oracledp import learners
        from oracledp.learners.saving import to_json

        rows = np.repeat(table.codes, table.counts, axis=0).astype(np.int64)
        options = {"neighbours": more.get("neighbours", Neighbours.DEFAULT), "ledger": more.get("ledger")}
        model = getattr(learners, kind)(
            epsilon=EPSILON, bounds=(0, 1), classes=[0, 1], random_state=more.get("source"), **options, **size
        ).fit(rows[:, :1], rows[:, 1])
        model.set_params(random_state=None, ledger=None)  # they came from outside
        return Product(json.dumps(to_json(model)), model.guarantee_, model)

    return call


CALLS: dict[str, Call] = {
    **PUBLIC,
    "rspm:gaussian": with_epsilon(gaussian_rspm, delta=DELTA),
    "vote:approval": with_epsilon(vote, delta=DELTA, parts=2, ballot=1, form="approval"),
    "prsma": with_epsilon(prsma, two_samples().epsilon, delta=two_samples().delta, design=two_samples()),
    "learn_table": learned("conjunction"),
    "learn_table / tree": learned("tree"),
    "mapped-counts": _counted,
    "fit conjunction": fitted("ConjunctionClassifier", size=1),
    "fit decision-list": fitted("DecisionListClassifier", size=1),
    "fit tree": fitted("TreeClassifier", depth=1),
}

COUPLED = (
    "fit conjunction", "fit decision-list", "fit class weights", "fit three classes", "fit logistic card",
    "fit logistic card, three classes", "fit logistic card of one line", "fit list with probabilities",
    "learn_table / logistic card", "private selector, same split", "oracle-query", "synthesizer",
    "synthesizer / stages", "synthesizer / behaviour", "synthesizer / dates", "learn --mechanism",
    "learn decision-list", "learn tree", "infer_schema", "schema infer", "synth", "synth --method oracle-query",
)  # fmt: skip


def coupled_entries() -> Iterator[Door]:
    """What releases too much for two runs to agree by chance: neighbours get the same released values."""
    doors = {door.name: door for door in (*learner_doors(), *coupled_doors(), *gradient_doors(), *command_doors())}
    for name in COUPLED:
        yield replace(doors[name], rows=1, base=doors[name].base or (1, 0, 0, 1), kinds=(0, 1), repeats=1)
