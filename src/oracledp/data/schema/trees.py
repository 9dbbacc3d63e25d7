"""Public trees over categories: postcodes and diagnoses by their first letters, towns by their region.

Values are listed in the order of the tree, so that every group of it is a run of codes and neighbours are alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Runs = tuple[tuple[str, range], ...]


@dataclass(frozen=True)
class Tree:
    """The values in order, the groups of the tree as runs of their codes, and the tree as it was written.

    >>> Tree(("A1", "A2", "B1"), (("A*", range(0, 2)),), ("1",)).to_json()
    'prefix 1'
    """

    values: tuple[str, ...]
    groups: Runs
    written: tuple[Any, ...]

    def to_json(self) -> Any:
        """``prefix 1, 3``, or a mapping from groups to their values."""
        return _thawed(self.written) if isinstance(self.written[0], tuple) else f"prefix {', '.join(self.written)}"


def _thawed(written: tuple[Any, ...]) -> Any:
    if isinstance(written[0], tuple):
        return {name: _thawed(below) for name, below in written}
    return list(written)
