"""Schemas survive their files, values survive their codes, and literal tables say what the literals say."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from schema_strategies import columns, schemas

from oracledp.data.schema import Boolean, Categorical, Column, Schema
from oracledp.data.table.values import code_of

PLACES = st.floats(0, 1, exclude_max=True)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(schema=schemas(), ending=st.sampled_from(["yaml", "json"]))
def test_a_schema_loads_as_it_was_saved(schema: Schema, ending: str) -> None:
    assert Schema(schema.to_json()) == schema
    with TemporaryDirectory() as folder:
        path = Path(folder, f"schema.{ending}")
        schema.save(path)
        assert Schema.load(path) == schema


@settings(derandomize=True, deadline=None, max_examples=300)
@given(column=columns("x"), place=PLACES)
def test_every_decoded_value_encodes_to_its_code(column: Column, place: float) -> None:
    codes = np.arange(column.size, dtype=np.uint16)
    values = column.decode(codes, np.full(column.size, place)).tolist()
    other = len(column.values) if isinstance(column, Categorical) and column.other is not None else None
    listed = [code for code in codes.tolist() if code != other]  # ``other`` decodes to its name, a text
    assert [code_of(column, values[code]) for code in listed] == listed
    assert all((value is None) == (code >= column.value_size) for code, value in enumerate(values))


def literal_holds(column: Column, test: str, bound: Any, value: Any) -> bool:
    """The plain meaning of a literal on a decoded value."""
    if bound == "missing" and test == "is":
        return value is None
    if value is None:
        return False
    if isinstance(column, Boolean):
        return bool(value)
    return bool(value == bound if test == "=" else value >= bound)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(column=columns("x"), place=PLACES)
def test_literal_tables_agree_with_the_values(column: Column, place: float) -> None:
    codes = np.arange(column.size, dtype=np.uint16)
    values = column.decode(codes, np.full(column.size, place)).tolist()
    table = column.literal_table()
    assert table.shape == (column.size, len(column.literals))
    for index, literal in enumerate(column.literals):
        wanted = [literal_holds(column, literal.test, literal.value, value) for value in values]
        assert table[:, index].tolist() == wanted
        assert column.holds(literal.negated()).tolist() == [not truth for truth in wanted]


@settings(derandomize=True, deadline=None, max_examples=100)
@given(schema=schemas())
def test_a_literals_text_means_the_literal_where_names_are_plain(schema: Schema) -> None:
    for column in schema.columns:
        alone = Schema({"columns": {"plain": column.to_json()}})
        for literal in alone.literals:
            assert alone.literal(str(literal)) == literal
            assert alone.literal(str(literal.negated())) == literal.negated()
