"""The types of synthetic frames follow from the schema, whatever one record did to the types of the private frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from oracledp.data.output.frames import FrameShape
from oracledp.data.schema import Schema
from oracledp.randomness.source import SeededRandomness
from oracledp.synthesis import Synthesizer

DEFINITIONS: dict[str, dict[str, Any]] = {
    "smoker": {"kind": "boolean"},
    "age": {"kind": "integer", "lo": 0, "hi": 9},
    "pay": {"kind": "numeric", "lo": 0, "hi": 1, "bins": 2},
    "job": {"kind": "categorical", "values": ["farm", "shop"]},
    "rooms": {"kind": "categorical", "values": [1, 2]},
    "floor": {"kind": "categorical", "values": [0, 1], "other": "higher"},
}
ROWS: dict[str, list[Any]] = {
    "floor": [0, 1, 0], "rooms": [1, 2, 2], "job": ["farm", "shop", "shop"],
    "pay": [0.5, 0.25, 1.0], "age": [1, 2, 3], "smoker": [True, False, True],
}  # fmt: skip
WHOLE = pandas.DataFrame(ROWS)
ALL_MISSING = pandas.DataFrame({name: [None, *values[1:]] for name, values in ROWS.items()})
NEIGHBOURS = {
    "one record missing": ALL_MISSING,
    "integers as floats": WHOLE.astype({"age": "float64", "rooms": "float32"}),
    "one text among numbers": WHOLE.astype({"age": object, "pay": object}).replace({"age": {1: "one"}}),
    "categories": WHOLE.astype({"job": "category", "rooms": "category"}),
    "another index": WHOLE.set_index(pandas.Index(["ann", "bob", "cid"], name="name")),
}


def schema(nullable: bool) -> Schema:
    return Schema({name: definition | {"nullable": nullable} for name, definition in DEFINITIONS.items()})


def built(frame: Any, schema: Schema, code: int = 0) -> Any:
    """The same released codes in the shape of a frame."""
    codes = np.full((4, len(schema.names)), code, dtype=schema.code_dtype)
    codes[2:] = np.array(schema.sizes) - 1  # missing, where that is a code
    return FrameShape.of(frame, schema).build(schema.decode(codes))


@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize("change", list(NEIGHBOURS))
def test_one_record_changes_no_type_of_a_pandas_frame(change: str, nullable: bool) -> None:
    given = NEIGHBOURS[change]
    given.attrs["secret"] = 1
    made, other = built(WHOLE, schema(nullable), 1), built(given, schema(nullable), 1)
    pandas.testing.assert_frame_equal(made, other)
    assert made.attrs == other.attrs == {}
    assert list(made.columns) == list(ROWS), "the order of the columns is public"


@pytest.mark.parametrize(
    ("nullable", "types"),
    [
        (False, ["string", "int64", "string", "float64", "int64", "bool"]),
        (True, ["string", "Int64", "string", "float64", "Int64", "boolean"]),
    ],
)
def test_the_types_of_pandas(nullable: bool, types: list[str]) -> None:
    made = built(WHOLE, schema(nullable))
    assert [str(kind) for kind in made.dtypes] == types
    assert made.isna().any(axis=None) == nullable


@pytest.mark.parametrize("nullable", [False, True])
def test_the_types_of_polars_and_pyarrow(nullable: bool) -> None:
    stored = polars.DataFrame(ROWS).cast({"age": polars.Int8, "rooms": polars.Float64, "job": polars.Categorical})
    made = built(stored, schema(nullable))
    text, whole, number, truth = polars.String, polars.Int64, polars.Float64, polars.Boolean
    assert made.schema == dict(zip(ROWS, [text, whole, text, number, whole, truth], strict=True))
    arrow = built(pyarrow.table(ROWS | {"age": pyarrow.array([1, None, 3], type=pyarrow.int8())}), schema(nullable))
    assert [str(kind) for kind in arrow.schema.types] == ["string", "int64", "string", "double", "int64", "bool"]
    assert arrow.to_pylist() == made.to_dicts()


def test_a_fit_on_neighbours_samples_frames_of_the_same_types() -> None:
    frames = (WHOLE, ALL_MISSING)
    fitted = [Synthesizer(schema(False), epsilon=1, delta="1e-6").fit(f, source=SeededRandomness(1)) for f in frames]
    fitted[1].model_ = fitted[0].model_  # the same release
    pandas.testing.assert_frame_equal(fitted[0].sample(20, seed=0), fitted[1].sample(20, seed=0))
