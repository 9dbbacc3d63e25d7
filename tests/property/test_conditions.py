"""Conditions hold exactly where plain comparisons of values do, and are refused only where no cells say them."""

from __future__ import annotations

import operator
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from schema_strategies import columns, schemas

from oracledp.data.output.conditions import allowed_codes, parse_conditions
from oracledp.data.schema import Column, Integer, Ordered, Schema
from oracledp.data.schema.ordered import exactly
from oracledp.errors import ParameterError

TESTS = {">=": operator.ge, ">": operator.gt, "<": operator.lt, "<=": operator.le, "=": operator.eq, "==": operator.eq}
WORDS = st.sampled_from(
    [" and ", "not ", " >= ", "=", "==", "<=", " is ", "missing", "5", "0.5", '"', "'", "`", "e9", ""]
)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(column=columns("x"), test=st.sampled_from(list(TESTS)), code=st.integers(0, 10**6), place=st.floats(0, 0.999))
def test_a_comparison_holds_where_it_does_for_values(column: Column, test: str, code: int, place: float) -> None:
    if not isinstance(column, Ordered) or (column.grid is None and not isinstance(column, Integer)):
        return
    codes = np.arange(column.value_size, dtype=np.uint16)
    bound = column.decode_values(codes, np.full(len(codes), place)).tolist()[code % column.value_size]
    ends = [column.decode_values(codes, np.full(len(codes), end)).tolist() for end in (0.0, 1 - 2**-53)]
    truths = [[bool(TESTS[test](exactly(value), exactly(bound))) for value in values] for values in ends]
    touched = [exactly(low) <= exactly(bound) <= exactly(high) for low, high in zip(*ends, strict=True)]
    wide = [low != high for low, high in zip(*ends, strict=True)]
    split = truths[0] != truths[1] or (test in ("=", "==") and any(a and b for a, b in zip(touched, wide, strict=True)))
    said = str(Fraction(exactly(bound)).numerator) if exactly(bound).denominator == 1 else str(bound)
    idle = all(truths[0]) or not any(truths[0])
    try:
        literals = parse_conditions(f"x {test} {said}", Schema({"x": column.to_json()}))
    except ParameterError:
        assert split or (idle and test not in ("=", "=="))
        return
    assert not split
    held = allowed_codes(literals, Schema({"x": column.to_json()}))[0]
    assert held[: column.value_size].tolist() == truths[0]
    assert not column.nullable or held[-1] == (test in ("<", "<="))


@settings(derandomize=True, deadline=None, max_examples=300)
@given(schema=schemas(), data=st.data())
def test_any_text_is_read_or_refused(schema: Schema, data: st.DataObject) -> None:
    pieces = WORDS | st.sampled_from(schema.names) | st.text(max_size=4)
    text = "".join(data.draw(st.lists(pieces, max_size=9)))
    try:
        literals = parse_conditions(text, schema)
    except ParameterError:
        return
    allowed_codes(literals, schema)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(schema=schemas())
def test_what_a_schema_says_conditions_say(schema: Schema) -> None:
    for column in schema.columns:
        alone = Schema({"columns": {"plain": column.to_json()}})
        for literal in (sign for one in alone.literals for sign in (one, one.negated())):
            assert parse_conditions(str(literal), alone) == (alone.literal(str(literal)),)
