"""Conditions on categories and truth values hold at just the codes whose values they name, however odd these are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from oracledp.data.output.conditions import allowed_codes, parse_conditions
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError

TEXTS = st.sampled_from(
    ["a", "A", "a and b", "b", "not a", "a = b", "!= b", "'a'", '"a', "`", "is", "is missing", "missing", "x", "and",
     " a", "a ", "true", "1", "01", "é", "x = a", "a\nb", "x and z", "z"]
) | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=5)  # fmt: skip
NAMES = st.sampled_from(["x", "not x", "x and y", "x = a", "x is", "is missing", "'x'", "x >= 1", "not", "and", "xz"])
QUOTES = st.sampled_from(["", '"', "'", "`"])


def mask(text: str, schema: Schema) -> NDArray[np.bool_] | None:
    """Where a text holds, for the codes of the first and the second column; None where it is refused."""
    try:
        first, second = allowed_codes(parse_conditions(text, schema), schema)
    except ParameterError:
        return None
    return first[:, None] & second[None, :]


@settings(derandomize=True, deadline=None, max_examples=1500)
@given(
    name=NAMES, values=st.lists(TEXTS, min_size=2, max_size=5, unique=True), at=st.integers(0, 4),
    test=st.sampled_from(["=", "==", "!="]), around=st.tuples(QUOTES, QUOTES), negated=st.booleans(),
    nullable=st.booleans(), joined=st.sampled_from(["", " and z", " and not z", " AND z = true"]),
)  # fmt: skip
def test_a_value_is_named_or_the_text_refused(
    name: str,
    values: list[str],
    at: int,
    test: str,
    around: tuple[str, str],
    negated: bool,
    nullable: bool,
    joined: str,
) -> None:
    value = values[at % len(values)]
    named, said = (f"{quote}{text}{quote}" for quote, text in zip(around, (name, value), strict=True))
    column = {"kind": "categorical", "values": values, "nullable": nullable}
    schema = Schema({name: column, "z": {"kind": "boolean"}})
    alike = [other for other in values if other != value and other.strip() in (said.strip(), value.strip())]
    assume(not alike)  # blanks at the ends, or quotes, may be either's
    assume(not any(other == f"{said}{joined}" for other in values))
    assume(not (negated and name.startswith("not")) and not name.startswith("x = a"))
    found = mask(f"{'not ' * negated}{named} {test} {said}{joined}", schema)
    assert found is not None
    holds = np.array([other == value for other in [*values, *[None] * nullable]])
    holds = holds if (test != "!=") != negated else ~holds
    second = np.array([True, True]) if not joined else np.array(["not" in joined, "not" not in joined])
    assert found.tolist() == (holds[:, None] & second[None, :]).tolist()


@pytest.mark.parametrize("spelling", [None, ["no", "yes"]])
@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize("name", ["x", "x and y", "not", "is"])
def test_truth_values_missing_ones_and_their_opposites(spelling: list[str] | None, nullable: bool, name: str) -> None:
    column = {"kind": "boolean", "nullable": nullable} | ({} if spelling is None else {"spelling": spelling})
    schema = Schema({name: column, "z": {"kind": "boolean"}})
    words = spelling or ["false", "true"]
    size = 2 + nullable
    true, false, missing = ([code == at for code in range(size)] for at in (1, 0, 2))
    expected = {
        f"{name}": true,
        f"not {name}": [not truth for truth in true],
        f"'{name}' = {words[1]}": true,
        f"{name} = {words[0]}": false,
        f"{name} is {words[1]}": true,
        f"{name} != {words[1]}": [not truth for truth in true],
        f"{name} is missing": missing,
        f"{name} is not missing": [not truth for truth in missing],
        f"not {name} is missing": [not truth for truth in missing],
    }
    for text, holds in expected.items():
        found = mask(text, schema)
        if "missing" in text and not nullable:
            assert found is None, text
        else:
            assert found is not None, text
            assert found[:, 0].tolist() == holds, text


def test_hints_are_made_of_the_schema_alone() -> None:
    schema = Schema({"job": {"kind": "categorical", "values": ["cook", "smith"]}, "sick": "boolean"})
    for text, hint in (
        ("jop = cook", "did you mean 'job'"),
        ("job = cok", "did you mean 'cook'"),
        ("hat", "job, sick"),
    ):
        with pytest.raises(ParameterError, match=hint):
            parse_conditions(text, schema)
