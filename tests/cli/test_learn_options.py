"""No option of ``learn`` is ignored: what would have no effect is refused, and a model chosen for you is named."""

from __future__ import annotations

import pytest

from oracledp.cli.learn import note, settled_model
from oracledp.errors import ParameterError

USUAL = {"model": "auto", "mechanism": None, "robust": False, "delta": None, "oracle": "auto"}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"mechanism": "exponential", "model": "conjunction", "delta": "1e-6"}, "--delta"),
        ({"model": "tree", "delta": "1e-6"}, "--delta"),
        ({"mechanism": "rspm", "robust": True}, "--robust"),
        ({"oracle": "cp-sat"}, "--oracle"),
        ({"mechanism": "exponential", "oracle": "cp-sat"}, "--oracle"),
    ],
)
def test_what_would_have_no_effect_is_refused(options: dict[str, object], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        settled_model(**{**USUAL, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "meant"),
    [
        ({}, "auto"),
        ({"delta": "1e-6"}, "auto"),
        ({"model": "halfspace", "delta": "1e-6"}, "halfspace"),
        ({"robust": True, "delta": "1e-6", "model": "disjunction"}, "disjunction"),
        ({"mechanism": "rspm", "oracle": "cp-sat", "model": "parity"}, "parity"),
        ({"mechanism": "rspm:gaussian", "delta": "1e-6"}, "conjunction"),
    ],
)
def test_what_goes_together(options: dict[str, object], meant: str) -> None:
    assert settled_model(**{**USUAL, **options}) == meant  # type: ignore[arg-type]


def test_a_model_that_is_chosen_for_you_is_named() -> None:
    assert note("tree", "tree") is None
    assert "learned a conjunction" in str(note("auto", "conjunction"))
