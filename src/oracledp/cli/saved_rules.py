"""A saved rule as ``predict`` applies it, whether ``learn`` or an estimator wrote it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.data.schema import Schema
from oracledp.data.table.rows import FileRows
from oracledp.errors import ModelError, ParameterError
from oracledp.mechanisms.release import Release
from oracledp.privacy.guarantee import Guarantee
from oracledp.whole_files import read_saved

ESTIMATOR, SYNTHETIC = "oracledp-model", ("oracledp-synthetic-model", "oracledp-game-model")
Places = NDArray[np.intp]


@dataclass(frozen=True)
class SavedRule:
    """What it says, the columns that it reads, the labels that it gives, and the place of each row's label."""

    words: str
    guarantee: Guarantee
    reads: Schema
    labels: tuple[Any, ...]
    predict: Callable[[FileRows, bool], Places]


def load_rule(path: str, schema: Schema | None) -> SavedRule:
    """The rule in a file; ``schema`` takes the place of the one that is saved with it, where one is."""
    data = read_saved(path, "a rule")
    if any(mark in data for mark in SYNTHETIC):
        raise ModelError(f"{path} holds a model of synthetic rows, not a rule: see oracledp sample")
    return _of_estimator(path, schema) if ESTIMATOR in data else _of_release(path, data, schema)


def _of_release(path: str, data: dict[str, Any], schema: Schema | None) -> SavedRule:
    release = Release.from_json(data)
    if schema is None and "schema" not in data:
        raise ParameterError(f"{path} was saved without a schema: say how to read the rows with --schema")
    query, whole = release.query, Schema(data["schema"]) if schema is None else schema
    rules = getattr(query.owner, "hypotheses", query.owner)  # a loss is released for the rule inside it
    reads = _restricted(whole, {literal.column for literal in rules.literals})

    def predict(rows: FileRows, strict: bool) -> Places:
        values = reads.literal_values(rules.literals, rows.codes(reads, strict=strict))
        return np.asarray(rules.evaluate(query.parts, values), dtype=np.intp)

    reads.literal_values(rules.literals, np.zeros((1, len(reads.columns)), dtype=reads.code_dtype))  # all are known
    return SavedRule(str(query), release.guarantee, reads, (False, True), predict)


def _of_estimator(path: str, schema: Schema | None) -> SavedRule:
    from oracledp.learners import load_model
    from oracledp.learners.cuts import CutEncoder

    if schema is not None:
        raise ParameterError(f"{path} was saved with the schema that it needs: leave --schema out")
    model = load_model(path)
    rules, encoder = model.rules_, model.rules_.encoder
    labels, places_of = rules.finished
    if isinstance(encoder, CutEncoder):
        reads = Schema({"columns": {name: {"kind": "boolean"} for name in encoder.names}})
        return SavedRule(
            str(rules),
            model.guarantee_,
            reads,
            labels,
            lambda rows, strict: places_of(encoder.encode(rows.numbers(encoder.names))),
        )

    def predict(rows: FileRows, strict: bool) -> Places:
        codes = rows.codes(encoder.schema, strict=strict)
        return np.asarray(places_of(encoder.schema.literal_values(encoder.literals, codes)))

    return SavedRule(str(rules), model.guarantee_, encoder.schema, labels, predict)


def _restricted(schema: Schema, names: set[str]) -> Schema:
    """The schema's columns of these names, in its order."""
    for name in sorted(names):
        schema.position(name)
    columns = schema.to_json()["columns"]
    kept = {name: columns[name] for name in schema.names if name in names}
    return Schema({"file": schema.file.to_json(), "columns": kept})
