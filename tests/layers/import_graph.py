"""Who imports whom in the source tree, imports inside functions included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import oracledp

PACKAGE = Path(oracledp.__file__).parent


def modules() -> dict[str, Path]:
    """Every module by its dotted name below ``oracledp``; the package itself is the empty name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path], *, of_types: bool) -> Iterator[str]:
    """The modules of ours that a file imports; those under ``TYPE_CHECKING`` only on request."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = set() if of_types else {id(node) for block in _type_blocks(tree) for node in ast.walk(block)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports are absolute"
            if node.module is not None and node.module.split(".")[0] == "oracledp":
                inside = node.module[len("oracledp.") :]
                for alias in node.names:
                    longer = f"{inside}.{alias.name}".lstrip(".")
                    yield longer if longer in known else inside
        elif isinstance(node, ast.Import):
            yield from (a.name[len("oracledp.") :] for a in node.names if a.name.split(".")[0] == "oracledp")


def _type_blocks(tree: ast.Module) -> Iterator[ast.If]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield node


def graph(*, of_types: bool) -> dict[str, set[str]]:
    """Each module with the modules that it imports."""
    known = modules()
    return {name: set(imports(path, known, of_types=of_types)) - {name} for name, path in known.items()}


def room(module: str) -> str:
    """The package below ``oracledp`` that a module lives in, or its own name."""
    return module.split(".")[0]


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of nodes that reach each other (Tarjan's strongly connected components of more than one)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = []
            while not group or group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for node in graph:
        if node not in index:
            visit(node)
    return found
