"""The reference names everything public, so that `make docs` does not stop over a name that is new."""

from __future__ import annotations

import runpy
from pathlib import Path

TOOL = Path(__file__).parents[2] / "docs/tools/reference.py"


def test_every_public_name_is_in_a_group() -> None:
    assert runpy.run_path(str(TOOL))["in_no_group"]() == []
