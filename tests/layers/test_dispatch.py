"""A class says what it can do: code outside ``classes/`` that asks which class it has in hand is counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from import_graph import PACKAGE

from oracledp.classes.registry import KINDS

CONCRETE = {"SubsetClass", "Dual", *(KINDS[kind].__name__ for kind in KINDS if KINDS.is_own(kind))}
MOST = 15


def names(node: ast.expr) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def dispatches(tree: ast.Module) -> Iterator[ast.AST]:
    """isinstance tests, matches and registrations on a concrete class, and comparisons of its kind."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "issubclass")
        ):
            if len(node.args) == 2 and names(node.args[1]) & CONCRETE:
                yield node
        elif isinstance(node, ast.MatchClass) and names(node.cls) & CONCRETE:
            yield node
        elif isinstance(node, ast.FunctionDef):
            registered = [d for d in node.decorator_list if isinstance(d, ast.Attribute) and d.attr == "register"]
            yield from registered
        elif isinstance(node, ast.Dict) and any(key is not None and names(key) & CONCRETE for key in node.keys):
            yield node
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(
                isinstance(side, ast.Attribute) and side.attr == "kind" and "owner" in ast.dump(side) for side in sides
            ):
                yield node


def test_few_places_outside_the_classes_ask_which_class_they_have() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith("classes/"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [f"{name}:{getattr(node, 'lineno', 0)}" for node in dispatches(tree)]
    assert len(found) <= MOST, found
