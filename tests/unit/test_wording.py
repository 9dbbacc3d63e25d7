"""Conditions in words: what is said holds on exactly the same records as what was meant."""

from itertools import combinations

import numpy as np
import pytest

import oracledp as odp
from oracledp.classes.pictures import Lines
from oracledp.data.wording import NEVER, all_of, reduced

SCHEMA = odp.Schema(
    {
        "columns": {
            "age": {"kind": "integer", "lo": 0, "hi": 99, "thresholds": [20, 60], "nullable": True},
            "job": {"kind": "categorical", "values": ["cook", "smith"], "nullable": True},
            "smoker": {"kind": "boolean", "nullable": True},
        }
    }
)
EVERY = SCHEMA.literals.with_negations()


def all_records() -> np.ndarray:
    """Every record that the schema knows, as literals."""
    codes = np.indices(SCHEMA.sizes).reshape(len(SCHEMA.sizes), -1).T.astype(SCHEMA.code_dtype)
    return SCHEMA.literal_values(EVERY, codes)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_what_is_left_out_changes_nothing(size: int) -> None:
    records = all_records()
    where = {literal: records[:, j] != 0 for j, literal in enumerate(EVERY)}
    for some in combinations(EVERY, size):
        meant = np.logical_and.reduce([where[literal] for literal in some])
        kept = reduced(some)
        said = np.zeros_like(meant) if kept is None else np.logical_and.reduce([where[literal] for literal in kept])
        assert np.array_equal(meant, said), (list(map(str, some)), all_of(some))


def test_two_tests_that_exclude_each_other_are_never_said() -> None:
    records = all_records()
    for one, other in combinations(range(len(EVERY)), 2):
        if not (records[:, one] & records[:, other]).any():
            assert all_of([EVERY[one], EVERY[other]]) == NEVER, (str(EVERY[one]), str(EVERY[other]))


def test_a_list_has_no_line_that_is_never_reached() -> None:
    literals = odp.Literals((SCHEMA.literal("age >= 60"), SCHEMA.literal("age is missing"), SCHEMA.literal("smoker")))
    lists = odp.DecisionLists(literals, length=2, width=2)
    for query in lists:
        drawn = query.owner.picture(query.parts)
        assert isinstance(drawn, Lines)
        assert all(condition not in ("never", "always") for condition, _ in drawn.lines)
