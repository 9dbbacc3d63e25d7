"""Decision trees: binary tests of literals, and a label in every leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracledp.classes.base import QueryClass, Records, Separator, colex_subsets
from oracledp.classes.decided_tests import count_trees, decided_table
from oracledp.classes.pictures import Branching, Picture
from oracledp.classes.tables import Parts
from oracledp.errors import ModelError, ParameterError
from oracledp.exact.numbers import whole

MOST_DEPTH = 5
MOST_LABELS = 64
Path = tuple[tuple[int, bool], ...]  # the tests on the way to a node and their outcomes
Tree = int | tuple[int, "Tree", "Tree"]  # a label, or (test, where it holds, where it does not)


@dataclass(frozen=True)
class DecisionTrees(QueryClass):
    """Trees of at most ``depth`` tests on a path, with one of ``labels`` labels in each leaf.

    No path makes a test that its other tests have decided (``age >= 30`` below ``age >= 40``). As a boolean query a
    tree holds where its label is not 0; :meth:`label` tells all labels apart. The places of a complete tree are
    numbered in preorder, and each has exactly one part: a label, a test, or nothing where a leaf is above it.

    >>> from oracledp.data.literals import Literals
    >>> trees = DecisionTrees(Literals.named("smoker", "adult"), depth=2)
    >>> print(trees.query(*trees.parts_of_tree((0, (1, 1, 0), 0))))
    if smoker then (if adult then 1 else 0) else 0
    """

    kind = "decision-trees"
    depth: int = 4
    labels: int = 2

    def __post_init__(self) -> None:
        if len(self.literals) == 0:
            raise ParameterError("decision trees need at least one literal")
        object.__setattr__(self, "depth", whole(self.depth, "depth", most=MOST_DEPTH))
        object.__setattr__(self, "labels", whole(self.labels, "labels", most=MOST_LABELS))

    # ---- places and parts ------------------------------------------------------------------------
    @cached_property
    def places(self) -> tuple[int, ...]:
        """How many tests may still follow at each place of the complete tree, in preorder."""

        def below(left: int) -> tuple[int, ...]:
            return (0,) if left == 0 else (left, *below(left - 1), *below(left - 1))

        return below(self.depth)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The number of the first part of each place: its labels, its tests if any may follow, nothing."""
        found = [0]
        for left in self.places:
            found.append(found[-1] + self.labels + (self.dimension if left else 0) + 1)
        return tuple(found)

    @property
    def part_count(self) -> int:
        """All options at all places."""
        return self.starts[-1]

    @property
    def hot(self) -> int:
        """One part for each place."""
        return len(self.places)

    @cached_property
    def decided(self) -> NDArray[np.uint8]:
        """Which outcome of a test decides which other test."""
        return decided_table(self.literals)

    def open_tests(self, path: Path) -> list[int]:
        """The tests that a path has not decided."""
        closed = np.zeros(self.dimension, dtype=bool)
        for test, outcome in path:
            closed |= self.decided[test, int(outcome)] != 0
        return np.flatnonzero(~closed).tolist()

    def tree(self, parts: Parts) -> Tree:
        """The tree that these parts are; refused if they are none."""
        if len(parts) != self.hot:
            raise ModelError("a tree has one part for each place")
        options = [part - start for part, start in zip(parts, self.starts, strict=False)]
        return self._read(options, 0, ())

    def _read(self, options: list[int], place: int, path: Path) -> Tree:
        left, option = self.places[place], options[place]
        if 0 <= option < self.labels:
            if any(options[p] != self._nothing(p) for p in range(place + 1, place + (2 << left) - 1)):
                raise ModelError("there is something below a leaf")
            return option
        test = option - self.labels
        if left == 0 or test not in self.open_tests(path):
            raise ModelError("a test that is decided or too deep")
        first = self._read(options, place + 1, (*path, (test, True)))
        return test, first, self._read(options, place + (1 << left), (*path, (test, False)))

    def _nothing(self, place: int) -> int:
        return self.starts[place + 1] - self.starts[place] - 1

    def parts_of_tree(self, tree: Tree) -> Parts:
        """The parts of a tree; whether it belongs to the class is for :meth:`contains` to say."""
        options = [self._nothing(place) for place in range(self.hot)]

        def write(node: Tree, place: int) -> None:
            if isinstance(node, int):
                options[place] = node
                return
            options[place] = self.labels + node[0]
            write(node[1], place + 1)
            write(node[2], place + (1 << self.places[place]))

        write(tree, 0)
        return tuple(start + option for start, option in zip(self.starts, options, strict=False))

    # ---- the functions -------------------------------------------------------------------------
    @cached_property
    def size(self) -> int:
        """All trees (many are the same function)."""
        return count_trees(self.decided, self.depth, self.labels)

    def order_key(self, parts: Parts) -> tuple[int, ...]:
        """The root decides, then what is below where it holds; labels come before tests."""
        return parts

    def all_parts(self) -> Iterator[Parts]:
        """Every tree, in the order of its parts."""
        return (self.parts_of_tree(tree) for tree in self._trees(self.depth, ()))

    def _trees(self, left: int, path: Path) -> Iterator[Tree]:
        yield from range(self.labels)
        if left:
            for test in self.open_tests(path):
                held = self._trees(left - 1, (*path, (test, True)))
                yield from product((test,), held, list(self._trees(left - 1, (*path, (test, False)))))

    def contains(self, parts: Parts) -> bool:
        """One part for each place, nothing below leaves, and no test that is decided."""
        if len(parts) != self.hot or not all(
            s <= p < e for p, s, e in zip(parts, self.starts, self.starts[1:], strict=False)
        ):
            return False
        try:
            self.tree(parts)
        except ModelError:
            return False
        return True

    def evaluate(self, parts: Parts, records: Records) -> NDArray[np.bool_]:
        """Where the label is not 0."""
        return np.asarray(self.label(parts, records) != 0)

    def label(self, parts: Parts, records: Records) -> NDArray[np.intp]:
        """The label of each record."""
        return self._walk(self.tree(parts), records, lambda leaf, label: label)

    def leaf(self, parts: Parts, records: Records) -> NDArray[np.intp]:
        """The number of the leaf that each record comes to, from left to right."""
        return self._walk(self.tree(parts), records, lambda leaf, label: leaf)

    def leaves(self, parts: Parts) -> tuple[tuple[Path, int], ...]:
        """The way to each leaf, from left to right, and its label."""

        def below(node: Tree, path: Path) -> Iterator[tuple[Path, int]]:
            if isinstance(node, int):
                yield path, node
            else:
                yield from below(node[1], (*path, (node[0], True)))
                yield from below(node[2], (*path, (node[0], False)))

        return tuple(below(self.tree(parts), ()))

    def _walk(self, tree: Tree, records: Records, told: Any) -> NDArray[np.intp]:
        found = np.zeros(len(records), dtype=np.intp)
        leaves = 0

        def go(node: Tree, rows: NDArray[np.intp]) -> None:
            nonlocal leaves
            if isinstance(node, int):
                found[rows] = told(leaves, node)
                leaves += 1
                return
            holds = np.asarray(records[rows, node[0]] != 0, dtype=bool)
            go(node[1], rows[holds])
            go(node[2], rows[~holds])

        go(tree, np.arange(len(records)))
        return found

    def describe(self, parts: Parts) -> str:
        """The tree in one line."""
        return self._line(self.tree(parts))

    def _line(self, node: Tree) -> str:
        if isinstance(node, int):
            return str(node)
        held, other = (self._line(child) if isinstance(child, int) else f"({self._line(child)})" for child in node[1:])
        return f"if {self.literals[node[0]]} then {held} else {other}"

    def picture(self, parts: Parts) -> Picture:
        """The branches."""
        return self._branches(self.tree(parts))

    def _branches(self, node: Tree) -> Branching:
        if isinstance(node, int):
            return Branching(label=node)
        return Branching(str(self.literals[node[0]]), self._branches(node[1]), self._branches(node[2]))

    def simplified(self, parts: Parts) -> Parts:
        """The same function without splits below which all labels are the same."""

        def simple(node: Tree) -> Tree:
            if isinstance(node, int):
                return node
            held, other = simple(node[1]), simple(node[2])
            return held if isinstance(held, int) and held == other else (node[0], held, other)

        return self.parts_of_tree(simple(self.tree(parts)))

    # ---- the embeddings --------------------------------------------------------------------------
    def separator(self) -> Separator:
        """Records with at most ``depth`` ones: a tree is a polynomial of that degree in its literals.

        The difference of two trees that differ somewhere has a term of least degree, at most ``depth``, and does not
        vanish on the record that has ones in that term only.
        """
        ones = colex_subsets(self.dimension, self.depth)
        return Separator(tuple(tuple(int(j in chosen) for j in range(self.dimension)) for chosen in ones))

    def dual_separator(self) -> tuple[Parts, ...]:
        """The trees that test one literal."""
        if self.labels < 2:
            raise ParameterError("trees with one label cannot tell records apart")
        return tuple(self.parts_of_tree((test, 1, 0)) for test in range(self.dimension))

    def constant_query(self) -> Parts:
        """A leaf with label 0."""
        return self.parts_of_tree(0)

    def changed(self, parts: Parts) -> Iterator[Parts]:
        """Another test or label at one node, a leaf split in two, or a node cut down to a leaf."""
        return (self.parts_of_tree(tree) for tree in self._changed(self.tree(parts), self.depth, ()))

    def _changed(self, node: Tree, left: int, path: Path) -> Iterator[Tree]:
        yield from range(self.labels)
        if left == 0:
            return
        tests = self.open_tests(path)
        if isinstance(node, int):
            yield from product(tests, range(self.labels), range(self.labels))
            return
        for test in tests:
            changed = (test, node[1], node[2])
            if self.contains(self.parts_of_tree(changed)):
                yield changed
        for below in self._changed(node[1], left - 1, (*path, (node[0], True))):
            yield node[0], below, node[2]
        for below in self._changed(node[2], left - 1, (*path, (node[0], False))):
            yield node[0], node[1], below

    def as_decision_trees(self) -> DecisionTrees:
        """The class itself."""
        return self

    def parameters(self) -> dict[str, Any]:
        """Depth and labels."""
        return {"depth": self.depth, "labels": self.labels}
