"""The released model of two linked tables: parents with their numbers of children, and children given these.

Proof: proofs/linked-tables.md.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from oracledp.data.literals import Literal
from oracledp.data.output.conditions import Conditions, parse_conditions
from oracledp.data.output.lawful import Law, Rows
from oracledp.data.schema import Schema
from oracledp.data.schema.named_columns import spoken
from oracledp.data.table.linked import LinkedSchema
from oracledp.errors import ModelError, OracleDPError, ParameterError, UnknownColumn
from oracledp.privacy.guarantee import Guarantee
from oracledp.synthesis.bins import Floats, Integers
from oracledp.synthesis.drawing import dependency_tables, draw_records, lawful
from oracledp.synthesis.model import SyntheticModel
from oracledp.synthesis.rounding import rows_within
from oracledp.whole_files import read_saved, write_whole

FORMAT = 1
_AT_ONCE = 4096  # parents whose components are weighed at once
_LEAST = 1e-300


@dataclass(frozen=True)
class LinkedModel:
    """Two mixtures: of parents with their numbers of children, and of children beside their parents."""

    schema: LinkedSchema
    parents: SyntheticModel
    children: SyntheticModel

    @property
    def guarantee(self) -> Guarantee:
        """What was promised for both tables together."""
        return self.parents.guarantee

    def conditions(self, where: Conditions | None) -> tuple[Literal, ...] | None:
        """What is asked of parents, or of their numbers of children, as literals; nothing may be asked of a child.

        Children would have to be met by chance: given what is asked of them, parents follow another distribution.
        """
        if where is None:
            return None
        own = self.parents.schema
        try:
            found = parse_conditions(where, own)
            unknown = next((literal.column for literal in found if literal.column not in own), None)
        except UnknownColumn as error:
            unknown = error.name
            if not self._of_children(unknown):
                raise
        if unknown is not None and self._of_children(unknown):
            raise ParameterError(
                f"column {unknown!r} is of the second table, and conditions are on columns of the first:"
                f" {', '.join(own.names)}"
            )
        return found

    def _of_children(self, name: str) -> bool:
        return name in {spelled for spelled, _ in spoken(self.schema.children.columns)}

    def draw(
        self, count: int, generator: np.random.Generator, where: Conditions | None = None
    ) -> tuple[Rows, Integers, Rows]:
        """So many parents that meet the conditions, whose child each child is, and the children given their parents."""
        made = draw_records(self.parents, count, where, generator)
        owners = np.repeat(np.arange(count), made.codes[:, -1])
        children = self._children(made.codes, owners, generator)
        return Rows(made.codes[:, :-1], made.places[:, :-1]), owners, children

    def _children(self, parents: Integers, owners: Integers, generator: np.random.Generator) -> Rows:
        """Children given their parents' values; those of one parent are independent given these."""
        own = self.children.of_columns(slice(parents.shape[1], None), self.schema.children)

        def fresh(wanted: Integers) -> Rows:
            components = self._components(parents, wanted, generator)
            codes = rows_within(own.mixture, own.marginals, components, generator)
            return Rows(codes, generator.random(codes.shape))

        law = Law(self.schema.children, dependency_tables(own))
        return lawful(fresh(owners), law, generator, lambda left: fresh(owners[left]))

    def _components(self, parents: Integers, owners: Integers, generator: np.random.Generator) -> Integers:
        """A component for each child, by its probability given the parent's values; owners need not be in order."""
        mixture = self.children.mixture
        bins, blocks = mixture.layout.bins, mixture.layout.blocks()
        given = range(parents.shape[1])
        tables = [np.ascontiguousarray(np.log(np.maximum(mixture.parts[:, blocks[c]], _LEAST)).T) for c in given]
        start, found = np.log(np.maximum(mixture.weights, _LEAST)), np.empty(len(owners), dtype=np.int64)
        asked, place = np.unique(owners, return_inverse=True)
        order = np.argsort(place, kind="stable")
        ends = np.searchsorted(place[order], np.arange(0, len(asked) + _AT_ONCE, _AT_ONCE))
        for part, (begin, end) in enumerate(pairwise(ends)):
            some = asked[part * _AT_ONCE : (part + 1) * _AT_ONCE]
            chances = start + sum(tables[column][bins[column].fine[parents[some, column]]] for column in given)
            rows = order[begin:end]
            found[rows] = _picked(chances, place[rows] - part * _AT_ONCE, generator)
        return found

    # ---- saving ----------------------------------------------------------------------------------
    def to_json(self) -> dict[str, Any]:
        """Released numbers and public schemas only."""
        return {
            "oracledp-linked-model": FORMAT,
            "person": self.schema.unit.person,
            "rows_per_person": self.schema.most,
            "schema": self.schema.parents.to_json(),
            "children_schema": self.schema.children.to_json(),
            "guarantee": self.guarantee.to_json(),
            "parents": self.parents.to_json(),
            "children": self.children.to_json(),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> LinkedModel:
        """Read what :meth:`to_json` wrote."""
        try:
            if data["oracledp-linked-model"] != FORMAT:
                raise ModelError("this model was written by another version of oracledp")
            parents, children = (Schema(data[key]) for key in ("schema", "children_schema"))
            schema = LinkedSchema.of(parents, children, data["person"], data["rows_per_person"])
            model = cls(schema, *(SyntheticModel.from_json(data[key]) for key in ("parents", "children")))
        except OracleDPError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise ModelError("this is not a model of linked tables written by oracledp") from error
        pairs = ((model.parents, schema.counted), (model.children, schema.joined))
        if any(part.schema != own for part, own in pairs) or model.children.guarantee != model.guarantee:
            raise ModelError("the parts of this model of linked tables do not fit together")
        return model

    def to_text(self) -> str:
        """The content of a saved model."""
        return json.dumps(self.to_json()) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        write_whole(path, self.to_text())

    @classmethod
    def load(cls, path: str | Path) -> LinkedModel:
        """Read a saved model."""
        return cls.from_json(read_saved(path, "a model of linked tables"))


def _picked(chances: Floats, rows: Integers, generator: np.random.Generator) -> Integers:
    """A column for each of some rows, by the rows' logarithms of chances."""
    shares = np.cumsum(np.exp(chances - chances.max(axis=1, keepdims=True)), axis=1)
    shares /= shares[:, -1:]
    steps = (shares + np.arange(len(shares))[:, None]).ravel()
    found = np.searchsorted(steps, rows + generator.random(len(rows)), side="right") - rows * shares.shape[1]
    return np.asarray(np.clip(found, 0, shares.shape[1] - 1), dtype=np.int64)
