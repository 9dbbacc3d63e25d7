"""For the reference: doctests of docstrings become code blocks, and roles such as ``:meth:`` plain code."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?m)^>>> .*(?:\n(?!\s*$).+)*")
ROLE = re.compile(r":(?:meth|class|func|mod|attr):`~?\.?([^`]+)`")


class FenceDoctests(griffe.Extension):
    """Changes the texts of docstrings, not the sources."""

    def on_instance(self, *, obj: griffe.Object, **more: Any) -> None:
        """One object at a time."""
        if obj.docstring is not None:
            text = ROLE.sub(r"`\1`", obj.docstring.value)
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)
